#pragma once
// A thin QR factorisation in place: all that the small algebra of laws needs of it.
//
// Householder reflections one column at a time. Eigen's QR classes do the same in blocks and pay for it in
// compile time: a program that takes a log density compiles in half the time this way.
#include <Eigen/Core>
#include <Eigen/Householder>
#include <algorithm>

#include "mno/core/grid.hpp"

namespace mno::detail {

/// [A D] → [R QᵀD] with A = QR: A is the first `columns` columns, R upper triangular with exact zeros below.
template <class Matrix> void triangularise(Matrix& a, Index columns) {
  Eigen::VectorX<typename Matrix::Scalar> workspace(a.cols());
  for (Index k = 0; k < std::min(columns, a.rows() - 1); ++k) {
    const Index rows = a.rows() - k, right = a.cols() - k - 1;
    double tau = 0, diagonal = 0;
    a.col(k).tail(rows).makeHouseholderInPlace(tau, diagonal);
    a.bottomRightCorner(rows, right)
        .applyHouseholderOnTheLeft(a.col(k).tail(rows - 1), tau, workspace.data());
    a(k, k) = diagonal;
    a.col(k).tail(rows - 1).setZero();
  }
}

}  // namespace mno::detail
