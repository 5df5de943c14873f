// cuBLAS of the stand-in: column-major products, and what it does not accept.
#include <cublas_v2.h>
#include <doctest/doctest.h>

#include <complex>
#include <type_traits>
#include <vector>

#include "support.hpp"

using namespace standin::test;

namespace {
struct Blas {
  Blas() { REQUIRE(cublasCreate(&handle) == CUBLAS_STATUS_SUCCESS); }
  ~Blas() { cublasDestroy(handle); }
  Blas(const Blas&) = delete;
  Blas& operator=(const Blas&) = delete;
  operator cublasHandle_t() const { return handle; }
  cublasHandle_t handle = nullptr;
};
}  // namespace

TEST_CASE_FIXTURE(Clean, "a batch of complex products, column-major, with every operation") {
  using Complex = std::complex<double>;
  constexpr int m = 2, n = 3, k = 4, batch = 2, lda = 5, ldb = 6, ldc = 3;
  const auto a = complex_noise<double>(lda * 4 * batch, 1), b = complex_noise<double>(ldb * 4 * batch, 2),
             c = complex_noise<double>(ldc * n * batch, 3);
  const Complex alpha(0.5, 1), beta(2, -1);
  const auto element = [](const std::vector<Complex>& x, int leading, std::size_t offset,
                          cublasOperation_t op, int row, int column) {
    if (op == CUBLAS_OP_N) return x[offset + std::size_t(column * leading + row)];
    const Complex value = x[offset + std::size_t(row * leading + column)];
    return op == CUBLAS_OP_C ? std::conj(value) : value;
  };
  const auto cu = [](auto* p) {
    return reinterpret_cast<std::conditional_t<std::is_const_v<std::remove_pointer_t<decltype(p)>>,
                                               const cuDoubleComplex*, cuDoubleComplex*>>(p);
  };
  const Blas blas;
  const Stream stream;
  REQUIRE(cublasSetStream(blas, stream) == CUBLAS_STATUS_SUCCESS);
  const Array<Complex> A(a), B(b);
  const Array<std::byte> workspace(std::vector<std::byte>(1024));
  REQUIRE(cublasSetWorkspace(blas, workspace.data(), 1024) == CUBLAS_STATUS_SUCCESS);
  REQUIRE(cublasSetMathMode(blas, CUBLAS_PEDANTIC_MATH) == CUBLAS_STATUS_SUCCESS);
  for (const auto opa : {CUBLAS_OP_N, CUBLAS_OP_T, CUBLAS_OP_C})
    for (const auto opb : {CUBLAS_OP_N, CUBLAS_OP_T, CUBLAS_OP_C}) {
      const Array<Complex> C(c);
      REQUIRE(cublasZgemmStridedBatched(blas, opa, opb, m, n, k, cu(&alpha), cu(A.data()), lda, lda * 4,
                                        cu(B.data()), ldb, ldb * 4, cu(&beta), cu(C.data()), ldc, ldc * n,
                                        batch) == CUBLAS_STATUS_SUCCESS);
      CHECK(standin::queued() == 1);
      cudaStreamSynchronize(stream);
      const auto got = C.values();
      double worst = 0;
      for (int e = 0; e < batch; ++e)
        for (int j = 0; j < n; ++j) {
          for (int i = 0; i < m; ++i) {
            const auto at = std::size_t((e * n + j) * ldc + i);
            Complex sum = 0;
            for (int l = 0; l < k; ++l)
              sum += element(a, lda, std::size_t(e * lda * 4), opa, i, l) *
                     element(b, ldb, std::size_t(e * ldb * 4), opb, l, j);
            worst = std::max(worst, std::abs(got[at] - (alpha * sum + beta * c[at])));
          }
          CHECK(got[std::size_t((e * n + j) * ldc + m)] == c[std::size_t((e * n + j) * ldc + m)]);  // padding
        }
      CHECK(worst < 1e-13);
    }
  for (const std::byte one : workspace.values()) CHECK(one == std::byte(0xFF));  // it was used
}

TEST_CASE_FIXTURE(Clean,
                  "with beta = 0 the result is not read; factors are read in the call or by the device") {
  const Blas blas;
  const Array<float> A(std::vector<float>{1, 2, 3, 4}), x(std::vector<float>{1, 10}), C(4), y(2);
  float alpha = 1, beta = 0;
  // [1 3; 2 4]² = [7 15; 10 22]
  REQUIRE(cublasSgemm(blas, CUBLAS_OP_N, CUBLAS_OP_N, 2, 2, 2, &alpha, A.data(), 2, A.data(), 2, &beta,
                      C.data(), 2) == CUBLAS_STATUS_SUCCESS);
  alpha = 5;  // too late
  CHECK(C.values() == std::vector<float>{7, 10, 15, 22});
  alpha = 2;
  REQUIRE(cublasSgemv(blas, CUBLAS_OP_T, 2, 2, &alpha, A.data(), 2, x.data(), 1, &beta, y.data(), 1) ==
          CUBLAS_STATUS_SUCCESS);
  CHECK(y.values() == std::vector<float>{42, 86});
  REQUIRE(cublasSdgmm(blas, CUBLAS_SIDE_RIGHT, 2, 2, A.data(), 2, x.data(), 1, C.data(), 2) ==
          CUBLAS_STATUS_SUCCESS);
  CHECK(C.values() == std::vector<float>{1, 2, 30, 40});

  const Array<float> factors(std::vector<float>{1, 0});
  CHECK(cublasSgemv(blas, CUBLAS_OP_N, 2, 2, factors.data(), A.data(), 2, x.data(), 1, &beta, y.data(), 1) ==
        CUBLAS_STATUS_INVALID_VALUE);
  CHECK(mentions("not where the pointer mode says"));
  standin::clear_violations();
  REQUIRE(cublasSetPointerMode(blas, CUBLAS_POINTER_MODE_DEVICE) == CUBLAS_STATUS_SUCCESS);
  CHECK(cublasSgemv(blas, CUBLAS_OP_N, 2, 2, factors.data(), A.data(), 2, x.data(), 1, factors.data() + 1,
                    y.data(), 1) == CUBLAS_STATUS_SUCCESS);
  CHECK(y.values() == std::vector<float>{31, 42});
}

TEST_CASE_FIXTURE(Clean, "products are checked: leading dimensions, ranges, overlap") {
  const Blas blas;
  const Array<float> A(std::vector<float>(4)), C(4);
  const float one = 1;
  const auto product = [&](int lda, float* to, int n) {
    return cublasSgemm(blas, CUBLAS_OP_N, CUBLAS_OP_N, 2, n, 2, &one, A.data(), lda, A.data(), 2, &one, to,
                       2);
  };
  CHECK(product(1, C.data(), 2) == CUBLAS_STATUS_INVALID_VALUE);
  CHECK(standin::violations().empty());
  CHECK(product(2, A.data(), 2) == CUBLAS_STATUS_INVALID_VALUE);
  CHECK(mentions("the result overlaps a factor"));
  CHECK(product(2, C.data(), 3) == CUBLAS_STATUS_EXECUTION_FAILED);
  CHECK(mentions("cublasSgemm: B (24 bytes) goes 8 bytes beyond"));
  CHECK(cublasSgemmStridedBatched(blas, CUBLAS_OP_N, CUBLAS_OP_N, 2, 2, 2, &one, A.data(), 2, 0, A.data(), 2,
                                  0, &one, C.data(), 2, 0, 2) == CUBLAS_STATUS_INVALID_VALUE);
  CHECK(mentions("results of a batch overlap"));
  standin::clear_violations();
}
