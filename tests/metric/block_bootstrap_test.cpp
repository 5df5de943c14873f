// The bootstrap over blocks: the value is the plain difference, and the interval knows that what is in a
// block belongs together.
#include "mno/metric/block_bootstrap.hpp"

#include <doctest/doctest.h>

using namespace mno;

namespace {

/// Scores whose difference is −0.3 plus noise, `shared` of which is the same in a block of `size`.
struct Scores {
  std::vector<double> ours, others;
  std::vector<Index> blocks;

  Scores(Index count, Index size, double shared, std::uint64_t seed) {
    Stream random(seed);
    double common = 0;
    for (Index i = 0; i < count; ++i) {
      if (i % size == 0) common = random.normal();
      const double hard = 5 * random.normal();  // for both: it cancels
      others.push_back(10 + hard);
      ours.push_back(9.7 + hard + std::sqrt(shared) * common + std::sqrt(1 - shared) * random.normal());
      blocks.push_back(i / size);
    }
  }
  metric::Difference difference() const { return metric::block_bootstrap(ours, others, blocks, 1); }
};

}  // namespace

TEST_CASE("the interval of independent conditions is that of a mean") {
  const Scores scores(900, 1, 0, 1);
  const auto difference = scores.difference();
  double mean = 0;
  for (std::size_t i = 0; i < 900; ++i) mean += (scores.ours[i] - scores.others[i]) / 900;
  CHECK(difference.value == doctest::Approx(mean).scale(0));
  CHECK(difference.blocks == 900);
  CHECK(difference.less());
  CHECK(!difference.greater());
  // ± 1.96/√900; 4000 draws know a quantile to a few per cent.
  CHECK(difference.upper - difference.lower == doctest::Approx(2 * 1.96 / 30).scale(0).epsilon(0.12));
}

TEST_CASE("what is alike in a block counts once: the interval holds the truth as often as it says") {
  Index held = 0, held_alone = 0;
  constexpr Index trials = 200;
  for (Index trial = 0; trial < trials; ++trial) {
    Scores scores(320, 8, 0.8, std::uint64_t(trial) + 10);
    const auto inside = [](const metric::Difference& d) { return d.lower <= -0.3 && d.upper >= -0.3; };
    held += inside(scores.difference());
    for (std::size_t i = 0; i < scores.blocks.size(); ++i) scores.blocks[i] = Index(i);
    held_alone += inside(scores.difference());
  }
  // Of 200 with 94 % each, fewer than 176 are a chance of 1 in 10⁴. Without blocks it is about 57 %.
  CHECK(held >= 176);
  CHECK(held_alone <= 150);
}

TEST_CASE("blocks of different sizes weigh as many conditions as they have") {
  const std::vector<double> ours{1, 1, 1, 5}, others{0, 0, 0, 0};
  const std::vector<Index> blocks{7, 7, 7, 9};
  const auto difference = metric::block_bootstrap(ours, others, blocks);
  CHECK(difference.value == doctest::Approx(2));
  CHECK(difference.lower == doctest::Approx(1));
  CHECK(difference.upper == doctest::Approx(5));
  CHECK(difference.greater());
}

TEST_CASE("one block says nothing of chance") {
  const std::vector<double> one{1, 2};
  const std::vector<Index> block{3, 3};
  CHECK_THROWS_WITH_AS(metric::block_bootstrap(one, one, block), doctest::Contains("at least two blocks"),
                       Error);
}
