#pragma once
// Fractional Brownian motion by circulant embedding (Davies and Harte): exact in law on an even time grid.
//
// The increments over unit steps are stationary with
//     γ(j) = ½(|j+1|^{2H} − 2|j|^{2H} + |j−1|^{2H}).
// The circulant matrix of γ(0), …, γ(n), γ(n−1), …, γ(1) has the eigenvalues μ = DFT of that row, which are
// not negative for any H in (0,1). With complex ξ_j of independent N(0,1) parts, Σ_j √(μ_j/2n) ξ_j
// e^{−2πijk/2n} has real and imaginary parts that are two independent paths: two members again travel as one
// complex signal.
//   R. B. Davies, D. S. Harte, "Tests for Hurst effect", Biometrika 74 (1987).
#include <algorithm>
#include <cmath>
#include <vector>

#include "mno/core/buffer.hpp"
#include "mno/device/cpu.hpp"
#include "mno/simulate/noise.hpp"
#include "mno/simulate/normal.hpp"
#include "mno/spectral/fft.hpp"

namespace mno {

class DaviesHarte {
 public:
  static constexpr Index lanes = 8;          // pairs of paths
  static constexpr Index block = 2 * lanes;  // paths made at once
  using Transform = Fft<double, lanes>;

  DaviesHarte(double hurst, Index steps) : steps_(steps), fft_(2 * std::max<Index>(steps, 1)) {
    require(hurst > 0 && hurst < 1, "DaviesHarte", "hurst", Text("a number between 0 and 1"), Text(hurst));
    require(steps >= 1 && steps < (Index{1} << 30), "DaviesHarte", "steps", Text("at least one"),
            Text(steps));
    const Index size = 2 * steps;
    const auto power = [&](Index j) { return std::pow(double(std::abs(j)), 2 * hurst); };
    const Fft<double, 1> fft(size);
    Buffer<double> row{std::size_t(2 * size)}, spare{std::size_t(2 * size)};
    for (Index j = 0; j < size; ++j) {
      const Index lag = std::min(j, size - j);
      row.data()[2 * j] = (power(lag + 1) - 2 * power(lag) + power(lag - 1)) / 2;
    }
    const double* const spectrum = fft.forward(row.data(), spare.data());
    for (Index j = 0; j < size; ++j) {
      eigenvalues_.push_back(spectrum[2 * j]);
      scale_.push_back(std::sqrt(std::max(0., spectrum[2 * j]) / double(size)));
    }
  }

  Index steps() const { return steps_; }
  const std::vector<double>& eigenvalues() const { return eigenvalues_; }

  /// Positions of the normal numbers that a path uses up.
  Index draws() const { return (2 * steps_ + 3) / 4; }
  /// Numbers in each of the two buffers of sample().
  std::size_t buffer() const { return std::size_t(2 * steps_ * Transform::row); }

  /// A block of paths with unit time steps, W_1 … W_n as (step, path); lies in one of the two buffers.
  const double* sample(Normals<block>& normals, Index position, double* one, double* two) const {
    alignas(alignment) float drawn[4 * block];
    for (Index j = 0; j < 2 * steps_; ++j) {
      if (j % 4 == 0) normals.draw(std::uint32_t(position + j / 4), drawn);
      for (Index m = 0; m < block; ++m)
        one[j * block + m] = scale_[std::size_t(j)] * double(drawn[j % 4 * block + m]);
    }
    double* const path = fft_.forward(one, two);
    for (Index j = 1; j < steps_; ++j)
      for (Index m = 0; m < block; ++m) path[j * block + m] += path[(j - 1) * block + m];
    return path;
  }

 private:
  Index steps_;
  Transform fft_;
  std::vector<double> eigenvalues_, scale_;
};

/// Paths W^H on [0, time], Var W^H_t = t^{2H}.
struct FractionalBrownian {
  double hurst = 0.1;
  double time = 1;
  Index steps = 100;

  /// (path, step), from W_0 = 0 to W_time.
  ModalNoise::Rows paths(Index count, std::uint64_t seed, Cpu& device = default_device()) const {
    require(count >= 1, "FractionalBrownian", "count", Text("at least one path"), Text(count));
    require(std::isfinite(time) && time > 0, "FractionalBrownian", "time", Text("a positive number"),
            Text(time));
    const DaviesHarte generator(hurst, steps);
    const double scale = std::pow(time / double(steps), hurst);  // self-similarity
    ModalNoise::Rows paths = ModalNoise::Rows::Zero(count, steps + 1);
    constexpr Index block = DaviesHarte::block;
    device.for_each_run((count + block - 1) / block, [&](const Cpu::Run& run, Workspace& workspace) {
      const ArenaScope scope(workspace.scratch);
      double* const one = workspace.scratch.take<double>(generator.buffer());
      double* const two = workspace.scratch.take<double>(generator.buffer());
      for (Index b = run.begin; b < run.end; ++b) {
        Normals<block> normals(seed, stream_of(Draw::fractional, 0), b * block);
        const double* const made = generator.sample(normals, 0, one, two);
        for (Index m = 0; m < std::min(block, count - b * block); ++m)
          for (Index j = 0; j < steps; ++j) paths(b * block + m, j + 1) = scale * made[j * block + m];
      }
    });
    return paths;
  }
};

}  // namespace mno
