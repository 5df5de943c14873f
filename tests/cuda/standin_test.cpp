// The stand-in is an adversary: each of its properties can be seen. What it does about mistakes in device
// code is in mistakes_test.cpp.
#include "standin.hpp"

#include <cublas_v2.h>
#include <cuda_runtime_api.h>
#include <cufft.h>
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <cstring>
#include <numbers>
#include <numeric>
#include <set>
#include <vector>

#include "eigen_gpu.hpp"
#include "mno/core/random.hpp"
#include "mno/cuda/launch.hpp"

using mno::Index;
using standin::Progress;

namespace {

/// Device memory that is freed at the end of a test.
template <class T> struct Array {
  explicit Array(std::size_t n) : size(n) { REQUIRE(cudaMalloc(&address, n * sizeof(T)) == cudaSuccess); }
  explicit Array(const std::vector<T>& values) : Array(values.size()) {
    REQUIRE(cudaMemcpy(address, values.data(), size * sizeof(T), cudaMemcpyHostToDevice) == cudaSuccess);
  }
  ~Array() { cudaFree(address); }
  Array(const Array&) = delete;
  Array& operator=(const Array&) = delete;
  T* data() const { return static_cast<T*>(address); }
  std::vector<T> values() const {
    std::vector<T> result(size);
    REQUIRE(cudaMemcpy(result.data(), address, size * sizeof(T), cudaMemcpyDeviceToHost) == cudaSuccess);
    return result;
  }
  void* address = nullptr;
  std::size_t size;
};

struct Stream {
  explicit Stream(unsigned flags = cudaStreamNonBlocking) {
    REQUIRE(cudaStreamCreateWithFlags(&handle, flags) == cudaSuccess);
  }
  ~Stream() { cudaStreamDestroy(handle); }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  operator cudaStream_t() const { return handle; }
  cudaStream_t handle = nullptr;
};

struct Event {
  explicit Event(unsigned flags = cudaEventDisableTiming) {
    REQUIRE(cudaEventCreateWithFlags(&handle, flags) == cudaSuccess);
  }
  ~Event() { cudaEventDestroy(handle); }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  operator cudaEvent_t() const { return handle; }
  cudaEvent_t handle = nullptr;
};

struct Fill {
  float* to;
  float value;
  void operator()(Index i) const { to[i] = value; }
};
/// Every index, in the order in which threads come to it.
struct Log {
  int* place;
  int* count;
  void operator()(Index i) const { place[i] = (*count)++; }
};

template <class T> std::vector<T> noise(std::size_t n, std::uint64_t seed) {
  mno::Stream stream(seed);
  std::vector<T> values(n);
  for (T& value : values) value = T(stream.normal());
  return values;
}
template <class T> std::vector<std::complex<T>> complex_noise(std::size_t n, std::uint64_t seed) {
  const std::vector<T> parts = noise<T>(2 * n, seed);
  std::vector<std::complex<T>> values(n);
  for (std::size_t i = 0; i < n; ++i) values[i] = {parts[2 * i], parts[2 * i + 1]};
  return values;
}

bool mentions(const char* words) {
  const auto all = standin::violations();
  return std::any_of(all.begin(), all.end(), [&](const auto& one) { return one.find(words) != one.npos; });
}

template <class T> bool all_nan(const std::vector<T>& values) {
  return std::all_of(values.begin(), values.end(), [](T value) { return std::isnan(value); });
}

/// Every test starts clean, and ends without a violation that it did not expect and clear.
struct Clean {
  Clean() { standin::reset(); }
  ~Clean() {
    for (const std::string& violation : standin::violations()) FAIL_CHECK(violation);
    standin::reset();
  }
};

}  // namespace

// Streams

TEST_CASE_FIXTURE(Clean, "a launch runs when its stream is waited for, and not before") {
  const Stream stream;
  const Array<float> x(4);
  REQUIRE(mno::cuda::launch(4, Fill{x.data(), 3}, stream) == cudaSuccess);
  CHECK(standin::queued() == 1);
  CHECK(all_nan(x.values()));  // a blocking copy does not wait for a non-blocking stream
  CHECK(cudaStreamSynchronize(stream) == cudaSuccess);
  CHECK(standin::queued() == 0);
  CHECK(x.values() == std::vector<float>(4, 3.f));
}

TEST_CASE_FIXTURE(Clean, "the default stream and blocking streams wait for each other") {
  const Stream stream(cudaStreamDefault);
  const Array<float> x(4);
  mno::cuda::launch(4, Fill{x.data(), 3}, stream);
  CHECK(x.values() == std::vector<float>(4, 3.f));
  mno::cuda::launch(4, Fill{x.data(), 5}, nullptr);
  mno::cuda::launch(2, Fill{x.data(), 6}, stream);
  cudaStreamSynchronize(stream);
  CHECK(standin::queued() == 0);
  CHECK(x.values() == std::vector<float>{6, 6, 5, 5});
}

