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

/// to = scale·from, or to += that
template <class T> struct Transfer {
  Rows<const T> from;
  Rows<T> to;
  T scale;
  bool add;
  MNO_HOST_DEVICE void operator()(Index i) const {
    const T value = scale * from(i);
    to(i) = add ? to(i) + value : value;
  }
};
template <class T, int D>
void transfer(Cuda& device, const View<const T, D>& from, const View<T, D>& to, Write write, T scale = 1) {
  device.for_each(numbers(to), Transfer<T>{rows(from), rows(to), scale, write == Write::add});
}

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
template <class T> void add_column_sums(Cuda& device, const Matrix<const T>& x, T* sums) {
  const DeviceScope scope(device.arena());
  T* const total = device.arena().template scratch<T>(std::size_t(x.columns));
  reduce<T>(device, x.columns, x.rows, ColumnTerm<T>{{x.data, x.pitch, x.columns}}, total,
            Neighbours::segments);
  device.for_each(x.columns, AddTo<T>{total, sums});
}
template <class T, int D> void add_column_sums(Cuda& device, const View<const T, D>& x, T* sums) {
  add_column_sums<T>(device, matrix(x), sums);
}

}  // namespace mno::cuda
