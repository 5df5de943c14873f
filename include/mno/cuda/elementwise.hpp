#pragma once
// What several layers need at every point and channel. A field's rows are its points, `pitch` numbers apart.
#include "mno/cuda/pass.hpp"
#include "mno/cuda/reduce.hpp"

namespace mno::cuda {

/// A view as kernels see it.
template <class T> struct Rows {
  T* data;
  Index pitch, channels;
  MNO_HOST_DEVICE T& operator()(Index i) const { return data[i / channels * pitch + i % channels]; }
};
template <class T, int D> Rows<T> rows(const View<T, D>& v) { return {v.data, v.pitch, v.channels}; }
template <class T, int D> Index numbers(const View<T, D>& v) { return v.rows() * v.channels; }

/// to = value
template <class T> struct SetTo {
  Rows<T> to;
  T value;
  MNO_HOST_DEVICE void operator()(Index i) const { to(i) = value; }
};

/// row = values, or row += values
template <class T> struct PutRows {
  const T* values;
  Rows<T> to;
  bool add;
  MNO_HOST_DEVICE void operator()(Index i) const {
    const T value = values[i % to.channels];
    to(i) = add ? to(i) + value : value;
  }
};
template <class T, int D> void put_rows(Cuda& device, const T* values, const View<T, D>& to, Write write) {
  device.for_each(numbers(to), PutRows<T>{values, rows(to), write == Write::add});
}

/// Σ over all rows, channel by channel
template <class T> struct ColumnTerm {
  Rows<const T> x;
  MNO_HOST_DEVICE T operator()(Index channel, Index row) const { return x.data[row * x.pitch + channel]; }
};
template <class T> struct AddTo {
  const T* from;
  T* to;
  MNO_HOST_DEVICE void operator()(Index i) const { to[i] += from[i]; }
};
/// sums[c] += Σ_rows x(row, c)
template <class T> void add_column_sums(Cuda& device, const MatrixView<const T>& x, T* sums) {
  const DeviceScope scope(device.arena());
  T* const total = device.arena().template scratch<T>(std::size_t(x.columns));
  reduce<T>(device, x.columns, x.rows, ColumnTerm<T>{{x.data, x.pitch, x.columns}}, total,
            Neighbours::segments);
  device.for_each(x.columns, AddTo<T>{total, sums});
}
template <class T, int D> void add_column_sums(Cuda& device, const View<const T, D>& x, T* sums) {
  add_column_sums<T>(device, as_matrix(x), sums);
}

namespace detail {
/// f(row, channel)
template <class F> struct AtNumber {
  F f;
  Index channels;
  MNO_HOST_DEVICE void operator()(Index i) const { f(i / channels, i % channels); }
};
template <class T, int D> struct Transfer {
  View<const T, D> x;
  View<T, D> y;
  T c;
  bool add;
  MNO_HOST_DEVICE void operator()(Index row, Index channel) const {
    const T value = c * x.row(row)[channel];
    T& to = y.row(row)[channel];
    to = add ? to + value : value;
  }
};
template <class T, int D> struct ProductOf {
  View<const T, D> a, b;
  View<T, D> y;
  bool add;
  MNO_HOST_DEVICE void operator()(Index row, Index channel) const {
    const T value = a.row(row)[channel] * b.row(row)[channel];
    T& to = y.row(row)[channel];
    to = add ? to + value : value;
  }
};
template <class T> struct PointOf {
  Rows<const T> y;
  Index points;
  MNO_HOST_DEVICE T operator()(Index sample, Index point) const {
    return y.data[(sample * points + point) * y.pitch];
  }
};
}  // namespace detail

}  // namespace mno::cuda

namespace mno {

template <class T, int D>
template <class F>
void DevicePass<T, D, Cuda>::for_each(const View<const T, D>& y, const F& f) {
  device_.for_each(cuda::numbers(y), cuda::detail::AtNumber<F>{f, y.channels});
}
template <class T, int D> void DevicePass<T, D, Cuda>::add_sample_sums(const View<const T, D>& y, T* sums) {
  const cuda::DeviceScope scope(device_.arena());
  T* const total = scratch_values(y.batch);
  cuda::reduce<T>(device_, y.batch, y.points(), cuda::detail::PointOf<T>{cuda::rows(y), y.points()}, total);
  device_.for_each(y.batch, cuda::AddTo<T>{total, sums});
}
template <class T, int D> void DevicePass<T, D, Cuda>::clear(const View<T, D>& y) {
  device_.for_each(cuda::numbers(y), cuda::SetTo<T>{cuda::rows(y), T(0)});
}
template <class T, int D>
void DevicePass<T, D, Cuda>::transfer(const View<const T, D>& x, const View<T, D>& y, Write write, double c) {
  for_each(y, cuda::detail::Transfer<T, D>{x, y, T(c), write == Write::add});
}
template <class T, int D>
void DevicePass<T, D, Cuda>::multiply(const View<const T, D>& a, const View<const T, D>& b,
                                      const View<T, D>& y, Write write) {
  for_each(y, cuda::detail::ProductOf<T, D>{a, b, y, write == Write::add});
}

}  // namespace mno
