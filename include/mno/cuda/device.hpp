#pragma once
// A GPU as a device: a stream, cuBLAS and cuFFT on it, and the memory that computations work in.
//
//   mno::Cuda device;                          // where mno::Cpu device; stood
//   mno::Trainer trainer(model, train, &validation, options, device);
//
// A device belongs to ranks, as mno::Cpu does (device/communicator.hpp): each trains on its share of a batch,
// and all come to the same bits, whatever their number. What they share are `shards` of the batch, which a
// device computes one after the other: less memory, and smaller kernels.
//
// Calls return when their results are there. Inside a call everything is queued on one stream, and memory is
// one allocation, made when a computation needs more than any before: a training step allocates nothing.
#include <bit>
#include <cmath>
#include <memory>
#include <vector>

#include "mno/core/error.hpp"
#include "mno/core/tree.hpp"
#include "mno/cuda/blas.hpp"
#include "mno/cuda/error.hpp"
#include "mno/cuda/exchange.hpp"
#include "mno/cuda/fft.hpp"
#include "mno/cuda/launch.hpp"
#include "mno/cuda/memory.hpp"

namespace mno {

struct CudaOptions {
  int device = 0;     // which one, as CUDA counts them
  bool tf32 = false;  // products of floats with 10 bits of mantissa, which some cards compute faster
  Index shards = 0;   // parts of a training batch; 0: 1 alone, of several ranks 8 or more. Bits depend on it
};

namespace cuda {

template <class T> struct Fill {
  T* to;
  T value;
  MNO_HOST_DEVICE void operator()(Index i) const { to[i] = value; }
};

}  // namespace cuda

class Cuda {
 public:
  using Error = CudaError;  // what it throws when it fails

  explicit Cuda(CudaOptions options = {}, Communicator& communicator = alone())
      : Cuda(options, std::make_shared<cuda::ThroughHost>(communicator)) {}
  /// Of ranks with messages from device to device.
  Cuda(CudaOptions options, cuda::DeviceExchange& exchange)
      : Cuda(options, std::shared_ptr<cuda::DeviceExchange>(std::shared_ptr<void>(), &exchange)) {}
  Cuda(const Cuda&) = delete;
  Cuda& operator=(const Cuda&) = delete;
  ~Cuda() { release(); }

  cuda::Checks check;  // check(cudaSomething(…), "cudaSomething", size)

  const CudaOptions& options() const { return options_; }
  const cudaDeviceProp& properties() const { return properties_; }
  std::string name() const { return check.device; }
  cudaStream_t stream() const { return stream_; }

  /// The ranks that share the training on this device; each has a device of its own.
  Communicator& communicator() const { return exchange_->ranks(); }
  /// The shards of a batch of so many conditions: as even as can be, by their number alone.
  Shards shards(Index conditions) const {
    return {.batch = conditions, .block = 1, .limit = options_.shards, .together = 1};
  }
  /// Communicator::exchange with memory of the device.
  void exchange(std::span<const std::span<const std::byte>> send,
                std::span<const std::span<std::byte>> receive) {
    exchange_->exchange(send, receive, stream_, check);
  }

  /// Bytes held for work, to be reported.
  std::size_t memory() const { return workspace_.size(); }

  /// Everything that was queued is done.
  void wait() { check(cudaStreamSynchronize(stream_), "cudaStreamSynchronize"); }
  /// The same after an error: queued work may point to memory that is about to be freed.
  void settle() noexcept { cudaStreamSynchronize(stream_); }

  // --- a computation

