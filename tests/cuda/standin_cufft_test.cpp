// cuFFT of the stand-in: its layouts, what it destroys, and what it does not accept.
#include <cufft.h>
#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <complex>
#include <numbers>
#include <vector>

#include "support.hpp"

using namespace standin::test;

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
    const Array<std::byte> work(std::vector<std::byte>(std::max(forward.bytes, inverse.bytes)));
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

TEST_CASE_FIXTURE(Clean, "arrays may lie in larger ones, with a stride and a distance of their own") {
  // Two arrays (3, 4) in every second place of (3, 6); their spectra (3, 3) in (3, 5), one after the other.
  int n[] = {3, 4}, in[] = {3, 6}, out[] = {3, 5};
  const std::vector<double> values = noise<double>(40, 6);
  const Array<double> u(values);
  const Array<std::complex<double>> spectrum(30);
  std::size_t bytes = 0;
  cufftHandle plan = 0;
  REQUIRE(cufftCreate(&plan) == CUFFT_SUCCESS);
  REQUIRE(cufftMakePlanMany(plan, 2, n, in, 2, 1, out, 1, 15, CUFFT_D2Z, 2, &bytes) == CUFFT_SUCCESS);
  REQUIRE(cufftExecD2Z(plan, u.data(), reinterpret_cast<cufftDoubleComplex*>(spectrum.data())) ==
          CUFFT_SUCCESS);
  const auto got = spectrum.values();
  for (int b = 0; b < 2; ++b) {
    std::vector<double> one;  // (3, 4)
    for (int x0 = 0; x0 < 3; ++x0)
      for (int x1 = 0; x1 < 4; ++x1) one.push_back(values[std::size_t((x0 * 6 + x1) * 2 + b)]);
    for (int k0 = 0; k0 < 3; ++k0)
      for (int k1 = 0; k1 < 5; ++k1) {
        const auto value = got[std::size_t(b * 15 + k0 * 5 + k1)];
        if (k1 < 3)
          CHECK(std::abs(value - coefficient(one, {3, 4}, 1, 0, k0, k1)) < 1e-13);
        else
          CHECK(std::isnan(value.real()));  // nothing is written between rows
      }
  }
  cufftDestroy(plan);
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
