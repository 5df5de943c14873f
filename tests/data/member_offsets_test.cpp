// Members of conditions that have different numbers of them, side by side in one field.
#include "mno/data/member_offsets.hpp"

#include <doctest/doctest.h>

#include "mno/data/ensemble.hpp"
#include "mno/train/batch.hpp"
#include "property.hpp"

using namespace mno;
using namespace mno::testing;

namespace {

/// Between one and seven members for each of some conditions.
std::vector<Index> any_counts() { return any_some_in(1, 8); }

/// Member j of condition i has the value 100 i + j at every entry, and 0.25 more at every point.
double value(Index condition, Index member, Index point) {
  return double(100 * condition + member) + 0.25 * double(point);
}
Ensemble<double, 1> numbered(const std::vector<Index>& counts, EnsembleOptions options = {.members = true}) {
  const Grid<1> grid{{3}};
  auto data = make_ensemble<double, 1>(std::span<const Index>(counts), grid, 1, options);
  for (Index i = 0; i < data.size(); ++i) {
    Field<double, 1> initial(1, grid, 1), members(counts[std::size_t(i)], grid, 1);
    for (Index j = 0; j < members.batch(); ++j)
      for (Index p = 0; p < 3; ++p) members(j, p, 0) = value(i, j, p);
    set_condition<double, 1>(data, i, std::as_const(initial).view(), 0.5, i, std::as_const(members).view());
  }
  return data;
}
/// Has the target these conditions' members, and is it one that a loss takes?
bool holds(const Target<double, 1>& target, const std::vector<Index>& counts,
           const std::vector<Index>& conditions) {
  detail::check_target("test", target);
  bool right = target.samples() == Index(conditions.size());
  for (Index i = 0; right && i < target.samples(); ++i) {
    const Index from = conditions[std::size_t(i)];
    const auto members = target.members_of(i);
    right = members.batch == counts[std::size_t(from)] && target.count(i) == members.batch;
    for (Index j = 0; right && j < members.batch; ++j)
      for (Index p = 0; p < 3; ++p) right = right && members(j, p, 0) == value(from, j, p);
  }
  return right;
}
std::vector<Index> all_of(const std::vector<Index>& counts) {
  std::vector<Index> all(counts.size());
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = Index(i);
  return all;
}

}  // namespace

TEST_CASE("offsets are the sums of the counts before, and the end") {
  const std::vector<Index> counts{3, 1, 4};
  CHECK(member_offsets(counts) == std::vector<Index>{0, 3, 4, 8});
  CHECK(member_offset(counts, member_offsets(counts), 2) == 4);
  const std::vector<Index> one{5};  // for all: offsets may be left out
  CHECK(member_offset(one, {}, 2) == 10);
  CHECK(most_members(counts, 2) == 8);  // the last one twice
}

TEST_CASE("for all numbers of members, an ensemble gives every condition its own") {
  CHECK(for_any("any counts", [] {
    const auto counts = any_counts();
    const auto data = numbered(counts);
    HOLDS(data.counts == counts);
    HOLDS(holds(data.target(), counts, all_of(counts)));
    for (Index i = 0; i < data.size(); ++i) {
      const double m = double(counts[std::size_t(i)]);
      HOLDS(std::abs(data.mean(i, 1, 0) - value(i, 0, 1) - (m - 1) / 2) < 1e-9);
      HOLDS(std::abs(data.variance(i, 1, 0) - m * (m + 1) / 12 * double(m > 1)) < 1e-9);  // of 0 … m − 1
    }
  }));
}

TEST_CASE("for all choices of conditions, a subset and a batch have their members side by side") {
  CHECK(for_any("any counts", [] {
    const auto counts = any_counts();
    const auto data = numbered(counts);
    const auto chosen = any_some_in(0, Index(counts.size()));
    HOLDS(holds(subset(data, std::span<const Index>(chosen)).target(), counts, chosen));

    Batch<double, 1> batch(data, Index(chosen.size()));
    batch.gather(data, chosen);
    HOLDS(holds(batch.target(), counts, chosen));
    batch.gather(data, std::span(chosen).first(1));  // one that is not full
    HOLDS(holds(batch.target(), counts, {chosen[0]}));
  }));
}

TEST_CASE("few members are kept, more are kept if they are asked for") {
  CHECK(numbered({4, 5}, {}).members.size() == 0);
  CHECK(numbered({4, 5}, {.members = true}).members.batch() == 9);
  CHECK(numbered({4, 1}, {}).members.batch() == 5);
  CHECK(numbered({4, 5}, {}).target().offsets.empty());
}

TEST_CASE("a condition with another number of members than was said is refused") {
  auto data = numbered({2, 3});
  const Field<double, 1> initial(1, data.grid(), 1), three(3, data.grid(), 1);
  CHECK_THROWS_WITH_AS((set_condition<double, 1>(data, 0, initial.view(), 0.5, 0, three.view())),
                       "mno::set_condition: argument 'members': expected as many members as are kept of "
                       "condition 0, 2, got 3.",
                       Error);
  CHECK_THROWS_WITH_AS((make_ensemble<double, 1>(2, data.grid(), 1, {.members = true})),
                       "mno::make_ensemble: argument 'conditions': expected the number of members of every "
                       "condition, as they are to be kept, got 2 conditions.",
                       Error);
  const std::vector<Index> none{2, 0};
  CHECK_THROWS_AS((make_ensemble<double, 1>(std::span<const Index>(none), data.grid(), 1)), Error);
}
