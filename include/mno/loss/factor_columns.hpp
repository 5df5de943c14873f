#pragma once
// A factor as a plain matrix in double: what terms of the whole covariance work on.
#include "mno/device/product.hpp"
#include "mno/device/workspace.hpp"
#include "mno/law/block.hpp"
#include "mno/law/factor.hpp"

namespace mno::detail {

/// This thread's memory for terms that need some: it grows once and is used again.
inline Arena& loss_scratch() {
  thread_local Arena arena;
  return arena;
}

inline MatrixView<double> zeros(Arena& arena, Index rows, Index columns) {
  double* const data = arena.take<double>(std::size_t(rows * columns));
  std::fill_n(data, rows * columns, 0.0);
  return {data, rows, columns, columns};
}

/// One sample's factor transposed, Bᵀ: (entry x·C + c, k) from channel k·C + c.
template <class T, int D>
MatrixView<double> factor_columns(Arena& arena, View<const T, D> factor, Index sample, Index channels) {
  const Index points = factor.points(), rank = factor.channels / channels;
  const MatrixView<double> columns = zeros(arena, points * channels, rank);
  for (Index x = 0; x < points; ++x)
    for (Index c = 0; c < channels; ++c)
      for (Index k = 0; k < rank; ++k)
        columns.data[(x * channels + c) * rank + k] =
            double(factor(sample, x, factor_channel(k, c, channels)));
  return columns;
}
/// Its adjoint: adds scale · columns to a factor's cotangent.
template <class T, int D>
void add_factor_columns(View<T, D> factor_bar, Index sample, Index channels, MatrixView<const double> columns,
                        double scale) {
  const Index points = factor_bar.points(), rank = factor_bar.channels / channels;
  for (Index x = 0; x < points; ++x)
    for (Index c = 0; c < channels; ++c)
      for (Index k = 0; k < rank; ++k)
        factor_bar(sample, x, factor_channel(k, c, channels)) +=
            T(scale * columns.data[(x * channels + c) * columns.pitch + k]);
}

/// d = η² of an entry x·C + c, and its adjoint η̄ += 2 d̄ η.
template <class T, int D>
MNO_HOST_DEVICE double nugget_variance(const LawBlock<T, D>& law, Index sample, Index entry) {
  if (!law.nugget) return 0;
  const Index channels = law.mean.channels;
  const double eta = double(law.nugget(sample, entry / channels, entry % channels));
  return eta * eta;
}
template <class T, int D>
MNO_HOST_DEVICE void add_nugget_variance_bar(const LawBlock<T, D>& law, Index sample, Index entry,
                                             double bar) {
  const Index x = entry / law.mean.channels, c = entry % law.mean.channels;
  if (law.nugget_bar) law.nugget_bar(sample, x, c) += T(2 * bar * double(law.nugget(sample, x, c)));
}

inline MatrixView<const double> row(MatrixView<const double> m, Index i) {
  return {m.data + i * m.pitch, 1, m.columns, m.columns};
}
inline double sum_of_squares(MatrixView<const double> m) {
  double sum = 0;
  for (Index i = 0; i < m.rows * m.columns; ++i) sum += m.data[i] * m.data[i];
  return sum;
}

}  // namespace mno::detail