TEST_CASE_FIXTURE(
    Clean, "streams go on independently: late, only the one that is waited for; early, the others first") {
  const Array<float> x(1);
  for (const auto progress : {Progress::late, Progress::early, Progress::at_once}) {
    standin::settings().progress = progress;
    const Stream first, second;
    mno::cuda::launch(1, Fill{x.data(), 1}, first);
    mno::cuda::launch(1, Fill{x.data(), 2}, second);
    CHECK(standin::queued() == (progress == Progress::at_once ? 0 : 2));
    cudaStreamSynchronize(first);
    CHECK(standin::queued() == (progress == Progress::late ? 1 : 0));
    // Early, the second stream ran before the first, though its work came later.
    CHECK(x.values()[0] == (progress == Progress::at_once ? 2 : 1));
    cudaStreamSynchronize(second);
    CHECK(x.values()[0] == (progress == Progress::early ? 1 : 2));
  }
}

TEST_CASE_FIXTURE(Clean, "waiting for an event runs the other stream up to its record, and no further") {
  const Stream copies, work;
  const Event ready;
  const Array<float> x(1), y(1);
  mno::cuda::launch(1, Fill{x.data(), 1}, copies);
  CHECK(cudaEventRecord(ready, copies) == cudaSuccess);
  mno::cuda::launch(1, Fill{x.data(), 2}, copies);
  CHECK(cudaStreamWaitEvent(work, ready, 0) == cudaSuccess);
  CHECK(cudaMemcpyAsync(y.data(), x.data(), sizeof(float), cudaMemcpyDeviceToDevice, work) == cudaSuccess);
  CHECK(cudaEventQuery(ready) == cudaErrorNotReady);
  CHECK(cudaGetLastError() == cudaErrorNotReady);
  cudaStreamSynchronize(work);
  CHECK(cudaEventQuery(ready) == cudaSuccess);
  CHECK(y.values()[0] == 1);
  CHECK(standin::queued() == 1);
  CHECK(cudaDeviceSynchronize() == cudaSuccess);
  CHECK(x.values()[0] == 2);
}

TEST_CASE_FIXTURE(
    Clean,
    "events: what was not recorded is not waited for, a record can be waited for by the host, and times") {
  const Stream stream;
  const Event never, untimed;
  const Event start(cudaEventDefault), stop(cudaEventDefault);
  CHECK(cudaStreamWaitEvent(stream, never, 0) == cudaSuccess);
  CHECK(cudaEventSynchronize(never) == cudaSuccess);
  const Array<float> x(1);
  cudaEventRecord(start, stream);
  mno::cuda::launch(1, Fill{x.data(), 1}, stream);
  cudaEventRecord(stop, stream);
  mno::cuda::launch(1, Fill{x.data(), 2}, stream);
  float milliseconds = -1;
  CHECK(cudaEventElapsedTime(&milliseconds, start, stop) == cudaErrorNotReady);
  CHECK(cudaEventSynchronize(stop) == cudaSuccess);
  CHECK(x.values()[0] == 1);
  CHECK(cudaEventElapsedTime(&milliseconds, start, stop) == cudaSuccess);
  CHECK(milliseconds >= 0);
  cudaEventRecord(untimed, stream);
  cudaStreamSynchronize(stream);
  CHECK(cudaEventElapsedTime(&milliseconds, start, untimed) == cudaErrorInvalidResourceHandle);
}

TEST_CASE_FIXTURE(Clean, "who asks again and again is answered in the end") {
  const Stream stream;
  const Array<float> x(1);
  for (int i = 0; i < 3; ++i) mno::cuda::launch(1, Fill{x.data(), float(i)}, stream);
  int asked = 0;
  while (cudaStreamQuery(stream) == cudaErrorNotReady) ++asked;
  CHECK(asked == 3);
  CHECK(x.values()[0] == 2);
}

TEST_CASE_FIXTURE(Clean, "work of a destroyed stream still runs; its handle is no longer good") {
  const Array<float> x(1);
  cudaStream_t stream = nullptr;
  cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  mno::cuda::launch(1, Fill{x.data(), 7}, stream);
  cudaStreamDestroy(stream);
  CHECK(mno::cuda::launch(1, Fill{x.data(), 8}, stream) == cudaErrorInvalidResourceHandle);
  CHECK(mentions("stream that does not exist"));
  standin::clear_violations();
  cudaDeviceSynchronize();
  CHECK(x.values()[0] == 7);
}

TEST_CASE_FIXTURE(Clean, "a copy reads pageable memory in the call, and pinned memory when it runs") {
  const Stream stream;
  const Array<float> x(2);
  std::vector<float> pageable{1};
  float* pinned = nullptr;
  REQUIRE(cudaMallocHost(reinterpret_cast<void**>(&pinned), sizeof(float)) == cudaSuccess);
  CHECK(std::isnan(*pinned));
  *pinned = 1;
  cudaMemcpyAsync(x.data(), pageable.data(), sizeof(float), cudaMemcpyHostToDevice, stream);
  cudaMemcpyAsync(x.data() + 1, pinned, sizeof(float), cudaMemcpyHostToDevice, stream);
  pageable[0] = *pinned = 2;
  cudaStreamSynchronize(stream);
  CHECK(x.values() == std::vector<float>{1, 2});
  cudaFreeHost(pinned);
}

