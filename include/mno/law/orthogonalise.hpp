#pragma once
// Singular values and vectors of a small square matrix: all that conditioning needs of them.
//   J. Demmel, K. Veselić, "Jacobi's method is more accurate than QR", 1992.
//
// Rotations of pairs of columns, in plain loops, until all are orthogonal; small singular values keep their
// relative accuracy. Eigen's class does the same, and a program that conditions a law takes a second longer
// to compile with it.
#include <Eigen/Core>
#include <cmath>
#include <limits>

#include "mno/core/grid.hpp"

namespace mno::detail {

/// A → AV with orthogonal columns, V orthogonal: |a_k| is the k-th singular value, a_k/|a_k| its left
/// singular vector, v_k its right one. In no order.
template <class Matrix> Matrix orthogonalise(Matrix& a) {
  const Index n = a.rows();
  Matrix v = Matrix::Identity(n, n);
  const auto dot = [n](const double* x, const double* y) {
    double sum = 0;
    for (Index i = 0; i < n; ++i) sum += x[i] * y[i];
    return sum;
  };
  const auto rotate = [n](double* x, double* y, double cosine, double sine) {
    for (Index i = 0; i < n; ++i) {
      const double before = x[i];
      x[i] = cosine * before - sine * y[i];
      y[i] = sine * before + cosine * y[i];
    }
  };
  constexpr int most_sweeps = 60;  // six to ten are usual
  bool rotated = true;
  for (int sweep = 0; rotated && sweep < most_sweeps; ++sweep) {
    rotated = false;
    for (Index j = 1; j < n; ++j)
      for (Index i = 0; i < j; ++i) {
        double *x = &a(0, i), *y = &a(0, j);
        const double xx = dot(x, x), yy = dot(y, y), xy = dot(x, y);
        if (std::abs(xy) <= std::numeric_limits<double>::epsilon() * std::sqrt(xx) * std::sqrt(yy)) continue;
        rotated = true;
        const double zeta = (yy - xx) / (2 * xy);
        const double tangent = std::copysign(1 / (std::abs(zeta) + std::hypot(1.0, zeta)), zeta);
        const double cosine = 1 / std::hypot(1.0, tangent), sine = cosine * tangent;
        rotate(x, y, cosine, sine);
        rotate(&v(0, i), &v(0, j), cosine, sine);
      }
  }
  return v;
}

}  // namespace mno::detail
