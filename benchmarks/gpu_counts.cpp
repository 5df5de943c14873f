// What a training step and a prediction ask of the device, counted while they run on the host stand-in of
// CUDA's libraries: gpu_estimate.py is held against it. How often the device is called does not depend on
// which device it is, but for what cuFFT and cuBLAS launch in one call, which is not counted here.
//
//   gpu_counts SHAPE BATCH...    prints a line of JSON for every batch and task
//
// The linker hands our calls to the functions __wrap_… below (--wrap), which pass them on.
#include <cstdio>
#include <functional>
#include <stdexcept>

#include "compare/gpu_worker.hpp"
#include "flops.hpp"

namespace {

struct Counts {
  long launches = 0, blocks = 0;  // of kernels, and their blocks of 256 threads
  long products = 0;              // calls of cuBLAS
  double product_flops = 0;       // a real multiply-add is two, a complex one eight
  long transforms = 0;            // calls of cuFFT
  double transformed = 0;         // real numbers that they take or give
  long copies = 0;
  double copied = 0;  // bytes, between host and device
  long waits = 0;
} counts;

void count_product(double flops) {
  ++counts.products;
  counts.product_flops += flops;
}

/// Real numbers that a plan's transform takes or gives.
double numbers_of(cufftHandle plan);

}  // namespace

extern "C" {

using Thread = void (*)(const void*, mno::cuda::ThreadPosition);
cudaError_t __real_mno_standin_launch(const void*, std::size_t, Thread, unsigned, unsigned, cudaStream_t);
cudaError_t __wrap_mno_standin_launch(const void* closure, std::size_t bytes, Thread thread, unsigned blocks,
                                      unsigned threads, cudaStream_t stream) {
  ++counts.launches;
  counts.blocks += blocks;
  return __real_mno_standin_launch(closure, bytes, thread, blocks, threads, stream);
}

cublasStatus_t __real_cublasSgemmStridedBatched(cublasHandle_t, cublasOperation_t, cublasOperation_t, int,
                                                int, int, const float*, const float*, int, long long,
                                                const float*, int, long long, const float*, float*, int,
                                                long long, int);
cublasStatus_t __wrap_cublasSgemmStridedBatched(cublasHandle_t h, cublasOperation_t ta, cublasOperation_t tb,
                                                int m, int n, int k, const float* s, const float* a, int lda,
                                                long long sa, const float* b, int ldb, long long sb,
                                                const float* keep, float* c, int ldc, long long sc,
                                                int count) {
  count_product(2.0 * m * n * k * count);
  return __real_cublasSgemmStridedBatched(h, ta, tb, m, n, k, s, a, lda, sa, b, ldb, sb, keep, c, ldc, sc,
                                          count);
}

cublasStatus_t __real_cublasCgemmStridedBatched(cublasHandle_t, cublasOperation_t, cublasOperation_t, int,
                                                int, int, const cuComplex*, const cuComplex*, int, long long,
                                                const cuComplex*, int, long long, const cuComplex*,
                                                cuComplex*, int, long long, int);
cublasStatus_t __wrap_cublasCgemmStridedBatched(cublasHandle_t h, cublasOperation_t ta, cublasOperation_t tb,
                                                int m, int n, int k, const cuComplex* s, const cuComplex* a,
                                                int lda, long long sa, const cuComplex* b, int ldb,
                                                long long sb, const cuComplex* keep, cuComplex* c, int ldc,
                                                long long sc, int count) {
  count_product(8.0 * m * n * k * count);
  return __real_cublasCgemmStridedBatched(h, ta, tb, m, n, k, s, a, lda, sa, b, ldb, sb, keep, c, ldc, sc,
                                          count);
}

cufftResult __real_cufftMakePlanMany(cufftHandle, int, int*, int*, int, int, int*, int, int, cufftType, int,
                                     std::size_t*);
cufftResult __wrap_cufftMakePlanMany(cufftHandle plan, int rank, int* n, int* in, int in_stride,
                                     int in_distance, int* out, int out_stride, int out_distance,
                                     cufftType type, int batch, std::size_t* work);
cufftResult __real_cufftExecR2C(cufftHandle, cufftReal*, cufftComplex*);
cufftResult __wrap_cufftExecR2C(cufftHandle plan, cufftReal* real, cufftComplex* half) {
  ++counts.transforms;
  counts.transformed += numbers_of(plan);
  return __real_cufftExecR2C(plan, real, half);
}
cufftResult __real_cufftExecC2R(cufftHandle, cufftComplex*, cufftReal*);
cufftResult __wrap_cufftExecC2R(cufftHandle plan, cufftComplex* half, cufftReal* real) {
  ++counts.transforms;
  counts.transformed += numbers_of(plan);
  return __real_cufftExecC2R(plan, half, real);
}

cudaError_t __real_cudaMemcpyAsync(void*, const void*, std::size_t, cudaMemcpyKind, cudaStream_t);
cudaError_t __wrap_cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind,
                                   cudaStream_t stream) {
  ++counts.copies;
  counts.copied += double(bytes);
  return __real_cudaMemcpyAsync(to, from, bytes, kind, stream);
}
cudaError_t __real_cudaStreamSynchronize(cudaStream_t);
cudaError_t __wrap_cudaStreamSynchronize(cudaStream_t stream) {
  ++counts.waits;
  return __real_cudaStreamSynchronize(stream);
}

}  // extern "C"

