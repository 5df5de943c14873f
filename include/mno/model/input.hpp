#pragma once
// The input of an operator: [u_0, t, known fields, coordinates] side by side, and its adjoint.
#include <cmath>
#include <numbers>

#include "mno/layer/pass.hpp"
#include "mno/model/condition.hpp"

namespace mno {

/// cos or sin of 2π h x_d / L_d at a point; c: (axis, harmonic, cos|sin). Periodic, so it means the same on
/// every grid.
template <int D>
MNO_HOST_DEVICE double coordinate(const Grid<D>& grid, Index harmonics, Index point, Index c) {
  const auto axis = std::size_t(c / (2 * harmonics));
  for (std::size_t d = std::size_t(D) - 1; d > axis; --d) point /= grid.points[d];
  const Index n = grid.points[axis];
  const double length = grid.domain.length[axis], x = length * double(point % n) / double(n);
  const double angle = 2 * std::numbers::pi * double(c % (2 * harmonics) / 2 + 1) * x / length;
  return c % 2 == 0 ? std::cos(angle) : std::sin(angle);
}

template <int D> struct CoordinateKey {
  Grid<D> grid;
  int harmonics = 0;
  bool operator==(const CoordinateKey&) const = default;
};

/// All coordinates of a grid: (point, axis, harmonic, cos|sin).
template <class T, int D> class Coordinates {
 public:
  explicit Coordinates(const CoordinateKey<D>& key)
      : key_(key), table_(std::size_t(key.grid.size() * channels())) {
    for (Index i = 0; i < Index(table_.size()); ++i)
      table_.data()[i] = T(coordinate(key.grid, key.harmonics, i / channels(), i % channels()));
  }
  bool matches(const CoordinateKey<D>& key) const { return key == key_; }
  Index channels() const { return Index(2) * D * key_.harmonics; }
  const T* data() const { return table_.data(); }

 private:
  CoordinateKey<D> key_;
  Buffer<T> table_;
};

namespace detail {

/// x at a row, a point of a sample, in one channel.
template <Problem S, class T> struct Assemble {
  static constexpr int D = S::dimension;
  static constexpr Index channels = S::channels, fields = known_fields<S>(),
                         harmonics = coordinate_harmonics<S>();
  View<const T, D> initial, known;  // known: one set of fields, or one per sample
  const T* times;
  const T* table;  // of Coordinates, or null: then they are computed
  View<T, D> x;
  MNO_HOST_DEVICE void operator()(Index row, Index c) const { x.row(row)[c] = value(row, c); }
  MNO_HOST_DEVICE T value(Index row, Index c) const {
    if (c < channels) return initial.row(row)[c];
    const Index points = x.points(), point = row % points;
    if (c == channels) return times[row / points];
    if (c <= channels + fields) return known.row(known.batch == 1 ? point : row)[c - channels - 1];
    if constexpr (harmonics > 0) {
      const Index k = c - channels - 1 - fields;
      return table ? table[point * 2 * D * harmonics + k] : T(coordinate(x.grid, harmonics, point, k));
    }
    return T(0);
  }
};

/// The input of samples [first, first + count): (sample, grid…, input channel), kept by the pass.
template <Problem S, class T, int D, class Device>
View<T, D> model_input(const Condition<T, D>& condition, Pass<T, D, Device>& pass, Index first, Index count) {
  const View<const T, D> u = condition.initial.samples(first, count);
  const View<T, D> x = pass.keep_uninitialised(u, input_channels<S>());
  const CoordinateKey<D> key{x.grid, coordinate_harmonics<S>()};
  const T* table = nullptr;
  if constexpr (coordinate_harmonics<S>() > 0 && requires { pass.template cached<Coordinates<T, D>>(key); })
    table = pass.template cached<Coordinates<T, D>>(key).data();
  pass.for_each(x, Assemble<S, T>{
                       u, condition.known.batch > 1 ? condition.known.samples(first, count) : condition.known,
                       condition.times.data() + first, table, x});
  return x;
}

/// Adds x̄ of a block to the cotangents of what x was assembled from.
template <Problem S, class T, int D, class Device>
void add_input_bar(const View<const T, D>& xbar, Index first, const ConditionBar<T, D>& bar,
                   Pass<T, D, Device>& pass) {
  constexpr Index channels = S::channels;
  if (bar.initial) pass.transfer(xbar.slice(0, channels), bar.initial.samples(first, xbar.batch), Write::add);
  if (!bar.times.empty()) pass.add_sample_sums(xbar.slice(channels, 1), bar.times.data() + first);
  if (bar.known)
    pass.transfer(xbar.slice(channels + 1, known_fields<S>()), bar.known.samples(first, xbar.batch),
                  Write::add);
}

}  // namespace detail
}  // namespace mno
