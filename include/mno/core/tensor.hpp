#pragma once
// Eigen Tensors in and out. Where layouts agree (row-major, channel-last) nothing is copied; data that is
// channel-first, as (batch, channel, grid…) files are, goes through one copy.
#include <unsupported/Eigen/CXX11/Tensor>

#include "mno/core/channel_first.hpp"
#include "mno/core/field.hpp"

namespace mno {

template <class T, int D> using Tensor = Eigen::Tensor<T, D + 2, Eigen::RowMajor>;  // (batch, grid…, channel)
template <class T, int D> using TensorView = Eigen::TensorMap<Eigen::Tensor<T, D + 2, Eigen::RowMajor>>;

namespace detail {
template <int D>
Eigen::array<Eigen::Index, D + 2> tensor_dimensions(Index batch, const Grid<D>& grid, Index channels) {
  Eigen::array<Eigen::Index, D + 2> n{};
  n[0] = batch;
  for (std::size_t d = 0; d < std::size_t(D); ++d) n[d + 1] = grid.points[d];
  n[D + 1] = channels;
  return n;
}
}  // namespace detail

/// The field's own data as an Eigen Tensor (batch, grid…, channel): no copy.
template <class T, int D> TensorView<T, D> tensor(Field<T, D>& field) {
  return {field.data(), detail::tensor_dimensions<D>(field.batch(), field.grid(), field.channels())};
}
template <class T, int D> TensorView<const T, D> tensor(const Field<T, D>& field) {
  return {field.data(), detail::tensor_dimensions<D>(field.batch(), field.grid(), field.channels())};
}

/// A tensor's data (batch, grid…, channel) as a view that every mno call accepts: no copy.
template <class T, int D = 1>
View<const T, D> view(const Eigen::Tensor<T, D + 2, Eigen::RowMajor>& t, Domain<D> domain = {}) {
  Grid<D> grid{{}, domain};
  for (std::size_t d = 0; d < std::size_t(D); ++d) grid.points[d] = t.dimension(d + 1);
  return {t.data(), t.dimension(0), grid, t.dimension(D + 1), t.dimension(D + 1)};
}

/// From data as most files have it, (batch, channel, grid…): one copy.
template <class T, int D = 1>
Field<T, D> from_channel_first(const Eigen::Tensor<T, D + 2, Eigen::RowMajor>& t, Domain<D> domain = {}) {
  Grid<D> grid{{}, domain};
  for (std::size_t d = 0; d < std::size_t(D); ++d) grid.points[d] = t.dimension(d + 2);
  Field<T, D> field(t.dimension(0), grid, t.dimension(1));
  from_channel_first(std::span<const T>(t.data(), std::size_t(t.size())), field.view());
  return field;
}
template <class T, int D> Tensor<T, D> to_channel_first(const Field<T, D>& field) {
  Eigen::array<Eigen::Index, D + 2> n{};
  n[0] = field.batch();
  n[1] = field.channels();
  for (std::size_t d = 0; d < std::size_t(D); ++d) n[d + 2] = field.grid().points[d];
  Tensor<T, D> t(n);
  to_channel_first(field.view(), std::span<T>(t.data(), std::size_t(t.size())));
  return t;
}

}  // namespace mno