TEST_CASE_FIXTURE(Clean, "pinned memory that is freed before its copy ran is not read") {
  const Stream stream;
  const Array<float> x(1);
  void* pinned = nullptr;
  REQUIRE(cudaMallocHost(&pinned, sizeof(float)) == cudaSuccess);
  cudaMemcpyAsync(x.data(), pinned, sizeof(float), cudaMemcpyHostToDevice, stream);
  cudaFreeHost(pinned);
  cudaStreamSynchronize(stream);
  CHECK(mentions("pinned memory that was freed"));
  standin::clear_violations();
}

TEST_CASE_FIXTURE(Clean, "rows with a pitch") {
  const Array<float> x(std::vector<float>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11});  // (3, 4)
  std::vector<float> middle(6);                                                    // (3, 2)
  CHECK(cudaMemcpy2DAsync(middle.data(), 8, x.data() + 1, 16, 8, 3, cudaMemcpyDeviceToHost, nullptr) ==
        cudaSuccess);
  cudaStreamSynchronize(nullptr);
  CHECK(middle == std::vector<float>{1, 2, 5, 6, 9, 10});
  CHECK(cudaMemcpy2DAsync(middle.data(), 8, x.data() + 3, 16, 8, 3, cudaMemcpyDeviceToHost, nullptr) ==
        cudaErrorInvalidValue);  // the last row goes one element too far
  CHECK(mentions("cudaMemcpy2DAsync: the source (40 bytes) goes 4 bytes beyond the end of allocation"));
  standin::clear_violations();
}

// Memory

TEST_CASE_FIXTURE(Clean, "the host cannot touch device memory; queued work can") {
  const Array<float> x(100);
  CHECK(standin::faults([&] { *static_cast<volatile float*>(x.data()) = 1; }));
  CHECK(standin::faults([&] { (void)*static_cast<volatile float*>(x.data() + 99); }));
  mno::cuda::launch(100, Fill{x.data(), 1}, nullptr);
  cudaDeviceSynchronize();
  CHECK(standin::faults([&] { *static_cast<volatile float*>(x.data()) = 1; }));
  CHECK_FALSE(standin::faults([] {}));
}

TEST_CASE_FIXTURE(Clean, "memory is aligned, holds NaN in both precisions, and again when it was freed") {
  const Array<float> single(65);
  const Array<double> real(65);
  CHECK(reinterpret_cast<std::uintptr_t>(single.address) % 256 == 0);
  CHECK(reinterpret_cast<std::uintptr_t>(real.address) % 256 == 0);
  CHECK(all_nan(single.values()));
  CHECK(all_nan(real.values()));
  struct Copy {  // reads beyond what copies may read
    const float* from;
    float* to;
    void operator()(Index i) const { to[i] = from[i]; }
  };
  float* late = nullptr;
  {
    const Array<float> freed(std::vector<float>(10, 1.f));
    late = freed.data();
  }
  const Array<float> seen(10);
  mno::cuda::launch(10, Copy{late, seen.data()}, nullptr);
  CHECK(all_nan(seen.values()));
  mno::cuda::launch(10, Copy{single.data() + 65, seen.data()}, nullptr);  // behind the end
  CHECK(all_nan(seen.values()));
  mno::cuda::launch(10, Copy{single.data() - 10, seen.data()}, nullptr);
  CHECK(all_nan(seen.values()));
}

TEST_CASE_FIXTURE(Clean, "a write beyond an end names the launch and the allocation, once") {
  const Array<float> x(10);
  struct Beyond {
    float* to;
    Index from;
    void operator()(Index i) const { to[from + i] = std::numeric_limits<float>::quiet_NaN(); }
  };
  for (const Index from : {Index(1), Index(-1), Index(1000)}) {
    mno::cuda::launch(10, Beyond{x.data(), from}, nullptr);
    cudaDeviceSynchronize();
    CHECK(mentions(from < 0 ? "wrote before the start of allocation" : "wrote beyond the end of allocation"));
    CHECK(mentions("(40 bytes)"));
    CHECK(mentions("Launch "));
    CHECK(standin::violations().size() == 1);
    standin::clear_violations();
  }
  mno::cuda::launch(10, Beyond{x.data(), 0}, nullptr);
  cudaDeviceSynchronize();
}

