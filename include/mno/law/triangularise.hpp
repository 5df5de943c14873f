#pragma once
// A thin QR factorisation in place: all that the small algebra of laws needs of it.
//
// Householder reflections one column at a time, in plain loops. Eigen's QR classes do the same in blocks and
// pay for it in compile time: a program that takes a log density compiles in half the time this way.
#include <Eigen/Core>
#include <algorithm>
#include <cmath>

#include "mno/core/grid.hpp"

namespace mno::detail {

/// [A D] → [R QᵀD] with A = QR: A is the first `columns` columns, R upper triangular with exact zeros below.
/// H = I − τ v vᵀ with v_0 = 1 leaves only the first entry of a column x: −sign(x_0)|x|.
template <class Matrix> void triangularise(Matrix& a, Index columns) {
  static_assert(!Matrix::IsRowMajor, "mno: triangularise goes along columns");
  for (Index k = 0; k < std::min<Index>(columns, a.rows() - 1); ++k) {
    const Index rows = a.rows() - k;
    auto* x = &a(k, k);
    auto tail = 0 * x[0];
    for (Index i = 1; i < rows; ++i) tail += x[i] * x[i];
    if (tail == 0) continue;
    const auto norm = std::sqrt(x[0] * x[0] + tail), left = x[0] > 0 ? -norm : norm,
               tau = (left - x[0]) / left, scale = 1 / (x[0] - left);
    for (Index i = 1; i < rows; ++i) x[i] *= scale;  // v
    for (Index j = k + 1; j < a.cols(); ++j) {
      auto* y = &a(k, j);
      auto along = y[0];
      for (Index i = 1; i < rows; ++i) along += x[i] * y[i];
      y[0] -= tau * along;
      for (Index i = 1; i < rows; ++i) y[i] -= tau * along * x[i];
    }
    x[0] = left;
    std::fill(x + 1, x + rows, 0 * left);
  }
}

}  // namespace mno::detail
