#include "mno/simulate/normal.hpp"

#include <doctest/doctest.h>

#include <vector>

#include "statistics.hpp"

using namespace mno;

TEST_CASE("member m's numbers are Box–Muller of Stream(seed, stream, m)'s words") {
  const std::uint64_t seed = 0x123456789abcdef, stream = stream_of(Draw::noise, 77);
  constexpr Index lanes = 16;
  Normals<lanes> normals(seed, stream, 1000);
  float z[4 * lanes];
  std::vector<Stream> members;
  for (Index m = 0; m < lanes; ++m) members.emplace_back(seed, stream, std::uint32_t(1000 + m));
  for (std::uint32_t position = 0; position < 200; ++position) {
    normals.draw(position, z);
    for (Index m = 0; m < lanes; ++m)
      for (Index pair = 0; pair < 2; ++pair) {
        const std::uint32_t w0 = members[std::size_t(m)].bits(), w1 = members[std::size_t(m)].bits();
        const double radius = std::sqrt(-2 * std::log((double(w0 >> 1) + 0.5) * 0x1p-31));
        const double angle = 2 * std::numbers::pi * (double(w1) + 0.5) * 0x1p-32 - std::numbers::pi / 4;
        CHECK(std::abs(double(z[2 * pair * lanes + m]) - radius * std::cos(angle)) < 2e-6);
        CHECK(std::abs(double(z[(2 * pair + 1) * lanes + m]) - radius * std::sin(angle)) < 2e-6);
      }
  }
}

TEST_CASE("the width of a block does not matter") {
  Normals<8> narrow(5, 6, 8);
  Normals<32> wide(5, 6, 0);
  float a[4 * 8], b[4 * 32];
  narrow.draw(9, a);
  wide.draw(9, b);
  for (Index i = 0; i < 4; ++i)
    for (Index m = 0; m < 8; ++m) CHECK(a[i * 8 + m] == doctest::Approx(b[i * 32 + 8 + m]).epsilon(1e-5));
}

TEST_CASE("the numbers are standard normal: moments, tails, no correlation within a draw") {
  constexpr Index lanes = 32, positions = 20000;
  Normals<lanes> normals(42, 1, 0);
  float z[4 * lanes];
  const double n = double(lanes * positions * 4);
  double sum = 0, squares = 0, cubes = 0, fourths = 0, beyond3 = 0, products = 0;
  for (std::uint32_t p = 0; p < positions; ++p) {
    normals.draw(p, z);
    for (Index i = 0; i < 4 * lanes; ++i) {
      const double x = double(z[i]);
      sum += x;
      squares += x * x;
      cubes += x * x * x;
      fourths += x * x * x * x;
      beyond3 += std::abs(x) > 3;
      products += i % (2 * lanes) < lanes ? x * double(z[i + lanes]) : 0;
    }
  }
  const double bound = statistics::normal_bound(5);
  const double tail = 2 * cdf(complement(boost::math::normal(), 3.));
  CHECK(std::abs(sum) / std::sqrt(n) < bound);
  CHECK(statistics::chi_squared_ok(squares, 1, n, 1));
  CHECK(std::abs(cubes) / std::sqrt(15 * n) < bound);
  CHECK(std::abs(fourths - 3 * n) / std::sqrt(96 * n) < bound);
  CHECK(std::abs(beyond3 - n * tail) / std::sqrt(n * tail) < bound);
  CHECK(std::abs(products) / std::sqrt(n / 2) < bound);
}

TEST_CASE("seeds, streams, members and positions give different numbers") {
  float a[32], b[32];
  const auto differ = [&] {
    for (int i = 0; i < 32; ++i)
      if (a[i] == b[i]) return false;
    return true;
  };
  Normals<8>(1, 2, 0).draw(3, a);
  Normals<8>(2, 2, 0).draw(3, b);
  CHECK(differ());
  Normals<8>(1, 3, 0).draw(3, b);
  CHECK(differ());
  Normals<8>(1, 2, 8).draw(3, b);
  CHECK(differ());
  Normals<8>(1, 2, 0).draw(4, b);
  CHECK(differ());
}