TEST_CASE_TEMPLATE("an update beyond an end is found, though NaN stays NaN", T, float, double) {
  const Clean clean;
  struct Update {
    T *sum, *product;
    void operator()(Index i) const {
      sum[i] += T(1);
      product[i] *= T(0.5);
    }
  };
  for (const std::size_t n : {1u, 2u, 3u, 64u}) {
    const Array<T> sum(std::vector<T>(n, T(1))), product(std::vector<T>(n, T(1)));
    mno::cuda::launch(Index(n), Update{sum.data(), product.data()}, nullptr);
    cudaDeviceSynchronize();
    CHECK(standin::violations().empty());
    mno::cuda::launch(Index(n + 1), Update{sum.data(), product.data()}, nullptr);
    cudaDeviceSynchronize();
    CHECK(standin::violations().size() == 2);
    standin::clear_violations();
  }
}

TEST_CASE_FIXTURE(Clean, "a write to freed memory is found, also by work that was queued before") {
  const Stream stream;
  float* late = nullptr;
  {
    const Array<float> freed(10);
    late = freed.data();
    mno::cuda::launch(10, Fill{late, 1}, stream);
    cudaMemsetAsync(late, 0, 40, stream);
  }
  CHECK(standin::violations().empty());
  cudaStreamSynchronize(stream);
  CHECK(mentions("written after it was freed"));
  CHECK(mentions("cudaMemsetAsync, when it ran: the destination (40 bytes) is in no live allocation"));
  standin::clear_violations();
  standin::settings().free_waits = true;  // then cudaFree does what most drivers do
  {
    const Array<float> freed(10);
    mno::cuda::launch(10, Fill{freed.data(), 1}, stream);
  }
}

TEST_CASE_FIXTURE(Clean, "ranges of copies and memsets must lie in one live allocation") {
  const Array<float> x(8), y(8);
  std::vector<float> host(16);
  CHECK(cudaMemcpy(host.data(), x.data(), 36, cudaMemcpyDeviceToHost) == cudaErrorInvalidValue);
  CHECK(cudaMemcpyAsync(x.data() + 1, host.data(), 32, cudaMemcpyHostToDevice, nullptr) ==
        cudaErrorInvalidValue);
  CHECK(cudaMemsetAsync(host.data(), 0, 4, nullptr) == cudaErrorInvalidValue);
  CHECK(cudaMemcpy(x.data(), y.data(), 32, cudaMemcpyHostToDevice) ==
        cudaErrorInvalidValue);  // the wrong kind
  CHECK(cudaMemcpy(x.data() + 1, x.data(), 16, cudaMemcpyDeviceToDevice) == cudaErrorInvalidValue);
  CHECK(standin::violations().size() == 5);
  CHECK(cudaGetLastError() == cudaErrorInvalidValue);
  CHECK(cudaGetLastError() == cudaSuccess);
  standin::clear_violations();
  CHECK(cudaMemcpy(x.data(), host.data(), 32, cudaMemcpyDefault) == cudaSuccess);
  CHECK(cudaMemcpy(x.data(), host.data(), 0, cudaMemcpyHostToDevice) == cudaSuccess);
}

TEST_CASE_FIXTURE(Clean, "the device has as much memory as is set, and tells how much is left") {
  const std::size_t before = standin::usage().device_bytes;
  standin::settings().total_memory = before + 1024;
  std::size_t left = 0, total = 0;
  CHECK(cudaMemGetInfo(&left, &total) == cudaSuccess);
  CHECK(total == before + 1024);
  CHECK(left == 1024);
  const Array<float> x(100);  // takes 512
  void* more = &left;
  CHECK(cudaMalloc(&more, 513) == cudaErrorMemoryAllocation);
  CHECK(more == nullptr);
  CHECK(cudaPeekAtLastError() == cudaErrorMemoryAllocation);
  // Nobody took the error: with NVIDIA's compiler the next launch returns it.
  CHECK(mno::cuda::launch(1, Fill{x.data(), 1}, nullptr) == cudaErrorMemoryAllocation);
  CHECK(mno::cuda::launch(1, Fill{x.data(), 1}, nullptr) == cudaSuccess);
  cudaMemGetInfo(&left, &total);
  CHECK(left == 512);
  CHECK(cudaMalloc(&more, 512) == cudaSuccess);
  CHECK(cudaFree(more) == cudaSuccess);
  CHECK(cudaFree(more) == cudaErrorInvalidValue);
  CHECK(mentions("cudaFree was given an address that is not allocated"));
  standin::clear_violations();
}

TEST_CASE_FIXTURE(Clean, "much memory comes and goes without the pool growing for ever") {
  for (int i = 0; i < 50; ++i) {
    const Array<char> x(std::size_t(4) << 20), y(std::size_t(3) << 20);
    REQUIRE(cudaMemsetAsync(y.data(), 0, y.size, nullptr) == cudaSuccess);
    cudaDeviceSynchronize();
    CHECK(x.values()[12345] == char(0xFF));
  }
  CHECK(standin::violations().empty());
}

