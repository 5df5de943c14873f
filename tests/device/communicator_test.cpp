// What ranks tell each other, however many they are.
#include "mno/device/communicator.hpp"

#include <doctest/doctest.h>

#include <numeric>
#include <vector>

#include "thread_ranks.hpp"

using namespace mno;
using test::ThreadRanks;

TEST_CASE("slices are neighbours that cover everything, and differ by at most one") {
  for (const Index size : {1, 2, 3, 5, 8})
    ThreadRanks(size).run([&](Communicator& ranks) {
      for (const std::size_t n : {0u, 1u, 4u, 5u, 100u, 101u}) {
        std::size_t end = 0;
        for (Index r = 0; r < size; ++r) {
          const auto slice = ranks.slice(n, r);
          CHECK(slice.begin == end);
          CHECK(slice.end - slice.begin >= n / std::size_t(size));
          CHECK(slice.end - slice.begin <= n / std::size_t(size) + 1);
          end = slice.end;
        }
        CHECK(end == n);
      }
    });
}

TEST_CASE("broadcast, all_gather, decide and meet") {
  for (const Index size : {1, 2, 3, 5, 8})
    ThreadRanks(size).run([&](Communicator& ranks) {
      for (Index root = 0; root < size; ++root) {
        std::vector<int> values(10, int(ranks.rank()));
        ranks.broadcast(std::span(values), root);
        CHECK(values == std::vector<int>(10, int(root)));
      }
      std::vector<double> values(17, -1.0);
      std::vector<Communicator::Slice> parts;
      for (Index r = 0; r < size; ++r) parts.push_back(ranks.slice(values.size(), r));
      const auto own = parts[std::size_t(ranks.rank())];
      for (std::size_t i = own.begin; i < own.end; ++i) values[i] = double(i);
      ranks.all_gather(std::span(values), std::span<const Communicator::Slice>(parts));
      std::vector<double> wanted(17);
      std::iota(wanted.begin(), wanted.end(), 0.0);
      CHECK(values == wanted);
      CHECK(ranks.decide(ranks.rank() == 0));
      CHECK_FALSE(ranks.decide(ranks.rank() != 0));
      for (Index one = 0; one < ranks.size(); ++one) CHECK(ranks.any(ranks.rank() == one));
      CHECK_FALSE(ranks.any(false));
      ranks.meet();
    });
}

TEST_CASE("a process alone keeps what it has") {
  CHECK(alone().size() == 1);
  CHECK(alone().rank() == 0);
  std::vector<int> values{1, 2, 3};
  alone().broadcast(std::span(values));
  CHECK(values == std::vector{1, 2, 3});
  const std::vector<std::byte> sent(5, std::byte(7));
  std::vector<std::byte> got(5);
  const std::span<const std::byte> send[] = {sent};
  const std::span<std::byte> receive[] = {got};
  alone().exchange(send, receive);
  CHECK(got == sent);
}

TEST_CASE("parameters are shared in whole chunks, and put together again") {
  for (const Index size : {1, 2, 3, 8})
    ThreadRanks(size).run([&](Communicator& ranks) {
      for (const std::size_t n : {std::size_t(1), detail::parameter_chunk, 5 * detail::parameter_chunk + 3}) {
        const auto slices = detail::parameter_slices(ranks, n);
        CHECK(slices.front().begin == 0);
        CHECK(slices.back().end == n);
        for (const auto& slice : slices)
          CHECK((slice.begin % detail::parameter_chunk == 0 || slice.begin == n));
        std::vector<std::size_t> values(n, 0);
        const auto own = slices[std::size_t(ranks.rank())];
        for (std::size_t i = own.begin; i < own.end; ++i) values[i] = i + 1;
        detail::gather_parameters(ranks, std::span(values));
        std::size_t wrong = 0;
        for (std::size_t i = 0; i < n; ++i) wrong += values[i] != i + 1;
        CHECK(wrong == 0);
      }
    });
}
