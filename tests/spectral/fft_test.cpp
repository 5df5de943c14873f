#include "mno/spectral/fft.hpp"

#include <doctest/doctest.h>

#include <complex>
#include <vector>

#include "mno/core/random.hpp"

using namespace mno;

namespace {
/// Largest |fft − naive sum| over all lanes, for both directions, relative to the largest coefficient.
template <class T, Index Lanes> double worst_error(Index n) {
  std::vector<T> x(std::size_t(n * 2 * Lanes)), spare(x.size());
  Stream stream(11, std::uint64_t(n));
  for (T& v : x) v = T(stream.normal());
  const std::vector<T> original = x;
  const Fft<T, Lanes> fft(n);
  double worst = 0, largest = 0;
  for (const double sign : {-1., 1.}) {
    x = original;
    const T* const y = sign < 0 ? fft.forward(x.data(), spare.data()) : fft.inverse(x.data(), spare.data());
    for (Index k = 0; k < n; ++k)
      for (Index lane = 0; lane < Lanes; ++lane) {
        std::complex<double> sum = 0;
        for (Index j = 0; j < n; ++j)
          sum += std::complex<double>(double(original[std::size_t(2 * j * Lanes + lane)]),
                                      double(original[std::size_t((2 * j + 1) * Lanes + lane)])) *
                 std::polar(1., sign * 2 * std::numbers::pi * double(j * k % n) / double(n));
        const std::complex<double> got{double(y[2 * k * Lanes + lane]),
                                       double(y[(2 * k + 1) * Lanes + lane])};
        worst = std::max(worst, std::abs(got - sum));
        largest = std::max(largest, std::abs(sum));
      }
  }
  return worst / largest;
}
}  // namespace

TEST_CASE("the transform equals the defining sum, for powers of two, mixed factors and primes") {
  for (Index n :
       {1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 15, 16, 17, 20, 24, 31, 32, 40, 49, 64, 96, 100, 127, 128, 256}) {
    CAPTURE(n);
    CHECK(worst_error<double, 4>(n) < 1e-14);
    CHECK(worst_error<float, 8>(n) < 1e-6);
  }
}

TEST_CASE("one lane is served like many") {
  for (Index n : {8, 30, 64}) CHECK(worst_error<double, 1>(n) < 1e-14);
}

TEST_CASE("forward then inverse gives n times the signal") {
  constexpr Index n = 60, lanes = 4;
  std::vector<double> x(n * 2 * lanes), spare(x.size());
  Stream stream(3);
  for (double& v : x) v = stream.normal();
  const auto original = x;
  const Fft<double, lanes> fft(n);
  double* const y = fft.forward(x.data(), spare.data());
  const double* const z = fft.inverse(y, y == x.data() ? spare.data() : x.data());
  for (std::size_t i = 0; i < original.size(); ++i)
    CHECK(z[i] == doctest::Approx(double(n) * original[i]).epsilon(1e-12));
}

TEST_CASE("points that lie apart are read and written as if they stood together") {
  constexpr Index lanes = 2, row = 2 * lanes, pitch = row + 3;
  for (const Index n : {1, 2, 5, 16, 24}) {
    CAPTURE(n);
    std::vector<double> x(std::size_t(n * row)), apart(std::size_t(n * pitch), 7.), line(x.size()),
        spare(x.size());
    Stream stream(4);
    for (Index j = 0; j < n; ++j)
      for (Index m = 0; m < row; ++m)
        x[std::size_t(j * row + m)] = apart[std::size_t(j * pitch + m)] = stream.normal();
    const auto together = x, given = apart;
    const Fft<double, lanes> fft(n);
    const double* const expected = fft.forward(x.data(), spare.data());
    std::vector<double> other(x.size());
    const double* const found = fft.forward_from(apart.data(), pitch, line.data(), other.data());
    for (Index i = 0; i < n * row; ++i) CHECK(found[i] == expected[i]);
    CHECK(apart == given);
    x = line = together;
    const double* const back = fft.inverse(x.data(), spare.data());
    fft.inverse_to(line.data(), other.data(), apart.data(), pitch);
    for (Index j = 0; j < n; ++j) {
      for (Index m = 0; m < row; ++m) CHECK(apart[std::size_t(j * pitch + m)] == back[j * row + m]);
      for (Index m = row; m < pitch; ++m) CHECK(apart[std::size_t(j * pitch + m)] == 7);  // between them
    }
  }
}

TEST_CASE("a transform of no points is refused with a sentence") {
  CHECK_THROWS_WITH((Fft<float, 8>(0)), "mno::Fft: argument 'n': expected at least one point, got 0.");
}
