#include "mno/core/random.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <boost/math/distributions/chi_squared.hpp>
#include <boost/math/distributions/normal.hpp>
#include <functional>
#include <string>
#include <vector>

#ifdef MNO_HAS_RANDOM123
#include <Random123/philox.h>
#endif

using mno::Stream;
using Counter = std::array<std::uint32_t, 4>;
using Key = std::array<std::uint32_t, 2>;

namespace {

// A right generator fails one of the statistical checks below with this probability. Seeds are fixed, so a
// check that passes once passes always; the rate says how much a failure after a change means.
constexpr double false_alarm = 1e-6;
constexpr std::size_t many = 200'000;

std::vector<double> draw(std::size_t count, double (Stream::*kind)(), std::uint64_t seed) {
  Stream stream(seed);
  std::vector<double> x(count);
  for (double& value : x) value = (stream.*kind)();
  return x;
}

double mean(const std::vector<double>& x, const std::function<double(double)>& f) {
  double sum = 0;
  for (double value : x) sum += f(value);
  return sum / double(x.size());
}

/// How many standard errors the mean of many independent draws may be away from its expectation.
double bound() { return quantile(complement(boost::math::normal(), false_alarm / 2)); }

/// Whether the empirical distribution function stays near the true one everywhere. By the inequality of
/// Dvoretzky, Kiefer, Wolfowitz and Massart, the largest distance exceeds ε with a probability of at most 2
/// exp(−2nε²).
bool distributed_as(const std::function<double(double)>& cdf, std::vector<double> x) {
  std::sort(x.begin(), x.end());
  const double n = double(x.size());
  double distance = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double p = cdf(x[i]);
    distance = std::max({distance, p - double(i) / n, double(i + 1) / n - p});
  }
  return distance < std::sqrt(std::log(2 / false_alarm) / (2 * n));
}

}  // namespace

TEST_CASE("Philox4x32-10 gives the published known answers") {  // Random123, tests/kat_vectors
  CHECK(mno::philox({0, 0, 0, 0}, {0, 0}) == Counter{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8});
  const std::uint32_t f = 0xffffffff;
  CHECK(mno::philox({f, f, f, f}, {f, f}) == Counter{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd});
  CHECK(mno::philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}) ==
        Counter{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1});
  static_assert(mno::philox({0, 0, 0, 0}, {0, 0})[0] == 0x6627e8d5, "it works at compile time too");
}

#ifdef MNO_HAS_RANDOM123
TEST_CASE("Philox equals Random123's for many counters and keys") {
  std::uint64_t x = 88172645463325252u;  // xorshift64, unrelated to what is tested
  const auto next = [&] {
    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
    return std::uint32_t(x >> 32);
  };
  int unequal = 0;
  for (int i = 0; i < 100'000; ++i) {
    const Counter counter{next(), next(), next(), next()};
    const Key key{next(), next()};
    const philox4x32_ctr_t c{{counter[0], counter[1], counter[2], counter[3]}};
    const philox4x32_key_t k{{key[0], key[1]}};
    const auto theirs = philox4x32_R(10, c, k);
    const auto ours = mno::philox(counter, key);
    unequal += !std::equal(ours.begin(), ours.end(), theirs.v);
  }
  CHECK(unequal == 0);
}
#endif

TEST_CASE("a stream is the blocks of its counter, one after the other") {
  Stream stream(0x0123456789abcdef, 0x1122334455667788, 9);
  for (std::uint32_t block = 0; block < 3; ++block) {
    const auto expected = mno::philox({block, 9, 0x55667788, 0x11223344}, {0x89abcdef, 0x01234567});
    for (std::uint32_t word : expected) CHECK(stream.bits() == word);
  }
}

TEST_CASE("a stream from its n-th block on: two draws are a block") {
  Stream normals(3, 4, 5), uniforms(3, 4, 5), begun(3, 4, 5);
  for (int i = 0; i < 6; ++i) normals.normal(), uniforms.uniform();
  begun.normal();  // wherever it stands, and whatever is left of a pair
  Stream later = begun.from_block(3), other = begun.from_block(3);
  for (int i = 0; i < 5; ++i) CHECK(later.normal() == normals.normal());
  for (int i = 0; i < 5; ++i) CHECK(other.uniform() == uniforms.uniform());
}

