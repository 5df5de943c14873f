#pragma once
// Draws u = w(m + Bᵀξ + η∘ζ) from a law.
//
// The residual law gives ξ and ζ of a draw as one vector of r + n numbers, so that a scale mixture has one
// scale for both. Without a nugget it gives r numbers.
#include <Eigen/Core>
#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "mno/device/cpu.hpp"
#include "mno/device/product.hpp"
#include "mno/law/coordinates.hpp"
#include "mno/law/moments.hpp"

namespace mno {

/// Scratch memory of `sample_into`. Its size depends on the rank, and with a nugget also on n. A caller that
/// keeps it allocates only once.
template <class T> struct SampleWorkspace {
  std::vector<double> xi;       // one draw of ξ, and ζ behind it
  std::vector<T> coefficients;  // (draw of a tile, k)
  std::vector<T> factor;        // (k, entry of a tile)
};

namespace detail {
/// Keeps the numbers of this header apart from those that others draw with the same seed.
inline constexpr std::uint32_t residual_substream = 0x6C6177;  // "law"

/// Ξ B is taken in tiles of so many draws and field entries: small enough for the cache.
inline constexpr Index tile_draws = 64, tile_entries = 64;
}  // namespace detail

/// Writes `count` draws per sample into `draws`, (batch·count, grid…, C): draw j of sample s is its entry
/// s·count + j. Draw j of sample s depends on (seed, s, j) and the law of that sample only.
template <class T, int D, class R, class W>
void sample_into(const Law<T, D, R, W>& law, Index count, std::uint64_t seed, Field<T, D>& draws,
                 SampleWorkspace<T>& workspace) {
  require(count >= 1 && count < (Index(1) << 32), "sample", "count", Text("between 1 and 2^32 - 1 draws"),
          Text(count));
  require(draws.batch() == law.batch() * count && draws.channels() == law.channels() &&
              draws.grid() == law.grid(),
          "sample", "draws",
          Text("batch ", law.batch() * count, ", grid ", law.grid().str(), " and its domain, ",
               law.channels(), " channels"),
          Text("batch ", draws.batch(), ", grid ", draws.grid().str(), ", ", draws.channels(), " channels"));

  using Rows = Eigen::Map<detail::RowMatrix<T>>;
  const Index rank = law.rank(), channels = law.channels(), n = law.size();
  const Index tile_points = std::max(Index(1), detail::tile_entries / channels);
  const bool nugget = law.has_nugget();
  workspace.xi.resize(std::size_t(nugget ? rank + n : rank));
  workspace.coefficients.resize(std::size_t(detail::tile_draws * rank));
  workspace.factor.resize(std::size_t(rank * tile_points * channels));

  for (Index s = 0; s < law.batch(); ++s) {
    const auto mean = flat(law.mean, s);
    Rows all(draws.data() + s * count * n, count, n);
    for (Index j = 0; j < count; j += detail::tile_draws) {
      Rows xi(workspace.coefficients.data(), std::min(detail::tile_draws, count - j), rank);
      for (Index i = 0; i < xi.rows(); ++i) {
        Stream stream(seed, (std::uint64_t(s) << 32) | std::uint64_t(j + i), detail::residual_substream);
        law.residual.draw(stream, std::span<double>(workspace.xi));
        for (Index k = 0; k < rank; ++k) xi(i, k) = T(workspace.xi[std::size_t(k)]);
        if (nugget) {  // m + η∘ζ, to which the product is added
          const Eigen::Map<const Eigen::VectorXd> zeta(workspace.xi.data() + rank, n);
          all.row(j + i) = (mean + flat(law.nugget, s).cwiseProduct(zeta.template cast<T>())).transpose();
        }
      }
      for (Index x = 0; x < law.points(); x += tile_points) {
        const Index points = std::min(tile_points, law.points() - x);
        Rows b(workspace.factor.data(), rank, points * channels);
        if (channels == 1)  // (point, k) to (k, point)
          packet::transpose(detail::factor_at(law, s, x).data(), rank, b.data(), points, points, rank);
        else
          for (Index i = 0; i < points; ++i)
            b.middleCols(i * channels, channels) = detail::factor_at(law, s, x + i);
        auto out = all.block(j, x * channels, xi.rows(), b.cols());
        const MatrixView<T> to{out.data(), out.rows(), out.cols(), n};
        detail::product<T>(to, {xi.data(), rank, 1}, {b.data(), rank, b.cols(), b.cols()}, rank, T(1),
                           nugget ? Write::add : Write::set, false,
                           nugget ? nullptr : mean.data() + x * channels);
      }
    }
  }
  to_user_units(draws, law.warp);
}

/// `count` draws per sample, (batch·count, grid…, C), in the order (sample, draw).
template <class T, int D, class R, class W>
Field<T, D> sample(const Law<T, D, R, W>& law, Index count, std::uint64_t seed) {
  require(count >= 1, "sample", "count", Text("at least one draw"), Text(count));
  Field<T, D> draws(law.batch() * count, law.grid(), law.channels());
  SampleWorkspace<T> workspace;
  sample_into(law, count, seed, draws, workspace);
  return draws;
}

// Takes a device as other calls do; draws are made one after the other on the calling thread.
template <class T, int D, class R, class W>
Field<T, D> sample(const Law<T, D, R, W>& law, Index count, std::uint64_t seed, Cpu&) {
  return sample(law, count, seed);
}
template <class T, int D, class R, class W> Field<T, D> variance(const Law<T, D, R, W>& law, Cpu&) {
  return variance(law);
}

}  // namespace mno
