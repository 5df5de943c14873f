// Permutations from (seed, epoch).
#include "mno/train/shuffle.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <map>

using namespace mno;

TEST_CASE("every number appears once, for every length") {
  for (const Index n : {0, 1, 2, 3, 10, 1000}) {
    auto order = epoch_order(n, 4, 5);
    std::sort(order.begin(), order.end());
    REQUIRE(Index(order.size()) == n);
    for (Index i = 0; i < n; ++i) CHECK(order[std::size_t(i)] == i);
  }
}

TEST_CASE("depends on seed and epoch, and on nothing else") {
  const auto order = epoch_order(50, 4, 5);
  CHECK(epoch_order(50, 4, 5) == order);
  CHECK(epoch_order(50, 4, 6) != order);
  CHECK(epoch_order(50, 5, 5) != order);
  std::vector<Index> dirty(50, 77);
  set_epoch_order(dirty, 4, 5);
  CHECK(dirty == order);
}

TEST_CASE("these integers, on every machine") {
  CHECK(epoch_order(8, 1, 0) == std::vector<Index>{2, 5, 7, 0, 6, 1, 3, 4});
  CHECK(epoch_order(8, 0x123456789abcdef, 1000000007) == std::vector<Index>{2, 7, 5, 4, 3, 0, 6, 1});
}

TEST_CASE("all 24 permutations of four are equally frequent") {
  std::map<std::vector<Index>, double> counts;
  const int epochs = 24000;
  for (int epoch = 0; epoch < epochs; ++epoch) ++counts[epoch_order(4, 9, std::uint64_t(epoch))];
  CHECK(counts.size() == 24);
  double chi_square = 0;
  for (const auto& [order, count] : counts) chi_square += (count - 1000) * (count - 1000) / 1000;
  CHECK(chi_square < 49.7);  // 23 degrees of freedom, one in a thousand
}

TEST_CASE("draws below a bound are uniform: no remainder is favoured") {
  // 3·2³⁰: plain remainders of 32 bits would hit the lower third twice as often as the rest.
  const std::uint32_t bound = 3u << 30;
  Stream stream(2);
  int lower = 0;
  const int draws = 30000;
  for (int i = 0; i < draws; ++i) {
    const std::uint32_t draw = detail::uniform_below(stream, bound);
    REQUIRE(draw < bound);
    lower += draw < (1u << 30);
  }
  CHECK(std::abs(lower - draws / 3) < 4 * std::sqrt(draws * 2.0 / 9));
}