TEST_CASE("the same seed gives the same bits; another seed, stream or substream gives others") {
  const auto first = [](Stream s) {
    std::array<std::uint32_t, 16> bits{};
    for (auto& b : bits) b = s.bits();
    return bits;
  };
  const auto bits = first(Stream(1, 2, 3));
  CHECK(bits == first(Stream(1, 2, 3)));
  const std::uint64_t high = std::uint64_t{1} << 32;
  for (const auto& other : {Stream(4, 2, 3), Stream(1 + high, 2, 3), Stream(1, 5, 3), Stream(1, 2 + high, 3),
                            Stream(1, 2, 4), Stream(2, 1, 3)}) {
    const auto others = first(other);
    int equal = 0;
    for (std::size_t i = 0; i < bits.size(); ++i) equal += bits[i] == others[i];
    CHECK(equal <= 1);  // two chance agreements of 32 bits among 16: below 1e-17
  }
}

TEST_CASE("every bit is set half of the time") {
  Stream stream(11);
  std::array<double, 32> set{};
  for (std::size_t i = 0; i < many; ++i) {
    const std::uint32_t word = stream.bits();
    for (std::size_t b = 0; b < 32; ++b) set[b] += double((word >> b) & 1);
  }
  double chi_squared = 0;
  const double n = double(many);
  for (double count : set) chi_squared += 4 * (count - n / 2) * (count - n / 2) / n;
  CHECK(cdf(complement(boost::math::chi_squared(32), chi_squared)) > false_alarm);
}

TEST_CASE("uniform is on the open interval, and uniform there") {
  const auto x = draw(many, &Stream::uniform, 12);
  CHECK(*std::min_element(x.begin(), x.end()) > 0);
  CHECK(*std::max_element(x.begin(), x.end()) < 1);
  CHECK(distributed_as([](double v) { return v; }, x));
}

TEST_CASE("the formula of uniform cannot reach 0 or 1 whatever the bits") {
  const auto formula = [](std::uint64_t bits) { return (double(bits >> 12) + 0.5) * 0x1p-52; };
  CHECK(formula(0) > 0);
  CHECK(formula(~std::uint64_t{0}) < 1);
  Stream a(5), b(5);  // and it is the formula in use
  const std::uint64_t high = a.bits(), low = a.bits();
  CHECK(b.uniform() == formula((high << 32) | low));
}

TEST_CASE("normal draws have the moments and the distribution of a standard normal") {
  const auto x = draw(many, &Stream::normal, 13);
  const double error = bound() / std::sqrt(double(many));
  CHECK(std::abs(mean(x, [](double v) { return v; })) < error);
  CHECK(std::abs(mean(x, [](double v) { return v * v; }) - 1) < error * std::sqrt(2.0));
  CHECK(std::abs(mean(x, [](double v) { return v * v * v; })) < error * std::sqrt(15.0));
  CHECK(std::abs(mean(x, [](double v) { return v * v * v * v; }) - 3) < error * std::sqrt(96.0));
  const boost::math::normal standard;
  CHECK(distributed_as([&](double v) { return cdf(standard, v); }, x));
}

TEST_CASE("the two normals of a pair, and neighbours in a stream, are uncorrelated") {
  const auto x = draw(many, &Stream::normal, 14);
  for (std::size_t lag : {1u, 2u, 3u}) {
    double sum = 0, squares = 0;
    for (std::size_t i = 0; i + lag < x.size(); ++i) {
      sum += x[i] * x[i + lag];
      squares += x[i] * x[i] * x[i + lag] * x[i + lag];
    }
    const double n = double(x.size() - lag);
    CHECK(std::abs(sum / n) < bound() / std::sqrt(n));
    CHECK(std::abs(squares / n - 1) < bound() * std::sqrt(8 / n));  // the variance of (xy)² is 9 − 1
  }
}

TEST_CASE("normals of different streams are uncorrelated") {
  Stream a(15, 0), b(15, 1);
  double sum = 0;
  for (std::size_t i = 0; i < many; ++i) sum += a.normal() * b.normal();
  CHECK(std::abs(sum / double(many)) < bound() / std::sqrt(double(many)));
}

TEST_CASE("exponential draws are exponential") {
  const auto x = draw(many, &Stream::exponential, 16);
  CHECK(distributed_as([](double v) { return -std::expm1(-v); }, x));
}