TEST_CASE_FIXTURE(Clean, "pointers are told apart") {
  const Array<float> x(4);
  float pageable = 0;
  void* pinned = nullptr;
  cudaHostAlloc(&pinned, 64, cudaHostAllocDefault);
  cudaPointerAttributes attributes;
  cudaPointerGetAttributes(&attributes, x.data() + 3);
  CHECK(attributes.type == cudaMemoryTypeDevice);
  cudaPointerGetAttributes(&attributes, pinned);
  CHECK(attributes.type == cudaMemoryTypeHost);
  cudaPointerGetAttributes(&attributes, &pageable);
  CHECK(attributes.type == cudaMemoryTypeUnregistered);
  cudaFreeHost(pinned);
}

// Launches

TEST_CASE_FIXTURE(Clean, "threads run in any order, and every index is met once") {
  for (const Index n : {Index(1000), Index(200000)}) {  // a shuffle, and an affine permutation
    std::set<std::vector<int>> orders;
    for (const std::uint64_t seed : {0u, 1u, 2u, 2u}) {
      standin::reset();  // launches are counted anew: the same seed gives the same order
      standin::settings().thread_order = seed;
      const Array<int> place{std::size_t(n)};
      const Array<int> count(std::vector<int>{0});
      mno::cuda::launch(n, Log{place.data(), count.data()}, nullptr);
      std::vector<int> order = place.values(), sorted = order;
      std::sort(sorted.begin(), sorted.end());
      std::vector<int> natural(sorted.size());
      std::iota(natural.begin(), natural.end(), 0);
      CHECK(sorted == natural);
      CHECK((order == natural) == (seed == 0));
      orders.insert(order);
    }
    CHECK(orders.size() == 3);
  }
}

TEST_CASE_FIXTURE(Clean, "a launch may have fewer threads than it asked for") {
  standin::settings().blocks = 3;
  standin::settings().threads = 5;
  standin::settings().thread_order = 4;
  const Array<float> x(1000);
  mno::cuda::launch(1000, Fill{x.data(), 2}, nullptr);
  CHECK(x.values() == std::vector<float>(1000, 2.f));
  struct Threads {
    unsigned* seen;
  };
  const Array<unsigned> seen(std::vector<unsigned>(2));
  const Threads threads{seen.data()};
  mno_standin_launch(
      &threads, sizeof threads,
      [](const void* closure, mno::cuda::ThreadPosition at) {
        unsigned* const to = static_cast<const Threads*>(closure)->seen;
        to[0] = at.blocks;
        to[1] = at.threads;
      },
      100, 256, nullptr);
  CHECK(seen.values() == std::vector<unsigned>{3, 5});
}

// Failures

TEST_CASE_FIXTURE(Clean, "the n-th call or allocation fails, once and without effect") {
  const auto before = standin::usage();
  const Array<float> x(std::vector<float>{1});
  const auto calls = standin::counts().calls;
  standin::fail_call(2);
  CHECK(cudaMemsetAsync(x.data(), 0, 2, nullptr) == cudaSuccess);
  CHECK(standin::failure_pending());
  CHECK(mno::cuda::launch(1, Fill{x.data(), 9}, nullptr) == cudaErrorLaunchOutOfResources);
  CHECK_FALSE(standin::failure_pending());
  CHECK(standin::counts().calls == calls + 2);
  CHECK(cudaDeviceSynchronize() == cudaSuccess);
  CHECK(x.values()[0] != 9);

  standin::fail_allocation(2);
  void *first = nullptr, *second = nullptr;
  CHECK(cudaMalloc(&first, 8) == cudaSuccess);
  CHECK(cudaStreamSynchronize(nullptr) == cudaSuccess);
  CHECK(cudaMallocHost(&second, 8) == cudaErrorMemoryAllocation);
  CHECK(cudaGetLastError() == cudaErrorMemoryAllocation);
  CHECK(second == nullptr);
  CHECK(cudaMallocHost(&second, 8) == cudaSuccess);
  CHECK(standin::usage().device_allocations == before.device_allocations + 2);
  CHECK(standin::usage().pinned_allocations == before.pinned_allocations + 1);
  cudaFree(first);
  cudaFreeHost(second);

  standin::fail_call(1);
  cufftHandle plan = 0;
  CHECK(cufftCreate(&plan) == CUFFT_ALLOC_FAILED);
  standin::fail_call(1);
  cublasHandle_t blas = nullptr;
  CHECK(cublasCreate(&blas) == CUBLAS_STATUS_ALLOC_FAILED);
  CHECK(standin::usage().plans == before.plans);
  CHECK(standin::usage().blas_handles == before.blas_handles);
}

