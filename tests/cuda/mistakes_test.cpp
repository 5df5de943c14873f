// Mistakes that device code is known for, each put into one realistic program: the stand-in must show every
// one of them, and must have nothing to say about the program without mistakes.
//
// The program is a truncated spectral convolution of a sequence of fields, as a Fourier layer has it:
//   û = F u,  v̂_k = w_k û_k for k < modes and 0 beyond,  v = F⁻¹ v̂ / n,  energy = Σ_k |v̂_k|².
// Fields come through a pinned buffer and a copy stream of their own, so that the next one is on its way
// while the last one is in work.
#include <cuda_runtime_api.h>
#include <cufft.h>
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>
#include <stdexcept>
#include <string>
#include <vector>

#include "mno/core/random.hpp"
#include "mno/cuda/launch.hpp"
#include "standin.hpp"

using mno::Index;
using Complex = std::complex<float>;

namespace {

enum class Mistake {
  none,
  no_grid_stride,
  padding_not_zeroed,
  written_beyond_the_end,
  updated_beyond_the_end,
  read_beyond_the_end,
  swapped_index,
  no_scale,
  mean_not_real,
  result_read_too_early,
  result_read_from_device,
  no_wait_for_upload,
  upload_over_what_is_in_work,
  spectrum_used_again,
  pinned_buffer_overwritten,
  buffer_freed_in_use,
};

constexpr Index batch = 3, n = 48, half = n / 2 + 1, modes = 7;

// What stands between a program and an error code.
void check(cudaError_t error) {
  if (error != cudaSuccess) throw std::runtime_error(cudaGetErrorString(error));
}
void check(cufftResult result) {
  if (result != CUFFT_SUCCESS) throw std::runtime_error("cuFFT: " + std::to_string(result));
}

template <class T> class Array {
 public:
  explicit Array(Index size) { check(cudaMalloc(&address_, std::size_t(size) * sizeof(T))); }
  ~Array() { cudaFree(address_); }
  Array(const Array&) = delete;
  Array& operator=(const Array&) = delete;
  T* data() const { return static_cast<T*>(address_); }

 private:
  void* address_ = nullptr;
};

class Pinned {
 public:
  explicit Pinned(Index size) { check(cudaMallocHost(&address_, std::size_t(size) * sizeof(float))); }
  ~Pinned() { cudaFreeHost(address_); }
  Pinned(const Pinned&) = delete;
  Pinned& operator=(const Pinned&) = delete;
  float* data() const { return static_cast<float*>(address_); }

 private:
  void* address_ = nullptr;
};

struct Stream {
  Stream() { check(cudaStreamCreateWithFlags(&handle, cudaStreamNonBlocking)); }
  ~Stream() { cudaStreamDestroy(handle); }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  cudaStream_t handle = nullptr;
};

struct Event {
  Event() { check(cudaEventCreateWithFlags(&handle, cudaEventDisableTiming)); }
  ~Event() { cudaEventDestroy(handle); }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  void record(const Stream& stream) const { check(cudaEventRecord(handle, stream.handle)); }
  void hold(const Stream& stream) const { check(cudaStreamWaitEvent(stream.handle, handle, 0)); }
  cudaEvent_t handle = nullptr;
};

class Transform {
 public:
  Transform(cufftType type, const Stream& stream) {
    check(cufftCreate(&handle_));
    try {
      int length = int(n);
      std::size_t bytes = 0;
      check(cufftMakePlanMany(handle_, 1, &length, nullptr, 1, 0, nullptr, 1, 0, type, int(batch), &bytes));
      check(cufftSetStream(handle_, stream.handle));
    } catch (...) {
      cufftDestroy(handle_);
      throw;
    }
  }
  ~Transform() { cufftDestroy(handle_); }
  Transform(const Transform&) = delete;
  Transform& operator=(const Transform&) = delete;
  void forward(float* from, Complex* to) const {
    check(cufftExecR2C(handle_, from, reinterpret_cast<cufftComplex*>(to)));
  }
  void inverse(Complex* from, float* to) const {
    check(cufftExecC2R(handle_, reinterpret_cast<cufftComplex*>(from), to));
  }

