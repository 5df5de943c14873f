#pragma once
// The input of an operator: [u_0, t, known fields, coordinates] side by side, and its adjoint.
//
// Between walls no two places are alike, but the layers treat all places alike, so they need the place as an
// input. On a bounded axis it is added to the time, in one channel:
//
//     t + Σ_{d bounded} cos(2πx_d/L_d),   L_d the length of the box (spectral/box.hpp).
//
// Its mean is t, and every axis has a wave of its own, which spectral layers can tell apart. So there is no
// further channel, and a shape need not know about walls.
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

template <int D>
MNO_HOST_DEVICE double place_between_walls(const Grid<D>& box, const std::array<bool, std::size_t(D)>& walls,
                                           Index point) {
  double sum = 0;
  for (std::size_t d = std::size_t(D); d-- > 0;) {
    const Index n = box.points[d];
    if (walls[d]) sum += std::cos(2 * std::numbers::pi * double(point % n) / double(n));
    point /= n;
  }
  return sum;
}

template <int D> struct PlaceKey {
  Grid<D> box;
  std::array<bool, std::size_t(D)> walls;
  bool operator==(const PlaceKey&) const = default;
};
/// place_between_walls of every point.
template <class T, int D> class Places {
 public:
  explicit Places(const PlaceKey<D>& key) : key_(key), table_(std::size_t(key.box.size())) {
    for (Index i = 0; i < key.box.size(); ++i)
      table_.data()[i] = T(place_between_walls(key.box, key.walls, i));
  }
  bool matches(const PlaceKey<D>& key) const { return key == key_; }
  const T* data() const { return table_.data(); }

 private:
  PlaceKey<D> key_;
  Buffer<T> table_;
};

namespace detail {

/// x at a row, a point of a sample, in one channel.
template <class M> struct Assemble {
  using S = typename M::ShapeType;
  using T = typename M::Scalar;
  static constexpr int D = S::dimension;
  static constexpr Index channels = S::channels, fields = known_fields<S>(),
                         harmonics = coordinate_harmonics<S>();
  View<const T, D> initial, known;  // known: one set of fields, or one per sample
  const T* times;
  const T* table;   // of Coordinates, or null: then they are computed
  const T* places;  // of Places, likewise
  std::array<bool, std::size_t(D)> walls;
  bool bounded;  // are there walls?
  typename M::InputUnits units;
  View<T, D> x;
  MNO_HOST_DEVICE void operator()(Index row, Index c) const { x.row(row)[c] = value(row, c); }
  MNO_HOST_DEVICE T value(Index row, Index c) const {
    if (c < channels)
      return (initial.row(row)[c] - units.shift[std::size_t(c)]) / units.scale[std::size_t(c)];
    const Index points = x.points(), point = row % points;
    if (c == channels) return bounded ? times[row / points] + place(point) : times[row / points];
    if constexpr (fields > 0) {
      const Index k = c - channels - 1;
      if (k < fields)
        return (known.row(known.batch == 1 ? point : row)[k] - units.known_shift[std::size_t(k)]) /
               units.known_scale[std::size_t(k)];
    }
    if constexpr (harmonics > 0) {
      const Index k = c - channels - 1 - fields;
      return table ? table[point * 2 * D * harmonics + k] : T(coordinate(x.grid, harmonics, point, k));
    }
    return T(0);
  }
  MNO_HOST_DEVICE T place(Index point) const {
    return places ? places[point] : T(place_between_walls(x.grid, walls, point));
  }
};

/// The input of samples [first, first + count): (sample, grid…, input channel), kept by the pass.
/// `condition` is what the layers see, on their grid; `walls` are those of the given one.
template <class M, class T, int D, class Device>
View<T, D> model_input(const M& model, const Condition<T, D>& condition,
                       const std::array<bool, std::size_t(D)>& walls, Pass<T, D, Device>& pass, Index first,
                       Index count) {
  using S = typename M::ShapeType;
  const View<const T, D> u = condition.initial.samples(first, count);
  const View<T, D> x = pass.keep_uninitialised(u, input_channels<S>());
  const CoordinateKey<D> key{x.grid, coordinate_harmonics<S>()};
  const T* table = nullptr;
  if constexpr (coordinate_harmonics<S>() > 0 && requires { pass.template cached<Coordinates<T, D>>(key); })
    table = pass.template cached<Coordinates<T, D>>(key).data();
  const bool bounded = model.domain().has_walls();
  const T* places = nullptr;
  if constexpr (requires { pass.template cached<Places<T, D>>(PlaceKey<D>{x.grid, walls}); })
    if (bounded) places = pass.template cached<Places<T, D>>(PlaceKey<D>{x.grid, walls}).data();
  pass.for_each(
      x, Assemble<M>{u, condition.known.batch > 1 ? condition.known.samples(first, count) : condition.known,
                     condition.times.data() + first, table, places, walls, bounded, model.input_units(), x});
  return x;
}

/// Adds x̄ of a block to the cotangents of what x was assembled from.
template <class M, class T, int D, class Device>
void add_input_bar(const M& model, const View<const T, D>& xbar, Index first, const ConditionBar<T, D>& bar,
                   Pass<T, D, Device>& pass) {
  using S = typename M::ShapeType;
  constexpr Index channels = S::channels;
  if (bar.initial)
    for (Index c = 0; c < channels; ++c)
      pass.transfer(xbar.slice(c, 1), bar.initial.samples(first, xbar.batch).slice(c, 1), Write::add,
                    1 / double(model.input_units().scale[std::size_t(c)]));
  if (!bar.times.empty()) pass.add_sample_sums(xbar.slice(channels, 1), bar.times.data() + first);
  if constexpr (known_fields<S>() > 0)
    if (bar.known)
      for (Index k = 0; k < known_fields<S>(); ++k)
        pass.transfer(xbar.slice(channels + 1 + k, 1), bar.known.samples(first, xbar.batch).slice(k, 1),
                      Write::add, 1 / double(model.input_units().known_scale[std::size_t(k)]));
}

}  // namespace detail
}  // namespace mno
