#pragma once
// What a law is conditioned on, in the device's memory, and the operator's input made of it:
// [u_0, t, known fields, coordinates] side by side.
#include <numbers>

#include "mno/cuda/elementwise.hpp"
#include "mno/model/refined.hpp"

namespace mno::cuda {

/// A condition whose views point to the device. `known` has one set of fields, or one per sample.
template <class T, int D> struct DeviceCondition {
  View<const T, D> initial{};
  const T* times = nullptr;  // (sample)
  View<const T, D> known{};
};
/// Where its cotangent goes; empty members are not computed. Known fields: one set per sample.
template <class T, int D> struct DeviceConditionBar {
  View<T, D> initial{};
  T* times = nullptr;
  View<T, D> known{};
  bool wanted() const { return initial || times || known; }
};

namespace detail {

template <class T, int D> struct Assemble {
  const T* initial;
  Index initial_pitch;
  const T *times, *known;
  bool known_per_sample;
  Index channels, fields, harmonics;
  std::array<Index, D> points;
  Index all_points;
  Rows<T> x;
  MNO_HOST_DEVICE void operator()(Index i) const {
    const Index row = i / x.channels, c = i % x.channels, sample = row / all_points, point = row % all_points;
    if (c < channels)
      x(i) = initial[row * initial_pitch + c];
    else if (c == channels)
      x(i) = times[sample];
    else if (c <= channels + fields)
      x(i) = known[(known_per_sample ? row : point) * fields + c - channels - 1];
    else
      x(i) = coordinate(point, c - channels - 1 - fields);
  }
  /// cos or sin of 2π h x_d / L_d: channel (axis, harmonic, cos|sin)
  MNO_HOST_DEVICE T coordinate(Index point, Index c) const {
    const Index axis = c / (2 * harmonics);
    Index rest = point;
    for (Index d = D - 1; d > axis; --d) rest /= points[std::size_t(d)];
    const Index n = points[std::size_t(axis)];
    const double angle =
        2 * std::numbers::pi * double(c % (2 * harmonics) / 2 + 1) * (double(rest % n) / double(n));
    return T(c % 2 == 0 ? std::cos(angle) : std::sin(angle));
  }
};

template <class T> struct AddChannel {
  Rows<const T> xbar;
  Index channel, points;
  MNO_HOST_DEVICE T operator()(Index sample, Index point) const {
    return xbar.data[(sample * points + point) * xbar.pitch + channel];
  }
};

}  // namespace detail

/// x: (sample, grid…, input channel)
template <Shape S, class T, int D>
void assemble(Cuda& device, const DeviceCondition<T, D>& condition, const View<T, D>& x) {
  device.for_each(
      numbers(x),
      detail::Assemble<T, D>{condition.initial.data, condition.initial.pitch, condition.times,
                             condition.known.data, condition.known.batch > 1, S::channels, known_fields<S>(),
                             coordinate_harmonics<S>(), x.grid.points, x.points(), rows(x)});
}

/// Adds x̄ to the cotangents of what x was assembled from.
template <Shape S, class T, int D>
void assemble_adjoint(Cuda& device, const View<const T, D>& xbar, const DeviceConditionBar<T, D>& bar) {
  constexpr Index channels = S::channels, fields = known_fields<S>();
  if (bar.initial) transfer<T, D>(device, xbar.slice(0, channels), bar.initial, Write::add);
  if (bar.known) transfer<T, D>(device, xbar.slice(channels + 1, fields), bar.known, Write::add);
  if (bar.times) {
    const DeviceScope scope(device.arena());
    T* const sums = device.arena().template scratch<T>(std::size_t(xbar.batch));
    reduce<T>(device, xbar.batch, xbar.points(), detail::AddChannel<T>{rows(xbar), channels, xbar.points()},
              sums);
    device.for_each(xbar.batch, AddTo<T>{sums, bar.times});
  }
}

/// A host condition's samples [first, first + count) in the device's memory, for as long as the computation
/// runs. `known` are the fields on the condition's grid (or empty).
template <class T, int D>
DeviceCondition<T, D> uploaded(Cuda& device, const Condition<T, D>& condition, const View<const T, D>& known,
                               Index first, Index count) {
  const auto dense = [&](const View<const T, D>& view) {
    const std::size_t n = std::size_t(numbers(view));
    T* const to = device.arena().template keep<T>(n);
    if (view.pitch == view.channels) {
      device.upload(view.data, to, n);
    } else if (!device.measuring()) {
      std::vector<T> together(n);
      for (Index r = 0; r < view.rows(); ++r)
        std::copy_n(view.row(r), view.channels, together.data() + r * view.channels);
      device.upload(together.data(), to, n);
      device.wait();
    }
    return View<const T, D>{to, view.batch, view.grid, view.channels, view.channels};
  };
  DeviceCondition<T, D> result;
  result.initial = dense(condition.initial.samples(first, count));
  std::vector<T> times(std::size_t(count), T(0));
  for (Index b = 0; b < count; ++b) times[std::size_t(b)] = condition.time(first + b);
  T* const to = device.arena().template keep<T>(std::size_t(count));
  device.upload(times.data(), to, times.size());
  if (!device.measuring()) device.wait();
  result.times = to;
  if (known) result.known = dense(known.batch == 1 ? known : known.samples(first, count));
  return result;
}

/// The known fields that go with a condition, on its grid: its own, or the model's; empty where there are
/// none.
template <class M> class KnownFields {
 public:
  using T = typename M::Scalar;
  static constexpr int D = M::dimension;

  KnownFields(const M& model, const Condition<T, D>& condition) {
    constexpr Index fields = known_fields<typename M::ShapeType>();
    if (fields == 0) return;
    const Field<T, D>& stored = model.stored_known_fields();
    if (condition.known) {
      view_ = condition.known;
      return;
    }
    Grid<D> seen = condition.initial.grid;
    const auto factor = mno::detail::refinement(seen, model.least_points());
    for (std::size_t d = 0; d < std::size_t(D); ++d) seen.points[d] *= factor[d];
    if (stored.grid() == seen) {
      view_ = stored.view();
    } else {
      resampled_ = resample<T, D>(stored, seen.points);
      view_ = std::as_const(resampled_).view();
    }
  }
  const View<const T, D>& view() const { return view_; }

 private:
  Field<T, D> resampled_;
  View<const T, D> view_{};
};

}  // namespace mno::cuda