 private:
  cufftHandle handle_ = 0;
};

// Kernels

struct Truncate {
  const Complex* spectrum;  // (batch, half)
  const Complex* weights;   // (modes)
  Complex* product;         // (batch, half)
  Mistake mistake;
  void operator()(Index i) const {
    const Index b = i / modes, k = i % modes;
    const Index to = mistake == Mistake::swapped_index ? k * batch + b : b * half + k;
    const Index weight = mistake == Mistake::read_beyond_the_end ? k + 1 : k;
    product[to] = weights[weight] * spectrum[b * half + k];
  }
};

struct Energy {
  const Complex* spectrum;  // (batch, half)
  float* energy;            // (batch)
  void operator()(Index b) const {
    float sum = 0;
    for (Index k = 0; k < modes; ++k) sum += std::norm(spectrum[b * half + k]);
    energy[b] = sum;
  }
};

struct Scale {
  float* v;  // (batch, n)
  float factor;
  void operator()(Index i) const { v[i] *= factor; }
};

/// As launch(), but every thread does one index: right as long as there is a thread for each.
template <class F> void launch_without_stride(Index size, const F& f, const Stream& stream) {
  const mno::cuda::Loop<F> loop{f, size};
  check(mno_standin_launch(
      &loop, sizeof loop,
      [](const void* closure, mno::cuda::ThreadPosition at) {
        const auto& one = *static_cast<const mno::cuda::Loop<F>*>(closure);
        const Index i = Index(at.block) * Index(at.threads) + Index(at.thread);
        if (i < one.n) one.f(i);
      },
      unsigned((size + 255) / 256), 256, stream.handle));
}

struct Result {
  std::vector<float> v;       // (step, batch, n)
  std::vector<float> energy;  // (step, batch)
};

Result convolve(const std::vector<std::vector<float>>& fields, std::vector<Complex> weights,
                Mistake mistake) {
  const auto is = [&](Mistake one) { return mistake == one; };
  const Index steps = Index(fields.size());
  const Stream copies, work;
  const Event uploaded, consumed;
  const Pinned staging(batch * n), v_result(steps * batch * n), energy_result(steps * batch);
  const Array<float> u(batch * n), v(steps * batch * n), energy(steps * batch);
  const Array<Complex> spectrum(batch * half), product(batch * half), w(modes);
  const Transform forward(CUFFT_R2C, work), inverse(CUFFT_C2R, work);

  if (is(Mistake::mean_not_real)) weights[0] += Complex(0, 1);
  check(cudaMemcpyAsync(w.data(), weights.data(), sizeof(Complex) * modes, cudaMemcpyHostToDevice,
                        work.handle));
  for (Index step = 0; step < steps; ++step) {
    // The staging buffer may be filled when its last copy has run, and u when it is no longer read.
    const std::vector<float>& field = fields[std::size_t(step)];
    if (!is(Mistake::pinned_buffer_overwritten)) check(cudaEventSynchronize(uploaded.handle));
    std::copy(field.begin(), field.end(), staging.data());
    if (!is(Mistake::upload_over_what_is_in_work)) consumed.hold(copies);
    check(cudaMemcpyAsync(u.data(), staging.data(), field.size() * sizeof(float), cudaMemcpyHostToDevice,
                          copies.handle));
    uploaded.record(copies);

    if (!is(Mistake::no_wait_for_upload)) uploaded.hold(work);
    forward.forward(u.data(), spectrum.data());
    consumed.record(work);

    if (!is(Mistake::padding_not_zeroed))
      check(cudaMemsetAsync(product.data(), 0, sizeof(Complex) * batch * half, work.handle));
    const Truncate truncate{spectrum.data(), w.data(), product.data(), mistake};
    if (is(Mistake::no_grid_stride))
      launch_without_stride(batch * modes, truncate, work);
    else
      check(mno::cuda::launch(batch * modes, truncate, work.handle));

    // An entry too many is overwritten by the next step, but for the last.
    const Index entries = is(Mistake::written_beyond_the_end) ? batch + 1 : batch;
    const Energy find_energy{product.data(), energy.data() + step * batch};
    if (!is(Mistake::spectrum_used_again)) check(mno::cuda::launch(entries, find_energy, work.handle));
    float* const to = v.data() + step * batch * n;
    inverse.inverse(product.data(), to);
    if (is(Mistake::spectrum_used_again)) check(mno::cuda::launch(entries, find_energy, work.handle));

    const Index points = is(Mistake::updated_beyond_the_end) ? batch * n + 1 : batch * n;
    if (!is(Mistake::no_scale)) check(mno::cuda::launch(points, Scale{to, 1 / float(n)}, work.handle));
    if (is(Mistake::buffer_freed_in_use)) {
      const Array<float> scratch(batch);
      check(cudaMemsetAsync(scratch.data(), 0, sizeof(float) * batch, work.handle));
      check(mno::cuda::launch(batch, Energy{spectrum.data(), scratch.data()}, work.handle));
    }
  }
  const auto bytes = [](Index size) { return sizeof(float) * std::size_t(size); };
  check(cudaMemcpyAsync(v_result.data(), v.data(), bytes(steps * batch * n), cudaMemcpyDeviceToHost,
                        work.handle));
  check(cudaMemcpyAsync(energy_result.data(), energy.data(), bytes(steps * batch), cudaMemcpyDeviceToHost,
                        work.handle));
  if (!is(Mistake::result_read_too_early)) check(cudaStreamSynchronize(work.handle));
  const float* const from = is(Mistake::result_read_from_device) ? v.data() : v_result.data();
  Result result{{from, from + steps * batch * n},
                {energy_result.data(), energy_result.data() + steps * batch}};
  check(cudaDeviceSynchronize());
  return result;
}

/// The same by defining sums, in double.
Result expected(const std::vector<std::vector<float>>& fields, const std::vector<Complex>& weights) {
  Result result;
  for (const std::vector<float>& field : fields)
    for (Index b = 0; b < batch; ++b) {
      std::vector<std::complex<double>> product(modes);
      double energy = 0;
      for (Index k = 0; k < modes; ++k) {
        for (Index x = 0; x < n; ++x)
          product[std::size_t(k)] += double(field[std::size_t(b * n + x)]) *
                                     std::polar(1., -2 * std::numbers::pi * double(k * x) / double(n));
        product[std::size_t(k)] *= std::complex<double>(weights[std::size_t(k)]);
        energy += std::norm(product[std::size_t(k)]);
      }
      result.energy.push_back(float(energy));
      for (Index x = 0; x < n; ++x) {
        double sum = product[0].real();
        for (Index k = 1; k < modes; ++k)
          sum +=
              2 * (product[std::size_t(k)] * std::polar(1., 2 * std::numbers::pi * double(k * x) / double(n)))
                      .real();
        result.v.push_back(float(sum / double(n)));
      }
    }
  return result;
}

/// Largest difference, relative to the largest value; NaN counts as infinitely far.
double distance(const std::vector<float>& a, const std::vector<float>& b) {
  if (a.size() != b.size()) return HUGE_VAL;
  double worst = 0, largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double difference = std::abs(double(a[i]) - double(b[i]));
    worst = std::isnan(difference) ? HUGE_VAL : std::max(worst, difference);
    largest = std::max(largest, std::abs(double(b[i])));
  }
  return worst / largest;
}

