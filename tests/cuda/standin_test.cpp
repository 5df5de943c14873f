// The stand-in is an adversary: each of its properties can be seen. What it does about mistakes in device
// code is in mistakes_test.cpp.
#include "standin.hpp"

#include <cublas_v2.h>
#include <cuda_runtime_api.h>
#include <cufft.h>
#include <doctest/doctest.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <set>
#include <vector>

#include "mno/cuda/launch.hpp"
#include "support.hpp"

using mno::Index;
using standin::Progress;
using namespace standin::test;

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
  const Array<float> wide(std::vector<float>(9));  // (3, 3)
  CHECK(cudaMemcpy2DAsync(wide.data(), 12, middle.data(), 8, 8, 3, cudaMemcpyHostToDevice, nullptr) ==
        cudaSuccess);
  CHECK(wide.values() == std::vector<float>{1, 2, 0, 5, 6, 0, 9, 10, 0});
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
  CHECK(standin::queued() == 0);
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
  for (int i = 0; i < 10; ++i) {
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

namespace {
/// Every index, in the order in which threads come to it.
struct Log {
  int* place;
  int* count;
  void operator()(Index i) const { place[i] = (*count)++; }
};
}  // namespace

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

TEST_CASE_FIXTURE(Clean, "a closure with an address of the host is told, if that is asked for") {
  standin::settings().closures_hold_no_host_addresses = true;
  struct Store {  // without padding
    float* to;
    double value;
    void operator()(Index i) const { to[i] = float(value); }
  };
  const Array<float> x(4);
  std::vector<float> host(4);
  float* pinned = nullptr;
  REQUIRE(cudaMallocHost(reinterpret_cast<void**>(&pinned), 16) == cudaSuccess);
  mno::cuda::launch(4, Store{x.data(), 1}, nullptr);
  mno::cuda::launch(4, Store{pinned, 1}, nullptr);  // the device can reach pinned memory
  cudaDeviceSynchronize();
  CHECK(standin::violations().empty());
  CHECK(pinned[3] == 1);
  mno::cuda::launch(4, Store{host.data(), 1}, nullptr);
  cudaDeviceSynchronize();
  CHECK(mentions("its closure holds an address of host memory"));
  standin::clear_violations();
  cudaFreeHost(pinned);
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
