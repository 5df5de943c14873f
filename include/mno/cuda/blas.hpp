#pragma once
// cuBLAS behind row-major products: C = s·op(A)·op(B) or C += that, one or many of the same shape.
//
// cuBLAS stores by columns: it sees our row-major matrices as their transposes. So it is asked for
// Cᵀ = op(B)ᵀ op(A)ᵀ, with the factors exchanged.
#include <climits>
#include <type_traits>

#include "mno/cuda/error.hpp"
#include "mno/device/product.hpp"

namespace mno::cuda {

/// Re and Im side by side, as cuFFT and cuBLAS have them.
template <class T>
using Complex = std::conditional_t<std::is_same_v<T, float>, cufftComplex, cufftDoubleComplex>;

enum class Op { plain, transposed, adjoint };

/// Several matrices of one shape: consecutive ones lie `stride` elements apart.
template <class T> struct Matrices {
  T* data;
  Index rows, columns, pitch, stride;

  template <class U>
  requires(!std::is_const_v<T> && std::is_same_v<U, const T>) operator Matrices<U>() const {
    return {data, rows, columns, pitch, stride};
  }
};

namespace detail {
inline cublasStatus_t gemm(cublasHandle_t h, cublasOperation_t ta, cublasOperation_t tb, int m, int n, int k,
                           const float* s, const float* a, int lda, long long sa, const float* b, int ldb,
                           long long sb, const float* keep, float* c, int ldc, long long sc, int count) {
  return cublasSgemmStridedBatched(h, ta, tb, m, n, k, s, a, lda, sa, b, ldb, sb, keep, c, ldc, sc, count);
}
inline cublasStatus_t gemm(cublasHandle_t h, cublasOperation_t ta, cublasOperation_t tb, int m, int n, int k,
                           const double* s, const double* a, int lda, long long sa, const double* b, int ldb,
                           long long sb, const double* keep, double* c, int ldc, long long sc, int count) {
  return cublasDgemmStridedBatched(h, ta, tb, m, n, k, s, a, lda, sa, b, ldb, sb, keep, c, ldc, sc, count);
}
inline cublasStatus_t gemm(cublasHandle_t h, cublasOperation_t ta, cublasOperation_t tb, int m, int n, int k,
                           const cufftComplex* s, const cufftComplex* a, int lda, long long sa,
                           const cufftComplex* b, int ldb, long long sb, const cufftComplex* keep,
                           cufftComplex* c, int ldc, long long sc, int count) {
  return cublasCgemmStridedBatched(h, ta, tb, m, n, k, s, a, lda, sa, b, ldb, sb, keep, c, ldc, sc, count);
}
inline cublasStatus_t gemm(cublasHandle_t h, cublasOperation_t ta, cublasOperation_t tb, int m, int n, int k,
                           const cufftDoubleComplex* s, const cufftDoubleComplex* a, int lda, long long sa,
                           const cufftDoubleComplex* b, int ldb, long long sb, const cufftDoubleComplex* keep,
                           cufftDoubleComplex* c, int ldc, long long sc, int count) {
  return cublasZgemmStridedBatched(h, ta, tb, m, n, k, s, a, lda, sa, b, ldb, sb, keep, c, ldc, sc, count);
}

template <class T> struct Number {
  static T of(double x) { return T(x); }
};
template <> struct Number<cufftComplex> {
  static cufftComplex of(double x) { return {float(x), 0}; }
};
template <> struct Number<cufftDoubleComplex> {
  static cufftDoubleComplex of(double x) { return {x, 0}; }
};

inline cublasOperation_t operation(Op op) {
  return op == Op::plain ? CUBLAS_OP_N : op == Op::transposed ? CUBLAS_OP_T : CUBLAS_OP_C;
}
}  // namespace detail

/// C_i = s·op(A_i) op(B_i), or C_i += that, for i < count.
template <class T>
void multiply(cublasHandle_t handle, const Checks& check, Index count, Matrices<T> c, Matrices<const T> a,
              Op op_a, Matrices<const T> b, Op op_b, double s, Write write) {
  const Index depth = op_a == Op::plain ? a.columns : a.rows;
  if (count == 0 || c.rows == 0 || c.columns == 0) return;
  require(std::max({c.rows, c.columns, depth, a.pitch, b.pitch, c.pitch, count}) <= Index(INT_MAX),
          "Cuda::multiply", "rows", Text("sizes that cuBLAS can count, below 2^31"),
          Text(c.rows, " x ", depth, " x ", c.columns));
  const T scale = detail::Number<T>::of(s), keep = detail::Number<T>::of(write == Write::add ? 1 : 0);
  check(detail::gemm(handle, detail::operation(op_b), detail::operation(op_a), int(c.columns), int(c.rows),
                     int(depth), &scale, b.data, int(b.pitch), b.stride, a.data, int(a.pitch), a.stride,
                     &keep, c.data, int(c.pitch), c.stride, int(count)),
        "cublasGemmStridedBatched", count, " products of ", c.rows, " x ", depth, " x ", c.columns);
}

}  // namespace mno::cuda
