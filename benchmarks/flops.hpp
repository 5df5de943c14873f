#pragma once
// The arithmetic floor: how many floating-point operations a model needs, counted by hand, and how long a
// processor takes for them at the rate that it reaches with fused multiply-adds alone.
//
// Counted is what the best known algorithm must do, an addition or a multiplication as one:
//   pointwise C → C′     2 C C′ per point
//   transform            a real transform with M of N modes folds even and odd parts, then even and odd
//   modes:
//                        of 4 N M products and sums a quarter is left, N M per channel. Along a further axis
//                        the coefficients are complex and k, −k share their parts: (2 · ½ · ½ · 2) again N M
//                        per real number, M being the wavenumbers k ≥ 0.
//   mixing               per mode and sample a complex C × C product: four real products, 8 C², or three
//   after
//                        Gauss, 6 C². `MixingProducts` says which; three is the floor.
//   gradient             x̄ as much as forward (but none of the lift's), w̄ as much as forward without
//   transforms
// Not counted are activations, gates, losses, the additions of folding and of Gauss, the optimiser: they are
// what keeps an implementation above the floor.
#include <array>

#include "mno/core/shape.hpp"
#include "mno/spectral/wavenumbers.hpp"

namespace floor_count {

using mno::Index;

enum class MixingProducts { three = 3, four = 4 };

template <class S> struct Flops {
  std::array<Index, std::size_t(S::dimension)> points;
  MixingProducts mixing_products = MixingProducts::three;

  double size() const {
    double n = 1;
    for (Index p : points) n *= double(p);
    return n;
  }

  /// Per sample, all pointwise layers of the given channels.
  static double pointwise(double inputs, double outputs, double points) {
    return 2 * inputs * outputs * points;
  }
  double lift() const { return pointwise(mno::input_channels<S>(), S::width, size()); }
  double heads() const {
    const double hidden = mno::projection_width<S>();
    return 2 * pointwise(S::width, hidden, size()) + pointwise(hidden, (1 + S::rank) * S::channels, size());
  }
  double skip() const { return pointwise(S::width, S::width, size()); }

  /// One transform of `channels` fields, in either direction.
  double transform(double channels) const {
    const mno::Wavenumbers<S::dimension> waves(points, modes());
    const std::size_t last = std::size_t(S::dimension - 1);
    double rest = size(), flops = 0;  // rest: numbers per channel that the next axis begins with
    const auto half = [&](std::size_t d) {
      return double(d == last ? waves.count[d] : (waves.count[d] + 1) / 2);
    };
    flops += rest * half(last);
    rest *= 2 * half(last) / double(points[last]);
    for (std::size_t d = last; d-- > 0;) {
      flops += rest * half(d);
      rest *= double(waves.count[d]) / double(points[d]);
    }
    return channels * flops;
  }
  double mixing() const {
    const mno::Wavenumbers<S::dimension> waves(points, modes());
    return 2 * double(int(mixing_products)) * S::width * S::width * double(waves.size());
  }

  double layer() const { return 2 * transform(S::width) + mixing() + skip(); }
  double forward() const { return lift() + S::depth * layer() + heads(); }
  double gradient() const {  // forward, and the adjoint of everything
    const double input_bar = S::depth * layer() + heads();
    const double weight_bar = lift() + S::depth * (mixing() + skip()) + heads();
    return forward() + input_bar + weight_bar;
  }

 private:
  static std::array<Index, std::size_t(S::dimension)> modes() {
    std::array<Index, std::size_t(S::dimension)> m;
    m.fill(S::modes);
    return m;
  }
};

}  // namespace floor_count