TEST_CASE_FIXTURE(Clean, "the device and its errors have names") {
  int count = 0, device = -1, processors = 0;
  cudaDeviceProp properties;
  CHECK(cudaGetDeviceCount(&count) == cudaSuccess);
  CHECK(count == 1);
  CHECK(cudaGetDevice(&device) == cudaSuccess);
  CHECK(cudaSetDevice(device) == cudaSuccess);
  CHECK(cudaSetDevice(1) == cudaErrorInvalidDevice);
  CHECK(cudaGetDeviceProperties(&properties, device) == cudaSuccess);
  CHECK(properties.totalGlobalMem == standin::settings().total_memory);
  CHECK(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device) == cudaSuccess);
  CHECK(processors == properties.multiProcessorCount);
  CHECK(std::string(cudaGetErrorName(cudaErrorMemoryAllocation)) == "cudaErrorMemoryAllocation");
  CHECK(std::string(cudaGetErrorString(cudaErrorMemoryAllocation)) == "out of memory");
  CHECK(std::string(cublasGetStatusString(CUBLAS_STATUS_SUCCESS)) == "success");
  int runtime = 0, driver = 0;
  CHECK(cudaRuntimeGetVersion(&runtime) == cudaSuccess);
  CHECK(cudaDriverGetVersion(&driver) == cudaSuccess);
  CHECK(driver >= runtime);
}

// cuFFT

namespace {

template <class T> struct Cufft;
template <> struct Cufft<float> {
  using Complex = cufftComplex;
  static constexpr auto forward_type = CUFFT_R2C, inverse_type = CUFFT_C2R;
  static constexpr auto forward = cufftExecR2C;
  static constexpr auto inverse = cufftExecC2R;
  static constexpr double tolerance = 1e-5;
};
template <> struct Cufft<double> {
  using Complex = cufftDoubleComplex;
  static constexpr auto forward_type = CUFFT_D2Z, inverse_type = CUFFT_Z2D;
  static constexpr auto forward = cufftExecD2Z;
  static constexpr auto inverse = cufftExecZ2D;
  static constexpr double tolerance = 1e-13;
};

/// A plan for a channel-last batch: (batch, grid…, channel), one transform per channel of one batch entry.
/// Work area and stream are the caller's, as a library has them that allocates nothing while it runs.
template <class T> struct Plan {
  Plan(std::vector<int> n, int channels, cufftType type) {
    std::vector<int> half = n;
    half.back() = n.back() / 2 + 1;
    const bool forward = type == Cufft<T>::forward_type;
    std::vector<int>&in = forward ? n : half, &out = forward ? half : n;
    REQUIRE(cufftCreate(&handle) == CUFFT_SUCCESS);
    REQUIRE(cufftSetAutoAllocation(handle, 0) == CUFFT_SUCCESS);
    REQUIRE(cufftMakePlanMany(handle, int(n.size()), n.data(), in.data(), channels, 1, out.data(), channels,
                              1, type, channels, &bytes) == CUFFT_SUCCESS);
  }
  ~Plan() { cufftDestroy(handle); }
  Plan(const Plan&) = delete;
  Plan& operator=(const Plan&) = delete;
  cufftHandle handle = 0;
  std::size_t bytes = 0;
};

/// Σ_x u(x) exp(−2πi Σ_a k_a x_a / n_a) of one channel, by the definition.
template <class T>
std::complex<double> coefficient(const std::vector<T>& u, const std::array<int, 2>& n, int channels,
                                 int channel, int k0, int k1) {
  std::complex<double> sum = 0;
  for (int x0 = 0; x0 < n[0]; ++x0)
    for (int x1 = 0; x1 < n[1]; ++x1)
      sum += double(u[std::size_t((x0 * n[1] + x1) * channels + channel)]) *
             std::polar(1., -2 * std::numbers::pi * (double(k0 * x0) / n[0] + double(k1 * x1) / n[1]));
  return sum;
}

}  // namespace

TEST_CASE_TEMPLATE("a strided transform equals the defining sum, and the inverse gives N times the array", T,
                   float, double) {
  const Clean clean;
  for (const auto n : {std::array{4, 6}, std::array{5, 7}, std::array{1, 8}}) {
    constexpr int channels = 3;
    const int half = n[1] / 2 + 1;
    const auto points = std::size_t(n[0] * n[1]);
    const std::vector<T> u = noise<T>(points * channels, 5);
    const Array<T> x(u), back(u.size());
    const Array<std::complex<T>> spectrum(std::size_t(n[0] * half * channels));
    auto* const complex = reinterpret_cast<typename Cufft<T>::Complex*>(spectrum.data());
    const Plan<T> forward({n[0], n[1]}, channels, Cufft<T>::forward_type);
    const Plan<T> inverse({n[0], n[1]}, channels, Cufft<T>::inverse_type);
    const Array<std::byte> work(std::max(forward.bytes, inverse.bytes));
    const Stream stream;
    for (const auto* plan : {&forward, &inverse}) {
      REQUIRE(cufftSetWorkArea(plan->handle, work.data()) == CUFFT_SUCCESS);
      REQUIRE(cufftSetStream(plan->handle, stream) == CUFFT_SUCCESS);
    }
    REQUIRE(Cufft<T>::forward(forward.handle, x.data(), complex) == CUFFT_SUCCESS);
    CHECK(standin::queued() == 1);
    cudaStreamSynchronize(stream);
    const auto got = spectrum.values();
    double worst = 0;
    for (int k0 = 0; k0 < n[0]; ++k0)
      for (int k1 = 0; k1 < half; ++k1)
        for (int c = 0; c < channels; ++c)
          worst = std::max(worst,
                           std::abs(std::complex<double>(got[std::size_t((k0 * half + k1) * channels + c)]) -
                                    coefficient(u, n, channels, c, k0, k1)));
    CHECK(worst < Cufft<T>::tolerance);
    CHECK(x.values() == u);  // out of place, a forward transform leaves its input alone
    for (const std::byte one : work.values()) CHECK(one == std::byte(0xFF));

    REQUIRE(Cufft<T>::inverse(inverse.handle, complex, back.data()) == CUFFT_SUCCESS);
    cudaStreamSynchronize(stream);
    const auto result = back.values();
    worst = 0;
    for (std::size_t i = 0; i < u.size(); ++i)
      worst = std::max(worst, std::abs(double(result[i]) / double(points) - double(u[i])));
    CHECK(worst < Cufft<T>::tolerance);
    for (const auto& value : spectrum.values()) CHECK(std::isnan(value.real()));  // the input is gone
  }
}