struct Problem {
  std::vector<std::vector<float>> fields;  // (step) (batch, n)
  std::vector<Complex> weights;            // (modes); the mean's is real, as the law of a real field needs it
};
Problem problem() {
  mno::Stream stream(17);
  Problem result{std::vector<std::vector<float>>(3, std::vector<float>(batch * n)), {}};
  for (auto& field : result.fields)
    for (float& value : field) value = float(stream.normal());
  for (Index k = 0; k < modes; ++k)
    result.weights.emplace_back(float(1 + stream.uniform()), k == 0 ? 0.f : float(stream.normal()));
  return result;
}

struct Adversary {
  const char* name;
  standin::Settings settings;
};
std::vector<Adversary> adversaries() {
  std::vector<Adversary> all{{"late", {}}, {"early", {}}, {"permuted", {}}, {"few threads", {}}};
  all[1].settings.progress = standin::Progress::early;
  all[2].settings.thread_order = 1;
  all[3].settings.blocks = 3;
  all[3].settings.threads = 5;
  return all;
}

/// What the stand-in and the reference have to say; empty if nothing.
std::string complaint(Mistake mistake, const standin::Settings& settings) {
  standin::reset();
  standin::settings() = settings;
  const Problem given = problem();
  std::string result;
  try {
    const Result got = convolve(given.fields, given.weights, mistake),
                 right = expected(given.fields, given.weights);
    if (distance(got.v, right.v) > 1e-5) result = "v is wrong";
    if (distance(got.energy, right.energy) > 1e-5) result += "; energy is wrong";
  } catch (const std::exception& error) {
    result = error.what();
  }
  for (const std::string& violation : standin::violations()) result += "; " + violation;
  standin::reset();
  return result;
}

