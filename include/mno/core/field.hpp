#pragma once
// Fields: a batch of functions with several channels on a grid, stored channel-last.
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <type_traits>

#include "mno/core/buffer.hpp"
#include "mno/core/error.hpp"
#include "mno/core/grid.hpp"
#include "mno/core/host_device.hpp"

namespace mno {

/// Somebody's (batch, grid…, channel) data, row-major; consecutive points lie `pitch` elements apart, so a
/// slice of channels is a view too.
template <class T, int D> struct View {
  using Scalar = std::remove_const_t<T>;
  static constexpr int dimension = D;

  T* data = nullptr;
  Index batch = 0;
  Grid<D> grid{};
  Index channels = 0;
  Index pitch = 0;

  MNO_HOST_DEVICE Index points() const { return grid.size(); }
  MNO_HOST_DEVICE Index rows() const { return batch * grid.size(); }
  MNO_HOST_DEVICE explicit operator bool() const { return data != nullptr; }
  /// A view that writes is also one that reads. A template, since nvcc warns of a plain conversion that a
  /// view that only reads would have to itself.
  template <class U> operator View<U, D>() const requires(std::is_same_v<U, const T> && !std::is_const_v<T>) {
    return {data, batch, grid, channels, pitch};
  }

  /// Entry of one sample, one point (row-major over the grid), one channel.
  MNO_HOST_DEVICE T& operator()(Index sample, Index point, Index channel) const {
    return data[(sample * points() + point) * pitch + channel];
  }
  MNO_HOST_DEVICE T* row(Index r) const { return data + r * pitch; }

  /// f(x, channel), or f(sample, x, channel), at every point: how an initial condition is usually written
  /// down. x is the physical coordinate, an array of D numbers.
  template <class Function> void fill(Function&& f) const {
    for (Index b = 0; b < batch; ++b)
      for (Index p = 0; p < points(); ++p) {
        std::array<double, D> x{};
        Index rest = p;
        for (int d = D - 1; d >= 0; --d) {
          const auto axis = std::size_t(d);
          x[axis] = grid.domain.length[axis] * double(rest % grid.points[axis]) / double(grid.points[axis]);
          rest /= grid.points[axis];
        }
        for (Index c = 0; c < channels; ++c) {
          if constexpr (std::is_invocable_v<Function, Index, std::array<double, D>, Index>)
            (*this)(b, p, c) = T(f(b, x, c));
          else
            (*this)(b, p, c) = T(f(x, c));
        }
      }
  }

  View slice(Index first, Index count) const { return {data + first, batch, grid, count, pitch}; }
  View samples(Index first, Index count) const {
    return {data + first * points() * pitch, count, grid, channels, pitch};
  }
};

/// A field that owns its data: (batch, grid…, channel), all zero at first.
template <class T, int D> class Field {
  static_assert(std::is_floating_point_v<T>, "mno: a field holds float or double");

 public:
  using Scalar = T;
  static constexpr int dimension = D;

  Field() = default;
  Field(Index batch, Grid<D> grid, Index channels) : batch_(batch), grid_(grid), channels_(channels) {
    require(batch >= 1, "Field", "batch", Text("at least one sample"), Text(batch));
    require(channels >= 1, "Field", "channels", Text("at least one channel"), Text(channels));
    for (int d = 0; d < D; ++d) {
      const auto axis = std::size_t(d);
      require(grid.points[axis] >= 1, "Field", "grid", Text("at least one point on axis ", d),
              Text(grid.points[axis]));
      require(std::isfinite(grid.domain.length[axis]) && grid.domain.length[axis] > 0, "Field", "grid",
              Text("a positive length on axis ", d), Text(grid.domain.length[axis]));
    }
    Index room = std::numeric_limits<Index>::max() / Index(sizeof(T)) / batch / channels;  // points that fit
    for (Index n : grid.points) room /= n;
    require(room >= 1, "Field", "grid", Text("at most ", std::numeric_limits<Index>::max(), " bytes in all"),
            Text(batch, " samples of ", channels, " channels on a grid that needs more"));
    buffer_ = Buffer<T>(std::size_t(batch * grid.size() * channels), BufferUse::data);
  }

  Index batch() const { return batch_; }
  Index channels() const { return channels_; }
  Index points() const { return grid_.size(); }
  const Grid<D>& grid() const { return grid_; }

  T* data() { return buffer_.data(); }
  const T* data() const { return buffer_.data(); }
  std::size_t size() const { return buffer_.size(); }
  bool large() const { return buffer_.large(); }  // see io/disk_memory.hpp
  std::span<T> span() { return buffer_.span(); }
  std::span<const T> span() const { return buffer_.span(); }

  View<T, D> view() { return {data(), batch_, grid_, channels_, channels_}; }
  View<const T, D> view() const { return {data(), batch_, grid_, channels_, channels_}; }
  operator View<T, D>() { return view(); }
  operator View<const T, D>() const { return view(); }

  T& operator()(Index sample, Index point, Index channel) { return view()(sample, point, channel); }
  const T& operator()(Index sample, Index point, Index channel) const {
    return view()(sample, point, channel);
  }
  /// f(x, channel), or f(sample, x, channel), at every point: see View.
  template <class Function> void fill(Function&& f) { view().fill(f); }

 private:
  Index batch_ = 0;
  Grid<D> grid_{};
  Index channels_ = 0;
  Buffer<T> buffer_;
};

template <class T, int D> bool all_finite(View<const T, D> field) {
  for (Index r = 0; r < field.rows(); ++r)
    for (Index c = 0; c < field.channels; ++c)
      if (!std::isfinite(field.row(r)[c])) return false;
  return true;
}

}  // namespace mno
