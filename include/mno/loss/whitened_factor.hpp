#pragma once
// The algebra of Γ = BᵀB + diag(D), all of it r × r, in double.
//
// With W = D^{-1/2}Bᵀ (n × r) whitening leaves Γ̃ = D^{-1/2} Γ D^{-1/2} = I + WWᵀ. From [W; I] = [Q; R⁻¹] R, a
// QR factorisation with I + WᵀW = RᵀR,
//
//   log|Γ̃| = 2 Σ_k log R_kk,   Γ̃⁻¹ = I − QQᵀ =: N,   NW = QR⁻ᵀ,
//   ẽᵀΓ̃⁻¹ẽ = ‖p‖² + ‖μ‖²,   p = Nẽ = ẽ − Q(Qᵀẽ),   μ = Wᵀp = R⁻¹Qᵀẽ:
//
// sums of squares, so nothing cancels however small D is. R comes from the Cholesky factorisation of I + WᵀW,
// which loses half of the digits. A second one, of QᵀQ + R⁻ᵀR⁻¹, which is nearly I, brings them back
// (CholeskyQR2).
//   T. Fukaya et al., "CholeskyQR2: a simple and communication-avoiding algorithm for computing a tall-skinny
//   QR factorization", 2014.
#include <cmath>

#include "mno/loss/factor_columns.hpp"

namespace mno::detail {

/// R of K = RᵀR, upper triangular, into K's own memory (r, r). Returns log|K| = 2 Σ log R_kk.
MNO_HOST_DEVICE inline double cholesky(double* k, Index r) {
  double log_determinant = 0;
  for (Index i = 0; i < r; ++i) {
    for (Index j = 0; j < i; ++j) k[i * r + j] = 0;
    const double root = std::sqrt(k[i * r + i]), inverse = 1 / root;
    log_determinant += 2 * std::log(root);
    for (Index j = i; j < r; ++j) k[i * r + j] *= inverse;
    for (Index m = i + 1; m < r; ++m) {
      const double x = k[i * r + m];
      for (Index j = m; j < r; ++j) k[m * r + j] -= x * k[i * r + j];
    }
  }
  return log_determinant;
}
/// R⁻¹ of an upper triangular R, row by row from the last: R_ii (R⁻¹)_i = e_i − Σ_{m>i} R_im (R⁻¹)_m
MNO_HOST_DEVICE inline void invert_triangle(const double* upper, double* inverse, Index r) {
  for (Index i = 0; i < r * r; ++i) inverse[i] = 0;
  for (Index i = r; i-- > 0;) {
    double* const row = inverse + i * r;
    row[i] = 1;
    for (Index m = i + 1; m < r; ++m) {
      const double x = upper[i * r + m];
      for (Index j = m; j < r; ++j) row[j] -= x * inverse[m * r + j];
    }
    const double scale = 1 / upper[i * r + i];
    for (Index j = i; j < r; ++j) row[j] *= scale;
  }
}

/// What a likelihood needs of one sample's Γ̃; its memory is the arena's.
struct WhitenedFactor {
  MatrixView<double> q;        // Q: (entry, k)
  MatrixView<double> inverse;  // R⁻¹: (k, k)
  double log_determinant = 0;  // log|Γ̃|

  WhitenedFactor(Arena& arena, MatrixView<const double> w) {
    const Index n = w.rows, r = w.columns;
    const MatrixView<double> k = zeros(arena, r, r), first = zeros(arena, r, r), second = zeros(arena, r, r),
                             rough = zeros(arena, n, r);
    for (Index i = 0; i < r; ++i) k.data[i * r + i] = 1;
    multiply_add_transposed_left<double>(k, w, w);
    log_determinant = cholesky(k.data, r);
    invert_triangle(k.data, first.data, r);
    multiply_add<double>(rough, w, first, 1.0, Write::set);

    multiply_add_transposed_left<double>(k, rough, rough, 1.0, Write::set);
    multiply_add_transposed_left<double>(k, first, first);
    log_determinant += cholesky(k.data, r);
    invert_triangle(k.data, second.data, r);
    q = zeros(arena, n, r);
    inverse = zeros(arena, r, r);
    multiply_add<double>(q, rough, second, 1.0, Write::set);
    multiply_add<double>(inverse, first, second, 1.0, Write::set);
  }
};

}  // namespace mno::detail