/// Who of the adversaries shows it.
std::vector<std::string> shown_by(Mistake mistake) {
  std::vector<std::string> names;
  for (const Adversary& one : adversaries())
    if (!complaint(mistake, one.settings).empty()) names.push_back(one.name);
  return names;
}

using Names = std::vector<std::string>;
const Names everybody{"late", "early", "permuted", "few threads"};

}  // namespace

TEST_CASE("about the right program nobody has anything to say, and it leaves nothing behind") {
  const auto before = standin::usage();
  for (const Adversary& one : adversaries()) CHECK(complaint(Mistake::none, one.settings) == "");
  CHECK(standin::usage() == before);
}

TEST_CASE("a missing grid stride is shown by fewer threads, and by nothing else") {
  CHECK(shown_by(Mistake::no_grid_stride) == Names{"few threads"});
}

TEST_CASE("a missing scale and a swapped index are shown by the reference") {
  CHECK(shown_by(Mistake::no_scale) == everybody);
  CHECK(shown_by(Mistake::swapped_index) == everybody);
}

TEST_CASE("unzeroed padding holds NaN") { CHECK(shown_by(Mistake::padding_not_zeroed) == everybody); }

TEST_CASE("out of bounds: reads give NaN, writes and updates damage a guard") {
  CHECK(shown_by(Mistake::read_beyond_the_end) == everybody);
  for (const auto mistake : {Mistake::written_beyond_the_end, Mistake::updated_beyond_the_end}) {
    const std::string said = complaint(mistake, {});
    CHECK(said.find("wrong") == said.npos);  // no result shows it: the guard alone does
    CHECK(said.find("wrote beyond the end of allocation") != said.npos);
    CHECK(shown_by(mistake) == everybody);
  }
}

TEST_CASE("a mean that is not real is told, though FFTW would not mind") {
  const std::string said = complaint(Mistake::mean_not_real, {});
  CHECK(said.find("v is wrong") == said.npos);
  CHECK(said.find("not the spectrum of a real array") != said.npos);
}

TEST_CASE("a spectrum that is used after its inverse transform holds NaN") {
  CHECK(shown_by(Mistake::spectrum_used_again) == everybody);
}

TEST_CASE("a result that is read too early is not there yet; in device memory it cannot be read") {
  CHECK(shown_by(Mistake::result_read_too_early) == everybody);
  CHECK(standin::faults([] { complaint(Mistake::result_read_from_device, {}); }));
  CHECK_FALSE(standin::faults([] { complaint(Mistake::none, {}); }));
}

TEST_CASE("missing order between streams: before the upload, and before the next one") {
  CHECK(shown_by(Mistake::no_wait_for_upload) == everybody);
  // Early, the work is done whenever the host waits for a copy: then there is nothing left to overwrite.
  CHECK(shown_by(Mistake::upload_over_what_is_in_work) == Names{"late", "permuted", "few threads"});
}

TEST_CASE("a pinned buffer that is overwritten before its copy ran brings the wrong field") {
  CHECK(shown_by(Mistake::pinned_buffer_overwritten) == everybody);
}

TEST_CASE("memory that is freed while work on it is queued") {
  CHECK(shown_by(Mistake::buffer_freed_in_use) == everybody);
  const std::string said = complaint(Mistake::buffer_freed_in_use, {});
  CHECK(said.find("written after it was freed") != said.npos);
}

// Order

