// cuBLAS of the stand-in, on Eigen. Matrices are column-major, as cuBLAS has them.
#include <cublas_v2.h>

#include <Eigen/Dense>
#include <algorithm>
#include <complex>
#include <cstring>
#include <memory>
#include <utility>

#include "machine.hpp"

struct cublasContext {
  cudaStream_t stream = nullptr;
  cublasPointerMode_t pointers = CUBLAS_POINTER_MODE_HOST;
  standin::Range workspace{nullptr, 0, "the workspace"};
};

namespace standin {
namespace {

using Eigen::Index;

std::vector<std::unique_ptr<cublasContext>>& contexts() {
  static auto& all = *new std::vector<std::unique_ptr<cublasContext>>;  // outlives every static object
  return all;
}
cublasContext* find(cublasHandle_t handle) {
  for (const auto& one : contexts())
    if (one.get() == handle) return one.get();
  return nullptr;
}

cublasStatus_t wrong(cublasStatus_t status, const std::string& violation) {
  report("cuBLAS: " + violation);
  return status;
}

/// A batch of matrices in memory: `rows` × `columns`, `leading` from column to column.
template <class T> struct Matrices {
  T* data;
  Index rows, columns, leading, stride;

  Range range(Index batch, const char* role) const {
    const Index elements =
        rows == 0 || columns == 0 || batch == 0 ? 0 : (batch - 1) * stride + (columns - 1) * leading + rows;
    return {data, std::size_t(elements) * sizeof(T), role};
  }
  auto operator[](Index b) const {
    using Dense = Eigen::Matrix<std::remove_const_t<T>, Eigen::Dynamic, Eigen::Dynamic>;
    using Map =
        Eigen::Map<std::conditional_t<std::is_const_v<T>, const Dense, Dense>, 0, Eigen::OuterStride<>>;
    return Map(data + b * stride, rows, columns, Eigen::OuterStride<>(leading));
  }
};

template <class T> auto applied(const Matrices<const T>& matrices, Index b, cublasOperation_t operation) {
  using Dense = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic>;
  if (operation == CUBLAS_OP_N) return Dense(matrices[b]);
  if (operation == CUBLAS_OP_T) return Dense(matrices[b].transpose());
  return Dense(matrices[b].adjoint());
}

/// A factor that the pointer mode has in host memory (read in the call) or in the device's (read when it
/// runs).
template <class T> class Factor {
 public:
  Factor(const T* address, cublasPointerMode_t mode) : on_device_(mode == CUBLAS_POINTER_MODE_DEVICE) {
    if (on_device_)
      address_ = address;
    else if (good(address))
      value_ = *address;
  }
  /// Whether the address is where the mode says.
  bool good(const T* address) const { return address != nullptr && memory().owns(address) == on_device_; }
  T operator()() const { return on_device_ ? *address_ : value_; }
  Range range(const char* role) const { return {address_, on_device_ ? sizeof(T) : 0, role}; }

 private:
  bool on_device_;
  const T* address_ = nullptr;
  T value_{};
};

bool overlap(const Range& a, const Range& b) {
  const auto *first = static_cast<const std::byte*>(a.begin),
             *second = static_cast<const std::byte*>(b.begin);
  return a.bytes > 0 && b.bytes > 0 && first < second + b.bytes && second < first + a.bytes;
}

/// Submits work of a handle; its workspace is used up by it.
cublasStatus_t run(const cublasContext& context, std::string name, std::vector<Range> ranges,
                   std::function<void()> work) {
  ranges.push_back(context.workspace);
  const cudaError_t error =
      submit(context.stream, {std::move(name), std::move(ranges), {}, [work, space = context.workspace] {
                                work();
                                if (space.bytes > 0)
                                  std::memset(const_cast<void*>(space.begin), 0xFF, space.bytes);
                              }});
  return error == cudaSuccess ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_EXECUTION_FAILED;
}

/// C_b ← α op(A_b) op(B_b) + β C_b. With β = 0, C is not read.
template <class T>
cublasStatus_t gemm(cublasHandle_t handle, const char* name, cublasOperation_t transa,
                    cublasOperation_t transb, Index m, Index n, Index k, const T* alpha, const T* A,
                    Index lda, Index strideA, const T* B, Index ldb, Index strideB, const T* beta, T* C,
                    Index ldc, Index strideC, Index batch) {
  const Lock lock(mutex());
  if (fails()) return CUBLAS_STATUS_EXECUTION_FAILED;
  const cublasContext* const context = find(handle);
  if (context == nullptr) return wrong(CUBLAS_STATUS_NOT_INITIALIZED, "a product without a handle");
  const Matrices<const T> a{A, transa == CUBLAS_OP_N ? m : k, transa == CUBLAS_OP_N ? k : m, lda, strideA};
  const Matrices<const T> b{B, transb == CUBLAS_OP_N ? k : n, transb == CUBLAS_OP_N ? n : k, ldb, strideB};
  const Matrices<T> c{C, m, n, ldc, strideC};
  if (m < 0 || n < 0 || k < 0 || batch < 0 || strideA < 0 || strideB < 0 || strideC < 0)
    return CUBLAS_STATUS_INVALID_VALUE;
  if (lda < std::max<Index>(1, a.rows) || ldb < std::max<Index>(1, b.rows) || ldc < std::max<Index>(1, m))
    return CUBLAS_STATUS_INVALID_VALUE;
  const Factor<T> first(alpha, context->pointers), second(beta, context->pointers);
  if (!first.good(alpha) || !second.good(beta))
    return wrong(CUBLAS_STATUS_INVALID_VALUE, "alpha or beta is not where the pointer mode says");
  if (m == 0 || n == 0 || batch == 0) return CUBLAS_STATUS_SUCCESS;
  // Either one matrix after the other, or columns of all matrices in turn.
  const bool apart = strideC >= (n - 1) * ldc + m, in_turn = strideC >= m && ldc >= (batch - 1) * strideC + m;
  if (batch > 1 && !apart && !in_turn)
    return wrong(CUBLAS_STATUS_INVALID_VALUE, "results of a batch overlap");
  const Range of_a = a.range(batch, "A"), of_b = b.range(batch, "B"), of_c = c.range(batch, "C");
  if (overlap(of_c, of_a) || overlap(of_c, of_b))
    return wrong(CUBLAS_STATUS_INVALID_VALUE, "the result overlaps a factor");
  return run(*context, name, {of_a, of_b, of_c, first.range("alpha"), second.range("beta")}, [=] {
    const T product_factor = first(), old_factor = second();
    for (Index i = 0; i < batch; ++i) {
      const auto product = (product_factor * (applied(a, i, transa) * applied(b, i, transb))).eval();
      if (old_factor == T(0))
        c[i] = product;
      else
        c[i] = product + old_factor * c[i];
    }
  });
}

/// Element i of n stands at i · increment, from the other end if that is negative.
template <class T> T* element(T* vector, Index n, Index increment, Index i) {
  return vector + (increment > 0 ? i : i - (n - 1)) * increment;
}
Range vector_range(const void* data, Index n, Index increment, std::size_t size, const char* role) {
  return {data, n == 0 ? 0 : std::size_t((n - 1) * std::abs(increment) + 1) * size, role};
}

/// y ← α op(A) x + β y.
template <class T>
cublasStatus_t gemv(cublasHandle_t handle, const char* name, cublasOperation_t trans, Index m, Index n,
                    const T* alpha, const T* A, Index lda, const T* x, Index incx, const T* beta, T* y,
                    Index incy) {
  const Lock lock(mutex());
  if (fails()) return CUBLAS_STATUS_EXECUTION_FAILED;
  const cublasContext* const context = find(handle);
  if (context == nullptr) return wrong(CUBLAS_STATUS_NOT_INITIALIZED, "a product without a handle");
  if (m < 0 || n < 0 || incx == 0 || incy == 0 || lda < std::max<Index>(1, m))
    return CUBLAS_STATUS_INVALID_VALUE;
  const Factor<T> first(alpha, context->pointers), second(beta, context->pointers);
  if (!first.good(alpha) || !second.good(beta))
    return wrong(CUBLAS_STATUS_INVALID_VALUE, "alpha or beta is not where the pointer mode says");
  if (m == 0 || n == 0) return CUBLAS_STATUS_SUCCESS;
  const Matrices<const T> a{A, m, n, lda, 0};
  const Index inputs = trans == CUBLAS_OP_N ? n : m, outputs = trans == CUBLAS_OP_N ? m : n;
  const Range of_a = a.range(1, "A"), of_x = vector_range(x, inputs, incx, sizeof(T), "x"),
              of_y = vector_range(y, outputs, incy, sizeof(T), "y");
  if (overlap(of_y, of_a) || overlap(of_y, of_x))
    return wrong(CUBLAS_STATUS_INVALID_VALUE, "the result overlaps a factor");
  return run(*context, name, {of_a, of_x, of_y, first.range("alpha"), second.range("beta")}, [=] {
    Eigen::Matrix<T, Eigen::Dynamic, 1> input(inputs);
    for (Index i = 0; i < inputs; ++i) input[i] = *element(x, inputs, incx, i);
    const auto product = (first() * (applied(a, 0, trans) * input)).eval();
    const T old_factor = second();
    for (Index i = 0; i < outputs; ++i) {
      T& result = *element(y, outputs, incy, i);
      result = old_factor == T(0) ? product[i] : product[i] + old_factor * result;
    }
  });
}

/// C ← diag(x) A (left) or A diag(x) (right); C may be A.
template <class T>
cublasStatus_t dgmm(cublasHandle_t handle, const char* name, cublasSideMode_t mode, Index m, Index n,
                    const T* A, Index lda, const T* x, Index incx, T* C, Index ldc) {
  const Lock lock(mutex());
  if (fails()) return CUBLAS_STATUS_EXECUTION_FAILED;
  const cublasContext* const context = find(handle);
  if (context == nullptr) return wrong(CUBLAS_STATUS_NOT_INITIALIZED, "a product without a handle");
  if (m < 0 || n < 0 || incx == 0 || std::min(lda, ldc) < std::max<Index>(1, m))
    return CUBLAS_STATUS_INVALID_VALUE;
  const Matrices<const T> a{A, m, n, lda, 0};
  const Matrices<T> c{C, m, n, ldc, 0};
  const bool left = mode == CUBLAS_SIDE_LEFT;
  const Index length = left ? m : n;
  const Range of_a = a.range(1, "A"), of_x = vector_range(x, length, incx, sizeof(T), "x"),
              of_c = c.range(1, "C");
  if (overlap(of_c, of_x) || (overlap(of_c, of_a) && !(A == C && lda == ldc)))
    return wrong(CUBLAS_STATUS_INVALID_VALUE, "the result overlaps a factor");
  return run(*context, name, {of_a, of_x, of_c}, [=] {
    for (Index j = 0; j < n; ++j)
      for (Index i = 0; i < m; ++i) c[0](i, j) = a[0](i, j) * *element(x, length, incx, left ? i : j);
  });
}

// std::complex has the layout of cuComplex.
const std::complex<float>* as_complex(const cuComplex* p) {
  return reinterpret_cast<const std::complex<float>*>(p);
}
std::complex<float>* as_complex(cuComplex* p) { return reinterpret_cast<std::complex<float>*>(p); }
const std::complex<double>* as_complex(const cuDoubleComplex* p) {
  return reinterpret_cast<const std::complex<double>*>(p);
}
std::complex<double>* as_complex(cuDoubleComplex* p) { return reinterpret_cast<std::complex<double>*>(p); }

}  // namespace
}  // namespace standin

