#pragma once
// The input of an operator: [u_0, t, known fields, coordinates] side by side, and its adjoint.
#include <numbers>

#include "mno/device/workspace.hpp"
#include "mno/model/condition.hpp"
#include "mno/spectral/resample.hpp"

namespace mno {

template <int D> struct CoordinateKey {
  Grid<D> grid;
  int harmonics = 0;
  bool operator==(const CoordinateKey&) const = default;
};

/// cos and sin of 2π h x_d / L_d for every axis d and harmonic h: (point, axis, harmonic, cos|sin). Periodic,
/// so they mean the same on every grid.
template <class T, int D> class Coordinates {
 public:
  explicit Coordinates(const CoordinateKey<D>& key)
      : key_(key), table_(std::size_t(key.grid.size() * channels())) {
    Field<T, D> field(1, key.grid, std::max<Index>(channels(), 1));
    if (channels() == 0) return;
    fill(field, [&](const std::array<double, D>& x, Index c) {
      const auto axis = std::size_t(c / (2 * key.harmonics));
      const double angle = 2 * std::numbers::pi * double(c % (2 * key.harmonics) / 2 + 1) * x[axis] /
                           key.grid.domain.length[axis];
      return c % 2 == 0 ? std::cos(angle) : std::sin(angle);
    });
    std::copy_n(field.data(), table_.size(), table_.data());
  }
  bool matches(const CoordinateKey<D>& key) const { return key == key_; }
  Index channels() const { return Index(2) * D * key_.harmonics; }
  const T* row(Index point) const { return table_.data() + point * channels(); }

 private:
  CoordinateKey<D> key_;
  Buffer<T> table_;
};

/// Writes samples [first, first + x.batch) of the condition into x (sample, grid…, input channel), zeroed
/// before.
template <Shape S, class T, int D>
void assemble(const Condition<T, D>& condition, View<const T, D> stored, Index first, View<T, D> x,
              Workspace& workspace) {
  constexpr Index channels = S::channels, fields = known_fields<S>();
  for (Index b = 0; b < x.batch; ++b)
    for (Index p = 0; p < x.points(); ++p) {
      for (Index c = 0; c < channels; ++c) x(b, p, c) = condition.initial(first + b, p, c);
      x(b, p, channels) = condition.time(first + b);
    }
  if constexpr (fields > 0) {
    const bool one = !condition.known || condition.known.batch == 1;
    for (Index b = 0; b < x.batch; ++b) {
      const View<T, D> to = x.samples(b, 1).slice(channels + 1, fields);
      if (condition.known || stored.grid == x.grid) {
        const View<const T, D> from =
            condition.known ? condition.known.samples(one ? 0 : first + b, 1) : stored;
        for (Index p = 0; p < x.points(); ++p) std::copy_n(from.row(p), fields, to.row(p));
      } else if (b == 0) {
        resample_into<T, D>(stored, to, workspace);
      } else {
        for (Index p = 0; p < x.points(); ++p) std::copy_n(x.row(p) + channels + 1, fields, to.row(p));
      }
    }
  }
  if constexpr (coordinate_harmonics<S>() > 0) {
    const auto& coordinates =
        workspace.cache.get<Coordinates<T, D>>(CoordinateKey<D>{x.grid, coordinate_harmonics<S>()});
    for (Index b = 0; b < x.batch; ++b)
      for (Index p = 0; p < x.points(); ++p)
        std::copy_n(coordinates.row(p), coordinates.channels(), &x(b, p, channels + 1 + fields));
  }
}

/// Where the gradient with respect to the condition goes, for who asks: ū_0, t̄ (one per sample) and the known
/// fields' cotangent (one set per sample). Empty members are not computed.
template <class T, int D> struct ConditionBar {
  View<T, D> initial{};
  std::span<T> times{};
  View<T, D> known{};
  bool wanted() const { return initial || !times.empty() || known; }
};

/// Adds x̄ of a block to the cotangents of what x was assembled from.
template <Shape S, class T, int D>
void assemble_adjoint(View<const T, D> xbar, Index first, const ConditionBar<T, D>& bar) {
  constexpr Index channels = S::channels, fields = known_fields<S>();
  for (Index b = 0; b < xbar.batch; ++b)
    for (Index p = 0; p < xbar.points(); ++p) {
      if (bar.initial)
        for (Index c = 0; c < channels; ++c) bar.initial(first + b, p, c) += xbar(b, p, c);
      if (!bar.times.empty()) bar.times[std::size_t(first + b)] += xbar(b, p, channels);
      if (bar.known)
        for (Index f = 0; f < fields; ++f) bar.known(first + b, p, f) += xbar(b, p, channels + 1 + f);
    }
}

}  // namespace mno
