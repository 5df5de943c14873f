// Sums have one shape, whoever computes their parts.
#include "mno/core/tree.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <vector>

using namespace mno;

namespace {

/// The tree as a text, by its definition: pairs of pairs, and a left one without a neighbour stands for both.
std::string by_definition(Index begin, Index width, Index leaves) {
  if (width == 1) return std::to_string(begin);
  const Index half = width / 2;
  const std::string left = by_definition(begin, half, leaves);
  return begin + half < leaves ? "(" + left + "+" + by_definition(begin + half, half, leaves) + ")" : left;
}

/// The nodes of a run of shards and what they are sums of.
struct Sums {
  TreeStack stack;
  std::vector<std::string> texts{std::size_t(TreeStack::most)};
  explicit Sums(Index leaves) : stack(leaves) {}
  void push(const TreeNode& node, const std::string& text) {
    texts[std::size_t(stack.size())] = text;
    stack.push(node, [&](Index left, Index right) {
      texts[std::size_t(left)] = "(" + texts[std::size_t(left)] + "+" + texts[std::size_t(right)] + ")";
    });
  }
};

}  // namespace

TEST_CASE("for every number of leaves and of runs the sum is that of the tree") {
  for (Index leaves = 1; leaves <= Shards::most; ++leaves) {
    const std::string wanted = by_definition(0, 64, leaves);
    for (const Index parts : {1, 2, 3, 5, 7, 8, 64}) {
      Sums all(leaves);
      Index most = 0;
      for (Index part = 0; part < parts; ++part) {
        Sums own(leaves);
        for (Index i = leaves * part / parts; i < leaves * (part + 1) / parts; ++i)
          own.push({i, 1}, std::to_string(i));
        most = std::max(most, own.stack.size());
        for (Index i = 0; i < own.stack.size(); ++i) all.push(own.stack[i], own.texts[std::size_t(i)]);
      }
      CHECK(most < TreeStack::most);
      REQUIRE(all.stack.size() == 1);
      CHECK(all.texts[0] == wanted);
    }
  }
}

TEST_CASE("one thread keeps a sum per level, not one per leaf") {
  TreeStack stack(64);
  Index most = 0;
  for (Index i = 0; i < 64; ++i) {
    most = std::max(most, stack.size() + 1);
    stack.push({i, 1}, [](Index, Index) {});
  }
  CHECK(most == 7);
  CHECK(stack.size() == 1);
}

TEST_CASE("shards are runs of whole blocks that cover the batch") {
  for (const Index batch : {1, 2, 15, 16, 17, 32, 255, 256, 1000, 1024, 1025, 5000})
    for (const Index block : {1, 3, 8, 16}) {
      const Shards shards{batch, block};
      CHECK(shards.count() <= Shards::most);
      CHECK(shards.first_sample(0) == 0);
      CHECK(shards.first_sample(shards.count()) == batch);
      for (Index s = 0; s < shards.count(); ++s) {
        const Index samples = shards.first_sample(s + 1) - shards.first_sample(s);
        CHECK(samples >= 1);
        CHECK(samples <= shards.largest());
        CHECK(shards.first_sample(s) % block == 0);
      }
      CHECK((shards.group() * shards.largest() >= 8 || shards.group() >= shards.count()));
      CHECK(shards.group() <= 8);
      for (const Index parts : {1, 3, 8})
        for (Index part = 0; part < parts; ++part) {  // nodes of a part lie in it and cover it
          ShardRange range = shards.part(part, parts);
          while (range.begin < range.end) {
            const TreeNode node = shards.node(range, 64);
            CHECK(node.begin == range.begin);
            CHECK(node.begin % node.width == 0);
            CHECK(shards.of(node).end <= range.end);
            CHECK(node.width >= shards.group());
            range.begin = shards.of(node).end;
          }
        }
    }
  CHECK(Shards{256, 16}.count() == 16);
  CHECK(Shards{256, 16}.group() == 1);
  CHECK(Shards{256, 4}.count() == 64);
  CHECK(Shards{256, 4}.group() == 2);
  CHECK(Shards{4096, 16}.count() == 64);
}

TEST_CASE("a sum of numbers is that of the tree") {
  const double tiny = std::ldexp(1.0, -53);
  CHECK(tree_sum(std::vector<double>{}) == 0);
  CHECK(tree_sum(std::vector{1.0, tiny, tiny, tiny}) == (1 + tiny) + (tiny + tiny));
  CHECK(tree_sum(std::vector{1.0, tiny, tiny}) == (1 + tiny) + tiny);
  std::vector<double> ones(1000, 1.0);
  CHECK(tree_sum(ones) == 1000);
}
