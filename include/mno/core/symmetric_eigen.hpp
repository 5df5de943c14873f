#pragma once
// Eigenvalues and eigenvectors of a small symmetric matrix of doubles.
//   G. H. Golub and C. F. Van Loan, "Matrix Computations", §8.3: Householder reflections to a tridiagonal
//   matrix, and QR steps with Wilkinson's shift, whose rotations stay on it.
//
// Plain loops over rows. Eigen's solver gives the same result, but compiles a hundred kinds of blocks and
// products for it: a fifth of the compile time of a program that makes an ensemble
// (docs/decisions/compile-time.md).
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <span>
#include <vector>

#include "mno/core/error.hpp"
#include "mno/core/grid.hpp"

namespace mno::detail {

/// A = Wᵀ diag(λ) W of a symmetric matrix, λ in rising order.
struct SymmetricEigen {
  std::vector<double> values;   // λ
  std::vector<double> vectors;  // W, row by row: row i is the eigenvector of values[i]
  std::span<const double> vector(Index i) const {
    const std::size_t n = values.size();
    return {vectors.data() + std::size_t(i) * n, n};
  }
};

template <class = void> class SymmetricEigenSolver {
 public:
  /// Both halves of the n × n matrix are given.
  SymmetricEigenSolver(std::vector<double> matrix, Index n)
      : n_(n), a_(std::move(matrix)), d_(std::size_t(n)), e_(std::size_t(n)), tau_(std::size_t(n)) {
    require(Index(a_.size()) == n * n, "symmetric_eigen", "matrix", Text(n, " × ", n, " entries"),
            Text(a_.size()));
  }

  SymmetricEigen solve() {
    double largest = 0;  // so that no square is too large or too small
    for (const double entry : a_) largest = std::max(largest, std::abs(entry));
    const double unit = largest > 0 ? largest : 1;
    for (double& entry : a_) entry /= unit;
    tridiagonalise();
    gather();
    diagonalise();
    return sorted(unit);
  }

 private:
  double* row(Index i) { return a_.data() + i * n_; }

  /// A ← H A H with H = I − τ v vᵀ, v_{k+1} = 1, which leaves one entry beside the diagonal of row k; v is
  /// kept in that row. With p = τ A v and w = p − ½τ(p·v) v: H A H = A − v wᵀ − w vᵀ.
  void tridiagonalise() {
    std::vector<double> w(std::size_t(n_), 0.0);
    for (Index k = 0; k < n_; ++k) {
      double* v = row(k);
      d_[std::size_t(k)] = v[k];
      if (k + 1 < n_) e_[std::size_t(k)] = v[k + 1];
      double tail = 0;
      for (Index j = k + 2; j < n_; ++j) tail += v[j] * v[j];
      if (tail == 0) continue;  // τ = 0
      const double first = v[k + 1], norm = std::sqrt(first * first + tail), left = first > 0 ? -norm : norm;
      const double tau = tau_[std::size_t(k)] = (left - first) / left;
      e_[std::size_t(k)] = left;
      v[k + 1] = 1;
      for (Index j = k + 2; j < n_; ++j) v[j] /= first - left;
      double along = 0;
      for (Index i = k + 1; i < n_; ++i) {
        double sum = 0;
        for (Index j = k + 1; j < n_; ++j) sum += row(i)[j] * v[j];
        w[std::size_t(i)] = tau * sum;
        along += w[std::size_t(i)] * v[i];
      }
      for (Index i = k + 1; i < n_; ++i) w[std::size_t(i)] -= 0.5 * tau * along * v[i];
      for (Index i = k + 1; i < n_; ++i)
        for (Index j = k + 1; j < n_; ++j) row(i)[j] -= v[i] * w[std::size_t(j)] + w[std::size_t(i)] * v[j];
    }
  }

  /// W = H_{n−3} … H_0 in the place of A. The last reflection comes first: until H_k comes, only rows and
  /// columns after k are in use.
  void gather() {
    std::vector<double> v(std::size_t(n_), 0.0);
    for (Index k = n_ - 1; k >= 0; --k) {
      const double tau = tau_[std::size_t(k)];
      std::copy(row(k) + k, row(k) + n_, v.begin() + k);
      std::fill(row(k), row(k) + n_, 0.0);
      row(k)[k] = 1;
      if (tau == 0) continue;
      for (Index i = k + 1; i < n_; ++i) {
        double along = 0;
        for (Index j = k + 1; j < n_; ++j) along += row(i)[j] * v[std::size_t(j)];
        for (Index j = k + 1; j < n_; ++j) row(i)[j] -= tau * along * v[std::size_t(j)];
      }
    }
  }

  /// QR steps on what is left of the tridiagonal matrix, until nothing stands beside the diagonal.
  void diagonalise() {
    constexpr double rounding = std::numeric_limits<double>::epsilon();
    for (Index last = n_ - 1; last > 0;) {
      Index first = last;
      for (; first > 0; --first) {
        double& beside = e_[std::size_t(first - 1)];
        // NaN counts as zero too, so that this comes to an end.
        if (std::abs(beside) >
            rounding * (std::abs(d_[std::size_t(first)]) + std::abs(d_[std::size_t(first - 1)])))
          continue;
        beside = 0;
        break;
      }
      if (first == last)
        --last;
      else
        step(first, last);
    }
  }

  /// T ← G T Gᵀ and W ← G W with rotations G = [c s; −s c] of rows k and k + 1: the first is that of
  /// T − μ, each further one takes away the entry that the one before has put beside the tridiagonal.
  void step(Index first, Index last) {
    const auto d = [&](Index i) -> double& { return d_[std::size_t(i)]; };
    const auto e = [&](Index i) -> double& { return e_[std::size_t(i)]; };
    const double half = (d(last - 1) - d(last)) / 2, beside = e(last - 1);
    const double shift = d(last) - beside * (beside / (half + std::copysign(std::hypot(half, beside), half)));
    double x = d(first) - shift, z = e(first);
    for (Index k = first; k < last; ++k) {
      const double r = std::hypot(x, z), c = r > 0 ? x / r : 1, s = r > 0 ? z / r : 0;
      if (k > first) e(k - 1) = r;
      const double a = d(k), b = e(k), g = d(k + 1);
      d(k) = c * c * a + 2 * c * s * b + s * s * g;
      d(k + 1) = s * s * a - 2 * c * s * b + c * c * g;
      e(k) = c * s * (g - a) + (c * c - s * s) * b;
      if (k + 1 < last) {
        x = e(k);
        z = s * e(k + 1);
        e(k + 1) *= c;
      }
      double *upper = row(k), *lower = row(k + 1);
      for (Index j = 0; j < n_; ++j) {
        const double u = upper[j], l = lower[j];
        upper[j] = c * u + s * l;
        lower[j] = c * l - s * u;
      }
    }
  }

  SymmetricEigen sorted(double unit) {
    std::vector<Index> order(std::size_t(n_), 0);
    std::iota(order.begin(), order.end(), Index(0));
    std::stable_sort(order.begin(), order.end(),
                     [&](Index i, Index j) { return d_[std::size_t(i)] < d_[std::size_t(j)]; });
    SymmetricEigen result{std::vector<double>(d_.size()), std::vector<double>(a_.size())};
    for (Index i = 0; i < n_; ++i) {
      const Index from = order[std::size_t(i)];
      result.values[std::size_t(i)] = unit * d_[std::size_t(from)];
      std::copy_n(row(from), n_, result.vectors.begin() + i * n_);
    }
    return result;
  }

  Index n_;
  std::vector<double> a_;      // row by row: the matrix, then the vectors v, then W
  std::vector<double> d_, e_;  // the diagonal, and what stands beside it
  std::vector<double> tau_;
};

template <class Own = void> SymmetricEigen symmetric_eigen(std::vector<double> matrix, Index n) {
  return SymmetricEigenSolver<Own>(std::move(matrix), n).solve();
}

}  // namespace mno::detail