TEST_CASE_FIXTURE(Clean, "the default layout ignores strides; in place, rows of reals are padded") {
  long long n[] = {6};
  std::size_t bytes = 0;
  const std::vector<double> u = noise<double>(12, 3);  // (2, 6)
  std::vector<double> padded(16);                      // (2, 8)
  for (std::size_t b = 0; b < 2; ++b) std::copy_n(u.begin() + long(6 * b), 6, padded.begin() + long(8 * b));
  const Array<double> apart(u), in_place(padded);
  const Array<std::complex<double>> spectrum(8);
  cufftHandle plan = 0;
  REQUIRE(cufftCreate(&plan) == CUFFT_SUCCESS);
  const auto before = standin::usage();
  REQUIRE(cufftMakePlanMany64(plan, 1, n, nullptr, 77, 99, nullptr, 55, 33, CUFFT_D2Z, 2, &bytes) ==
          CUFFT_SUCCESS);
  CHECK(standin::usage().device_allocations == before.device_allocations + 1);  // its own work area
  std::size_t asked = 0;
  CHECK(cufftGetSize(plan, &asked) == CUFFT_SUCCESS);
  CHECK(asked == bytes);
  REQUIRE(cufftExecD2Z(plan, apart.data(), reinterpret_cast<cufftDoubleComplex*>(spectrum.data())) ==
          CUFFT_SUCCESS);
  REQUIRE(cufftExecD2Z(plan, in_place.data(), reinterpret_cast<cufftDoubleComplex*>(in_place.data())) ==
          CUFFT_SUCCESS);
  const auto expected = spectrum.values();
  const auto flat = in_place.values();
  for (std::size_t k = 0; k < 8; ++k)
    CHECK(std::abs(expected[k] - std::complex<double>(flat[2 * k], flat[2 * k + 1])) < 1e-14);
  const std::vector<double> second(u.begin() + 6, u.end());
  for (int k = 0; k < 4; ++k)
    CHECK(std::abs(expected[std::size_t(4 + k)] - coefficient(second, {1, 6}, 1, 0, 0, k)) < 1e-13);
  cufftDestroy(plan);
  CHECK(standin::usage().device_allocations == before.device_allocations);
}

TEST_CASE_FIXTURE(Clean, "a transform without work area, of another type or beyond its arrays is an error") {
  const Plan<float> plan({8}, 1, CUFFT_R2C);
  const Array<float> x(std::vector<float>(8)), small(7);
  const Array<std::complex<float>> y(5);
  auto* const complex = reinterpret_cast<cufftComplex*>(y.data());
  const Array<std::byte> work(plan.bytes), too_small(plan.bytes - 1);
  CHECK(cufftExecR2C(plan.handle, x.data(), complex) == CUFFT_NO_WORKSPACE);
  CHECK(cufftSetWorkArea(plan.handle, too_small.data()) == CUFFT_INVALID_VALUE);
  REQUIRE(cufftSetWorkArea(plan.handle, work.data()) == CUFFT_SUCCESS);
  CHECK(cufftExecC2R(plan.handle, complex, x.data()) == CUFFT_INVALID_TYPE);
  CHECK(cufftExecR2C(plan.handle, small.data(), complex) == CUFFT_EXEC_FAILED);
  CHECK(mentions("the input (32 bytes) goes 4 bytes beyond the end of allocation"));
  CHECK(cufftExecR2C(plan.handle, x.data(), complex + 1) == CUFFT_EXEC_FAILED);
  CHECK(cufftExecR2C(99999, x.data(), complex) == CUFFT_INVALID_PLAN);
  CHECK(standin::violations().size() == 6);
  standin::clear_violations();
  CHECK(cufftExecR2C(plan.handle, x.data(), complex) == CUFFT_SUCCESS);
}

