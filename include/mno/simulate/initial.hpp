#pragma once
// Random initial conditions: trigonometric polynomials, so that one draw defines the field on every grid.
//
//     u_0(x) = Σ_{k=1..6} a_k cos 2πkx + b_k sin 2πkx,   a_k, b_k ~ N(0, s_k²),  s_k ∝ k^−1.5,  Σ s_k² = 1
#include <cmath>
#include <complex>
#include <numbers>
#include <vector>

#include "mno/core/field.hpp"
#include "mno/core/random.hpp"
#include "mno/simulate/normal.hpp"

namespace mno {

/// c_0 + Σ_k a_k cos 2πkx + b_k sin 2πkx on [0,1).
struct FourierSeries {
  double mean = 0;
  std::vector<double> cosine{}, sine{};  // entry k − 1 belongs to the wavenumber k

  Index modes() const { return Index(cosine.size()); }

  double operator()(double x) const {
    double sum = mean;
    for (std::size_t i = 0; i < cosine.size(); ++i) {
      const double angle = 2 * std::numbers::pi * double(i + 1) * x;
      sum += cosine[i] * std::cos(angle) + sine[i] * std::sin(angle);
    }
    return sum;
  }
  /// û_k with u = Σ_k û_k e^{2πikx}.
  std::complex<double> coefficient(Index k) const {
    if (k == 0) return mean;
    const auto i = std::size_t(std::abs(k) - 1);
    if (i >= cosine.size()) return 0;
    return {cosine[i] / 2, k > 0 ? -sine[i] / 2 : sine[i] / 2};
  }
  /// The values on sample b of a field on [0,1), every channel alike.
  template <class T> void evaluate(View<T, 1> field, Index b = 0) const {
    for (Index p = 0; p < field.points(); ++p)
      for (Index c = 0; c < field.channels; ++c)
        field(b, p, c) = T((*this)(double(p) / double(field.points())));
  }
};

struct InitialField {
  Index modes = 6;
  double decay = 1.5;     // s_k ∝ k^−decay
  double amplitude = 1;   // √Σ s_k², the standard deviation at every point
  double mean_scale = 0;  // standard deviation of the mean, none in the protocol

  void check() const {
    require(modes >= 1, "InitialField", "modes", Text("at least one"), Text(modes));
    require(std::isfinite(decay), "InitialField", "decay", Text("a finite exponent"), Text(decay));
    require(amplitude >= 0 && std::isfinite(amplitude), "InitialField", "amplitude",
            Text("a number that is not negative"), Text(amplitude));
    require(mean_scale >= 0 && std::isfinite(mean_scale), "InitialField", "mean_scale",
            Text("a number that is not negative"), Text(mean_scale));
  }

  /// The initial condition of one sample: the same for every grid, time and member.
  FourierSeries draw(std::uint64_t seed, Index sample) const {
    double total = 0;
    for (Index k = 1; k <= modes; ++k) total += std::pow(double(k), -2 * decay);
    Stream stream(seed, stream_of(Draw::initial, sample));
    FourierSeries series;
    for (Index k = 1; k <= modes; ++k) {
      const double s = amplitude * std::pow(double(k), -decay) / std::sqrt(total);
      series.cosine.push_back(s * stream.normal());
      series.sine.push_back(s * stream.normal());
    }
    if (mean_scale > 0) series.mean = mean_scale * stream.normal();
    return series;
  }
};

}  // namespace mno