  /// Runs body(samples) twice: first only to measure its memory, then to compute. If the memory is too small,
  /// the error says for how many samples it would be enough.
  template <class Body> void run(Index samples, Body&& body) {
    check(cudaSetDevice(options_.device), "cudaSetDevice",
          options_.device);  // also where another thread calls
    const std::size_t bytes = measure(samples, body);
    if (bytes > workspace_.size()) {
      wait();
      workspace_ = cuda::DeviceBuffer<std::byte>();
      try {
        workspace_ = cuda::DeviceBuffer<std::byte>(bytes, check);
      } catch (const DeviceOutOfMemory& error) {
        throw DeviceOutOfMemory(error.what() + advice(samples, body), error.asked);
      }
    }
    arena_.begin(workspace_.data(), workspace_.size());
    try {
      body(samples);
    } catch (...) {
      settle();
      throw;
    }
  }
  /// Bytes that body(samples) would take.
  template <class Body> std::size_t measure(Index samples, Body&& body) {
    struct Measuring {
      bool& flag;
      explicit Measuring(bool& f) : flag(f) { flag = true; }
      ~Measuring() { flag = false; }
    } guard(measuring_);
    arena_.measure();
    body(samples);
    return arena_.peak();
  }
  bool measuring() const { return measuring_; }
  cuda::DeviceArena& arena() { return arena_; }

  // --- the operations of a computation; while measuring they do nothing

  /// f(i) for all i < n. f is a struct whose operator() is MNO_HOST_DEVICE.
  template <class F> void for_each(Index n, const F& f) {
    static_assert(std::is_trivially_copyable_v<F>,
                  "mno: what runs on the device is copied there byte by byte");
    if (measuring_ || n == 0) return;
    check(cuda::launch(n, f, stream_), "a kernel", n, " items");
  }
  template <class T> void fill(T* to, Index n, T value) { for_each(n, cuda::Fill<T>{to, value}); }

  template <class T>
  void multiply(MatrixView<T> c, MatrixView<const T> a, cuda::Op op_a, MatrixView<const T> b, cuda::Op op_b,
                Write write, double s = 1) {
    multiply<T>(1, {c.data, c.rows, c.columns, c.pitch, 0}, {a.data, a.rows, a.columns, a.pitch, 0}, op_a,
                {b.data, b.rows, b.columns, b.pitch, 0}, op_b, write, s);
  }
  template <class T>
  void multiply(Index count, cuda::Matrices<T> c, cuda::Matrices<const T> a, cuda::Op op_a,
                cuda::Matrices<const T> b, cuda::Op op_b, Write write, double s = 1) {
    if (!measuring_) cuda::multiply<T>(blas_, check, count, c, a, op_a, b, op_b, s, write);
  }

  /// Half spectra (batch, bins) of real fields (batch, points), unscaled.
  template <class T, std::size_t D>
  void transform(const std::array<Index, D>& points, Index batch, const T* real, cuda::Complex<T>* half) {
    const cuda::FftPlan& plan = ready<T>(points, batch, false);
    if (measuring_) return;
    if constexpr (std::is_same_v<T, float>)
      check(cufftExecR2C(plan.handle, const_cast<T*>(real), half), "cufftExecR2C", batch, " fields");
    else
      check(cufftExecD2Z(plan.handle, const_cast<T*>(real), half), "cufftExecD2Z", batch, " fields");
  }
  /// The inverse; it overwrites `half`.
  template <class T, std::size_t D>
  void inverse_transform(const std::array<Index, D>& points, Index batch, cuda::Complex<T>* half, T* real) {
    const cuda::FftPlan& plan = ready<T>(points, batch, true);
    if (measuring_) return;
    if constexpr (std::is_same_v<T, float>)
      check(cufftExecC2R(plan.handle, half, real), "cufftExecC2R", batch, " fields");
    else
      check(cufftExecZ2D(plan.handle, half, real), "cufftExecZ2D", batch, " fields");
  }

  template <class T> void upload(const T* host, T* device, std::size_t n) {
    copy(host, device, n, cudaMemcpyHostToDevice);
  }
  /// The values are there after wait().
  template <class T> void download(const T* device, T* host, std::size_t n) {
    copy(device, host, n, cudaMemcpyDeviceToHost);
  }
  template <class T> void copy(const T* from, T* to, std::size_t n) {
    copy(from, to, n, cudaMemcpyDeviceToDevice);
  }