namespace {

struct Plan {
  cufftHandle handle;
  double numbers;
};
std::vector<Plan>& plans() {
  static std::vector<Plan> all;
  return all;
}
double numbers_of(cufftHandle handle) {
  for (auto plan = plans().rbegin(); plan != plans().rend(); ++plan)  // a handle may be given out again
    if (plan->handle == handle) return plan->numbers;
  throw std::logic_error("gpu_counts: a transform without a plan");
}

/// Products alone, by the formulas of flops.hpp: transforms are another algorithm there.
template <int D> double products_of_floor(const mno::Grid<D>& grid, bool training) {
  using S = comparison::Goal<D>;
  const floor_count::Flops<S> flops{grid.points, floor_count::MixingProducts::four};
  const double transforms = 2 * S::depth * flops.transform(S::width);
  return training ? flops.gradient() - 2 * transforms : flops.forward() - transforms;
}

template <int D> void count(const std::string& shape, mno::Index batch) {
  comparison::GpuWorker<D> worker(comparison::Setting<D>::made_up(shape, batch), {});
  for (const char* const task : {"train", "forward", "predict"}) {
    const auto call = worker.task(task);
    call();  // plans and memory
    counts = {};
    call();
    std::printf(
        "{\"shape\": \"%s\", \"batch\": %ld, \"task\": \"%s\", \"launches\": %ld, \"blocks\": %ld, "
        "\"products\": %ld, \"product_flops\": %.17g, \"transforms\": %ld, \"transformed\": %.17g, "
        "\"copies\": %ld, \"copied\": %.17g, \"waits\": %ld, \"workspace\": %zu, "
        "\"floor_products\": %.17g}\n",
        shape.c_str(), long(batch), task, counts.launches, counts.blocks, counts.products,
        counts.product_flops, counts.transforms, counts.transformed, counts.copies, counts.copied,
        counts.waits, worker.device().memory(),
        double(batch) * products_of_floor<D>(comparison::grid_of<D>(shape), std::string(task) == "train"));
    std::fflush(stdout);
  }
}

}  // namespace

cufftResult __wrap_cufftMakePlanMany(cufftHandle handle, int rank, int* n, int* in, int in_stride,
                                     int in_distance, int* out, int out_stride, int out_distance,
                                     cufftType type, int batch, std::size_t* work) {
  double numbers = batch;
  for (int d = 0; d < rank; ++d) numbers *= n[d];
  plans().push_back({handle, numbers});
  return __real_cufftMakePlanMany(handle, rank, n, in, in_stride, in_distance, out, out_stride, out_distance,
                                  type, batch, work);
}

int main(int argc, char** argv) try {
  if (argc < 3) throw std::runtime_error("gpu_counts: usage is gpu_counts SHAPE BATCH...");
  const std::string shape = argv[1];
  for (int i = 2; i < argc; ++i)
    (shape.find('x') == std::string::npos ? count<1> : count<2>)(shape, std::stol(argv[i]));
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