namespace {

struct Accumulate {  // with an atomic addition the sum would still depend on the order
  const float* x;
  float* sum;
  void operator()(Index i) const { *sum += x[i]; }
};
struct PartialSum {  // sums of fixed parts, each in a fixed order
  const float* x;
  float* sums;
  Index part, size;
  void operator()(Index j) const {
    float sum = 0;
    for (Index i = j * part; i < std::min(size, (j + 1) * part); ++i) sum += x[i];
    sums[j] = sum;
  }
};
struct ShiftInPlace {  // reads what another thread writes
  float* x;
  Index size;
  void operator()(Index i) const { x[i] = i + 1 < size ? x[i + 1] : 0; }
};
struct Shift {
  const float* x;
  float* y;
  Index size;
  void operator()(Index i) const { y[i] = i + 1 < size ? x[i + 1] : 0; }
};

/// How many different results a program has, over orders of the threads.
template <class Program> std::size_t results_over_orders(Program&& program) {
  std::vector<std::vector<float>> results;
  mno::Stream stream(4);
  std::vector<float> values(1000);
  for (float& value : values) value = float(stream.normal());
  for (std::uint64_t order = 0; order < 5; ++order) {
    standin::reset();
    standin::settings().thread_order = order;
    const Array<float> x(1000);
    check(cudaMemcpy(x.data(), values.data(), 4000, cudaMemcpyHostToDevice));
    const std::vector<float> result = program(x);
    if (std::find(results.begin(), results.end(), result) == results.end()) results.push_back(result);
  }
  CHECK(standin::violations().empty());
  standin::reset();
  return results.size();
}

std::vector<float> download(const Array<float>& x, std::size_t size) {
  std::vector<float> values(size);
  check(cudaMemcpy(values.data(), x.data(), size * sizeof(float), cudaMemcpyDeviceToHost));
  return values;
}

}  // namespace

TEST_CASE("a sum whose order is left to the threads has many values, one of fixed parts has one") {
  CHECK(results_over_orders([](const Array<float>& x) {
          const Array<float> sum(1);
          check(cudaMemsetAsync(sum.data(), 0, sizeof(float), nullptr));
          check(mno::cuda::launch(1000, Accumulate{x.data(), sum.data()}, nullptr));
          return download(sum, 1);
        }) > 1);
  CHECK(results_over_orders([](const Array<float>& x) {
          const Array<float> parts(32), sum(1);
          check(mno::cuda::launch(32, PartialSum{x.data(), parts.data(), 32, 1000}, nullptr));
          check(mno::cuda::launch(1, PartialSum{parts.data(), sum.data(), 32, 32}, nullptr));
          return download(sum, 1);
        }) == 1);
}

TEST_CASE("a kernel that reads what its other threads write depends on their order") {
  CHECK(results_over_orders([](const Array<float>& x) {
          check(mno::cuda::launch(1000, ShiftInPlace{x.data(), 1000}, nullptr));
          return download(x, 1000);
        }) > 1);
  CHECK(results_over_orders([](const Array<float>& x) {
          const Array<float> y(1000);
          check(mno::cuda::launch(1000, Shift{x.data(), y.data(), 1000}, nullptr));
          return download(y, 1000);
        }) == 1);
}

// Failures

namespace {

/// Two arrays by hand: if the second cannot be had, the first is lost.
void allocate_and_forget() {
  void *first = nullptr, *second = nullptr;
  check(cudaMalloc(&first, 100));
  check(cudaMalloc(&second, 100));
  cudaFree(second);
  cudaFree(first);
}

/// Lets every call of a program fail in turn, until it comes through. True if it says so each time, and
/// leaves nothing behind.
template <class Program> bool survives_failures(Program&& program, bool allocations_only) {
  standin::reset();
  const auto before = standin::usage();
  for (std::uint64_t i = 1;; ++i) {
    allocations_only ? standin::fail_allocation(i) : standin::fail_call(i);
    bool failed = false;
    try {
      program();
    } catch (const std::runtime_error&) {
      failed = true;
    }
    const bool came = !standin::failure_pending();
    standin::reset();
    if (failed != came || standin::usage() != before) return false;
    if (!came) return i > 1;  // at least one call failed
  }
}

}  // namespace

TEST_CASE("when an allocation fails, memory that is held by hand leaks, and memory that is owned does not") {
  const Problem given = problem();
  const auto right = [&] { convolve(given.fields, given.weights, Mistake::none); };
  CHECK(survives_failures(right, true));
  CHECK(survives_failures(right, false));
  CHECK_FALSE(survives_failures(allocate_and_forget, true));
}

TEST_CASE("a failure that is not looked at comes up later") {
  CHECK_FALSE(survives_failures([] { cudaDeviceSynchronize(); }, false));
}