 private:
  Cuda(const CudaOptions& options, std::shared_ptr<cuda::DeviceExchange> exchange)
      : options_(options), exchange_(std::move(exchange)) {
    const Index ranks = communicator().size();
    if (options.shards == 0)
      options_.shards = ranks == 1 ? 1 : Index(std::bit_ceil(std::size_t(std::max<Index>(8, ranks))));
    require(options_.shards >= ranks && options_.shards <= Shards::most, "Cuda", "shards",
            Text("at most ", Shards::most, ", and one for each of the ", ranks, " rank(s) at least"),
            Text(options_.shards));
    int count = 0;
    const cudaError_t found = cudaGetDeviceCount(&count);
    if (found == cudaErrorNoDevice || found == cudaErrorInsufficientDriver ||
        (found == cudaSuccess && count == 0)) {
      cudaGetLastError();
      throw NoDevice(Text("mno::Cuda: no device was found (",
                          cudaGetErrorString(found == cudaSuccess ? cudaErrorNoDevice : found),
                          "). mno::Cpu does the same on the processor.")
                         .str());
    }
    check(found, "cudaGetDeviceCount");
    require(options.device >= 0 && options.device < count, "Cuda", "device",
            Text("a number below ", count, ", the devices that CUDA sees"), Text(options.device));
    check(cudaSetDevice(options.device), "cudaSetDevice", options.device);
    check(cudaGetDeviceProperties(&properties_, options.device), "cudaGetDeviceProperties", options.device);
    check.device = Text("device ", options.device, " (", properties_.name, ")").str();
    try {
      check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "cudaStreamCreate");
      check(cublasCreate(&blas_), "cublasCreate");
      check(cublasSetStream(blas_, stream_), "cublasSetStream");
      check(cublasSetMathMode(blas_, options.tf32 ? CUBLAS_TF32_TENSOR_OP_MATH : CUBLAS_DEFAULT_MATH),
            "cublasSetMathMode");
    } catch (...) {
      release();
      throw;
    }
  }

  template <class T> void copy(const T* from, T* to, std::size_t n, cudaMemcpyKind kind) {
    if (measuring_ || n == 0) return;
    check(cudaMemcpyAsync(to, from, n * sizeof(T), kind, stream_), "cudaMemcpyAsync",
          cuda::readable(n * sizeof(T)));
  }

  /// The plan, with its work area taken from the arena for the time of the enclosing scope.
  template <class T, std::size_t D>
  const cuda::FftPlan& ready(const std::array<Index, D>& points, Index batch, bool inverse) {
    cuda::FftKey key{int(D), {}, batch, std::is_same_v<T, float>, inverse};
    std::copy(points.begin(), points.end(), key.points.begin());
    const cuda::FftPlan& plan = plans_.get(key, stream_, check);
    std::byte* const work = arena_.scratch<std::byte>(std::max<std::size_t>(plan.work, 1));
    if (!measuring_)
      check(cufftSetWorkArea(plan.handle, work), "cufftSetWorkArea", cuda::readable(plan.work));
    return plan;
  }
  /// For how many samples the free memory would be enough.
  template <class Body> std::string advice(Index samples, Body& body) {
    std::size_t free = 0, total = 0;
    if (cudaMemGetInfo(&free, &total) != cudaSuccess) return "";
    Index fits = 0, not_these = samples;  // bisection
    try {
      while (not_these - fits > 1) {
        const Index middle = fits + (not_these - fits) / 2;
        (measure(middle, body) <= free ? fits : not_these) = middle;
      }
    } catch (const CudaError&) {  // plans of other sizes need memory too
      return "";
    }
    if (fits == 0)
      return Text(" Not even one sample would fit: a coarser grid or a smaller model would.").str();
    return Text(" It was asked for a batch of ", samples, "; a batch of ", fits, " would fit.").str();
  }

  void release() noexcept {
    if (stream_) cudaStreamSynchronize(stream_);
    plans_.clear();
    if (blas_) cublasDestroy(blas_);
    workspace_ = cuda::DeviceBuffer<std::byte>();
    if (stream_) cudaStreamDestroy(stream_);
    blas_ = nullptr;
    stream_ = nullptr;
  }

  CudaOptions options_;
  std::shared_ptr<cuda::DeviceExchange> exchange_;
  cudaDeviceProp properties_{};
  cudaStream_t stream_ = nullptr;
  cublasHandle_t blas_ = nullptr;
  cuda::FftPlans plans_;
  cuda::DeviceBuffer<std::byte> workspace_;
  cuda::DeviceArena arena_;
  bool measuring_ = false;
};

}  // namespace mno