TEST_CASE_FIXTURE(Clean, "a work area that was freed before the transform ran is found") {
  const Plan<float> plan({8}, 1, CUFFT_R2C);
  const Array<float> x(std::vector<float>(8));
  const Array<std::complex<float>> y(5);
  {
    const Array<std::byte> work(plan.bytes);
    REQUIRE(cufftSetWorkArea(plan.handle, work.data()) == CUFFT_SUCCESS);
    REQUIRE(cufftExecR2C(plan.handle, x.data(), reinterpret_cast<cufftComplex*>(y.data())) == CUFFT_SUCCESS);
  }
  cudaDeviceSynchronize();
  CHECK(mentions("the work area"));
  standin::clear_violations();
}

TEST_CASE_FIXTURE(
    Clean, "a spectrum that is not that of a real array is found, on both planes and in two dimensions") {
  const auto found = [](std::vector<int> n, std::size_t at, std::complex<double> change) {
    const Plan<double> plan(n, 1, CUFFT_Z2D);
    const int half = n.back() / 2 + 1, rows = n.size() == 2 ? n[0] : 1;
    std::vector<std::complex<double>> values(std::size_t(rows * half), {1, 0});
    values[at] += change;
    const Array<std::complex<double>> spectrum(values);
    const Array<double> result{std::size_t(rows * n.back())};
    const Array<std::byte> work(plan.bytes);
    cufftSetWorkArea(plan.handle, work.data());
    CHECK(cufftExecZ2D(plan.handle, reinterpret_cast<cufftDoubleComplex*>(spectrum.data()), result.data()) ==
          CUFFT_SUCCESS);
    cudaDeviceSynchronize();
    const bool seen = mentions("is not the spectrum of a real array");
    standin::clear_violations();
    return seen;
  };
  const std::complex<double> i(0, 0.5), tiny(0, 1e-12);
  CHECK_FALSE(found({8}, 0, 0));
  CHECK(found({8}, 0, i));
  CHECK(found({8}, 4, i));
  CHECK_FALSE(found({8}, 2, i));
  CHECK_FALSE(found({8}, 0, tiny));
  CHECK_FALSE(found({7}, 3, i));  // without a middle, the last index is one like others
  CHECK(found({4, 6}, 1 * 4 + 0, i));
  CHECK(found({4, 6}, 3 * 4 + 3, i));
  CHECK(found({4, 6}, 2 * 4 + 0, i));    // a row that is its own opposite
  CHECK(found({4, 6}, 1 * 4 + 0, 0.5));  // X(k) and X(−k) differ, though both are real
  CHECK_FALSE(found({4, 6}, 1 * 4 + 1, i));
}

// cuBLAS

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
  const Array<std::byte> workspace(1024);
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

// Eigen

namespace {
/// What Eigen's GpuDevice needs of a stream.
class OwnStream final : public Eigen::StreamInterface {
 public:
  explicit OwnStream(cudaStream_t stream) : stream_(stream) { cudaGetDeviceProperties(&properties_, 0); }
  const cudaStream_t& stream() const override { return stream_; }
  const cudaDeviceProp& deviceProperties() const override { return properties_; }
  void* allocate(std::size_t bytes) const override {
    void* address = nullptr;
    cudaMalloc(&address, bytes);
    return address;
  }
  void deallocate(void* address) const override { cudaFree(address); }
  void* scratchpad() const override { return nullptr; }
  unsigned* semaphore() const override { return nullptr; }

 private:
  cudaStream_t stream_;
  cudaDeviceProp properties_;
};
}  // namespace

TEST_CASE_FIXTURE(Clean, "an Eigen expression runs on the stream of its device, one coefficient per index") {
  standin::settings().thread_order = 6;
  const Stream stream;
  const OwnStream own(stream);
  const Eigen::GpuDevice gpu(&own);
  const std::vector<float> values = noise<float>(1000, 8);
  const Array<float> from(values), to(values.size());
  const Eigen::TensorMap<Eigen::Tensor<const float, 2, Eigen::RowMajor>> x(from.data(), 50, 20);
  Eigen::TensorMap<Eigen::Tensor<float, 2, Eigen::RowMajor>> y(to.data(), 50, 20);
  y.device(gpu) = x * 2.f + x.exp();
  CHECK(standin::queued() == 1);
  CHECK(all_nan(to.values()));
  cudaStreamSynchronize(stream);
  const auto result = to.values();
  for (std::size_t i = 0; i < values.size(); ++i)
    CHECK(result[i] == doctest::Approx(values[i] * 2 + std::exp(values[i])).epsilon(1e-6));

  y.device(gpu) = x;  // Eigen makes this a copy
  cudaStreamSynchronize(stream);
  CHECK(to.values() == values);
  standin::fail_call(1);
  y.device(gpu) = x + 1.f;
  CHECK(cudaGetLastError() == cudaErrorLaunchOutOfResources);
}
