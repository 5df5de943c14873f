// Targets that do not fit are refused with a sentence.
#include "mno/data/target.hpp"

#include "oracle.hpp"

using namespace mno;
using namespace mno::testing;

namespace {

const Grid<2> grid{{3, 4}};

template <class Change> std::string said(Change&& change) {
  RandomEnsemble<double, 2> ensemble(5, grid, 2, 7, 1);
  Target<double, 2> target = ensemble.target();
  return sentence([&] {
    change(ensemble, target);
    detail::check_target("test", target);
  });
}
bool contains(const std::string& text, const std::string& part) { return text.find(part) != text.npos; }

}  // namespace

TEST_CASE("a target that fits passes") {
  CHECK(said([](auto&, auto&) {}) == "");
  CHECK(said([](auto&, auto& t) { t = {.mean = t.mean}; }) == "");
}

TEST_CASE("what does not fit is named") {
  const double nan = std::nan("");
  CHECK(said([](auto&, auto& t) { t.mean = {}; }) ==
        "mno::test: argument 'target.mean': expected at least one sample, got 0.");
  CHECK(contains(said([&](auto& e, auto&) { e.mean(4, 11, 1) = nan; }), "target.mean"));
  CHECK(contains(said([&](auto& e, auto&) { e.variance(4, 11, 1) = nan; }), "target.variance"));
  CHECK(contains(said([](auto& e, auto&) { e.variance(0, 0, 0) = -0.5; }), "got -0.5"));
  CHECK(contains(said([](auto&, auto& t) { t.variance = t.variance.samples(0, 4); }),
                 "expected 5 field(s) of 2 channel(s) on 3x4, got 4 of 2 on 3x4"));
  CHECK(contains(said([&](auto& e, auto&) { e.factor(0, 0, 13) = nan; }), "target.covariance_factor"));
  CHECK(contains(said([](auto&, auto& t) { t.covariance_factor.channels = 3; }), "a multiple of 2"));
  CHECK(contains(said([](auto&, auto& t) { t.members.batch = 34; }), "expected 35 field(s)"));
  CHECK(contains(said([](auto&, auto& t) { t.initial = t.mean.slice(0, 1); }), "target.initial"));
  const std::vector<Index> two{7, 7}, unequal{7, 7, 7, 6, 7}, zero{0};
  CHECK(contains(said([&](auto&, auto& t) { t.counts = two; }), "one per sample (5)"));
  CHECK(contains(said([&](auto&, auto& t) { t.counts = zero; }), "at least one member"));
  CHECK(contains(said([&](auto&, auto& t) { t.counts = unequal; }), "the same number for every sample"));
  const std::vector<Index> right = member_offsets(unequal), wrong{0, 7, 14, 21, 28, 34}, few{0, 34};
  const auto with_offsets = [&](const std::vector<Index>& offsets) {
    return said([&](auto&, auto& t) {
      t.counts = unequal;
      t.offsets = offsets;
      t.members.batch = 34;
    });
  };
  CHECK(with_offsets(right) == "");
  CHECK(contains(with_offsets(wrong), "expected member_offsets(target.counts), got others at sample 3"));
  CHECK(contains(with_offsets(few), "expected one per sample and the end, 6"));
  CHECK(contains(said([](auto&, auto& t) { t.counts = {}; }), "target.counts"));
}

TEST_CASE("counts per sample: each sample has its own bias") {
  const RandomEnsemble<double, 2> ensemble(2, grid, 1, 7, 1);
  const Index counts[] = {2, 5};
  Target<double, 2> target = ensemble.target();
  target.counts = counts;
  CHECK(target.biased_variance(0, 3, 0) == doctest::Approx(ensemble.variance(0, 3, 0) / 2));
  CHECK(target.biased_variance(1, 3, 0) == doctest::Approx(ensemble.variance(1, 3, 0) * 4 / 5));
}