using namespace standin;

extern "C" {

cublasStatus_t cublasCreate_v2(cublasHandle_t* handle) {
  const Lock lock(mutex());
  if (fails()) return CUBLAS_STATUS_ALLOC_FAILED;
  contexts().push_back(std::make_unique<cublasContext>());
  *handle = contexts().back().get();
  ++blas_handle_count();
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasDestroy_v2(cublasHandle_t handle) {
  const Lock lock(mutex());
  if (find(handle) == nullptr)
    return wrong(CUBLAS_STATUS_NOT_INITIALIZED, "cublasDestroy of a handle that does not exist");
  std::erase_if(contexts(), [&](const auto& one) { return one.get() == handle; });
  --blas_handle_count();
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasSetStream_v2(cublasHandle_t handle, cudaStream_t streamId) {
  const Lock lock(mutex());
  if (fails()) return CUBLAS_STATUS_INTERNAL_ERROR;
  cublasContext* const context = find(handle);
  if (context == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (!is_stream(streamId))
    return wrong(CUBLAS_STATUS_INVALID_VALUE, "cublasSetStream to a stream that does not exist");
  context->stream = streamId;
  context->workspace.bytes = 0;  // "unconditionally resets the workspace"
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasSetMathMode(cublasHandle_t handle, cublasMath_t) {
  const Lock lock(mutex());
  if (fails()) return CUBLAS_STATUS_INTERNAL_ERROR;
  return find(handle) == nullptr ? CUBLAS_STATUS_NOT_INITIALIZED : CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasSetWorkspace_v2(cublasHandle_t handle, void* workspace, size_t workspaceSizeInBytes) {
  const Lock lock(mutex());
  if (fails()) return CUBLAS_STATUS_INTERNAL_ERROR;
  cublasContext* const context = find(handle);
  if (context == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
  const Range range{workspace, workspaceSizeInBytes, "the workspace"};
  if (const std::string complaint = memory().complaint(range); !complaint.empty())
    return wrong(CUBLAS_STATUS_INVALID_VALUE, complaint);
  context->workspace = range;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasSetPointerMode_v2(cublasHandle_t handle, cublasPointerMode_t mode) {
  const Lock lock(mutex());
  if (fails()) return CUBLAS_STATUS_INTERNAL_ERROR;
  cublasContext* const context = find(handle);
  if (context == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
  context->pointers = mode;
  return CUBLAS_STATUS_SUCCESS;
}

const char* cublasGetStatusString(cublasStatus_t status) {
  switch (status) {
    case CUBLAS_STATUS_SUCCESS:
      return "success";
    case CUBLAS_STATUS_NOT_INITIALIZED:
      return "the library was not initialized";
    case CUBLAS_STATUS_ALLOC_FAILED:
      return "the resource allocation failed";
    case CUBLAS_STATUS_INVALID_VALUE:
      return "an unsupported value or parameter was passed to the function";
    case CUBLAS_STATUS_EXECUTION_FAILED:
      return "the GPU program failed to execute";
    case CUBLAS_STATUS_INTERNAL_ERROR:
      return "an internal operation failed";
    default:
      return "unknown status";
  }
}

cublasStatus_t cublasSgemm_v2(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb,
                              int m, int n, int k, const float* alpha, const float* A, int lda,
                              const float* B, int ldb, const float* beta, float* C, int ldc) {
  return gemm(handle, "cublasSgemm", transa, transb, m, n, k, alpha, A, lda, 0, B, ldb, 0, beta, C, ldc, 0,
              1);
}
cublasStatus_t cublasDgemm_v2(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb,
                              int m, int n, int k, const double* alpha, const double* A, int lda,
                              const double* B, int ldb, const double* beta, double* C, int ldc) {
  return gemm(handle, "cublasDgemm", transa, transb, m, n, k, alpha, A, lda, 0, B, ldb, 0, beta, C, ldc, 0,
              1);
}

cublasStatus_t cublasSgemmStridedBatched(cublasHandle_t handle, cublasOperation_t transa,
                                         cublasOperation_t transb, int m, int n, int k, const float* alpha,
                                         const float* A, int lda, long long int strideA, const float* B,
                                         int ldb, long long int strideB, const float* beta, float* C, int ldc,
                                         long long int strideC, int batchCount) {
  return gemm(handle, "cublasSgemmStridedBatched", transa, transb, m, n, k, alpha, A, lda, strideA, B, ldb,
              strideB, beta, C, ldc, strideC, batchCount);
}
cublasStatus_t cublasDgemmStridedBatched(cublasHandle_t handle, cublasOperation_t transa,
                                         cublasOperation_t transb, int m, int n, int k, const double* alpha,
                                         const double* A, int lda, long long int strideA, const double* B,
                                         int ldb, long long int strideB, const double* beta, double* C,
                                         int ldc, long long int strideC, int batchCount) {
  return gemm(handle, "cublasDgemmStridedBatched", transa, transb, m, n, k, alpha, A, lda, strideA, B, ldb,
              strideB, beta, C, ldc, strideC, batchCount);
}
cublasStatus_t cublasCgemmStridedBatched(cublasHandle_t handle, cublasOperation_t transa,
                                         cublasOperation_t transb, int m, int n, int k,
                                         const cuComplex* alpha, const cuComplex* A, int lda,
                                         long long int strideA, const cuComplex* B, int ldb,
                                         long long int strideB, const cuComplex* beta, cuComplex* C, int ldc,
                                         long long int strideC, int batchCount) {
  return gemm(handle, "cublasCgemmStridedBatched", transa, transb, m, n, k, as_complex(alpha), as_complex(A),
              lda, strideA, as_complex(B), ldb, strideB, as_complex(beta), as_complex(C), ldc, strideC,
              batchCount);
}
cublasStatus_t cublasZgemmStridedBatched(cublasHandle_t handle, cublasOperation_t transa,
                                         cublasOperation_t transb, int m, int n, int k,
                                         const cuDoubleComplex* alpha, const cuDoubleComplex* A, int lda,
                                         long long int strideA, const cuDoubleComplex* B, int ldb,
                                         long long int strideB, const cuDoubleComplex* beta,
                                         cuDoubleComplex* C, int ldc, long long int strideC, int batchCount) {
  return gemm(handle, "cublasZgemmStridedBatched", transa, transb, m, n, k, as_complex(alpha), as_complex(A),
              lda, strideA, as_complex(B), ldb, strideB, as_complex(beta), as_complex(C), ldc, strideC,
              batchCount);
}

cublasStatus_t cublasSgemv_v2(cublasHandle_t handle, cublasOperation_t trans, int m, int n,
                              const float* alpha, const float* A, int lda, const float* x, int incx,
                              const float* beta, float* y, int incy) {
  return gemv(handle, "cublasSgemv", trans, m, n, alpha, A, lda, x, incx, beta, y, incy);
}
cublasStatus_t cublasDgemv_v2(cublasHandle_t handle, cublasOperation_t trans, int m, int n,
                              const double* alpha, const double* A, int lda, const double* x, int incx,
                              const double* beta, double* y, int incy) {
  return gemv(handle, "cublasDgemv", trans, m, n, alpha, A, lda, x, incx, beta, y, incy);
}

cublasStatus_t cublasSdgmm(cublasHandle_t handle, cublasSideMode_t mode, int m, int n, const float* A,
                           int lda, const float* x, int incx, float* C, int ldc) {
  return dgmm(handle, "cublasSdgmm", mode, m, n, A, lda, x, incx, C, ldc);
}
cublasStatus_t cublasDdgmm(cublasHandle_t handle, cublasSideMode_t mode, int m, int n, const double* A,
                           int lda, const double* x, int incx, double* C, int ldc) {
  return dgmm(handle, "cublasDdgmm", mode, m, n, A, lda, x, incx, C, ldc);
}
}
