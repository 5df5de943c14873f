// Moving conditions by the symmetries that their law has.
#include "mno/data/symmetry.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>

using namespace mno;

namespace {

/// Two conditions of two members each, with one factor, every number another.
Ensemble<double, 1> numbers(const Grid<1>& grid = {{4}}) {
  auto all = make_ensemble<double, 1>(std::vector<Index>{2, 2}, grid, 1, {.factors = 1, .members = true});
  double next = 1;
  for (Field<double, 1>* field :
       {&all.initial, &all.mean, &all.variance, &all.covariance_factor, &all.members})
    for (double& value : field->span()) value = next++;
  return all;
}

}  // namespace

TEST_CASE("-u(-(x - s)): values change sign and place, spreads their place alone") {
  const auto from = numbers();
  auto to = from;
  const Move<1> move{.negative = true, .mirrored = true, .shift = {1}};
  // x = 0, 1, 2, 3 are mirrored to 0, 3, 2, 1, and with the shift go to 1, 0, 3, 2
  const std::array<Index, 4> places{1, 0, 3, 2};
  move_condition<double, 1>(from, 1, move, to);
  for (Index p = 0; p < 4; ++p) {
    const Index q = places[std::size_t(p)];
    CHECK(move.place(from.grid(), p) == q);
    CHECK(to.initial(1, q, 0) == -from.initial(1, p, 0));
    CHECK(to.mean(1, q, 0) == -from.mean(1, p, 0));
    CHECK(to.variance(1, q, 0) == from.variance(1, p, 0));
    CHECK(to.covariance_factor(1, q, 0) == from.covariance_factor(1, p, 0));
    for (const Index member : {2, 3}) CHECK(to.members(member, q, 0) == -from.members(member, p, 0));
    CHECK(to.initial(0, p, 0) == from.initial(0, p, 0));  // the other condition stays
    CHECK(to.members(1, p, 0) == from.members(1, p, 0));
  }
}

TEST_CASE("every point has one place, on a plane too") {
  const Grid<2> grid{{3, 4}};
  const Move<2> move{.mirrored = true, .shift = {2, 1}};
  std::vector<Index> places;
  for (Index p = 0; p < 12; ++p) places.push_back(move.place(grid, p));
  CHECK(places[1 * 4 + 1] == 1 * 4 + 0);  // (1, 1) to (2, 3), then by (2, 1)
  std::ranges::sort(places);
  for (Index p = 0; p < 12; ++p) CHECK(places[std::size_t(p)] == p);
}

TEST_CASE("any product of the symmetries, each as likely; nothing is shifted between walls") {
  const auto drawn = [](const Symmetries& symmetries, const Grid<1>& grid) {
    Stream random(1);
    std::map<std::array<Index, 3>, Index> count;
    for (int i = 0; i < 4000; ++i) {
      const auto move = Move<1>::random(symmetries, grid, random);
      ++count[{Index(move.negative), Index(move.mirrored), move.shift[0]}];
    }
    return count;
  };
  const Grid<1> periodic{{4}}, walls{{4}, {{1}, {true}}};
  CHECK(drawn({}, periodic).size() == 1);
  const auto turned = drawn({.turned = true}, periodic);
  REQUIRE(turned.size() == 2);
  CHECK(turned.count({1, 1, 0}) == 1);
  const auto all = drawn({.negative = true, .mirrored = true, .turned = true, .shifted = true}, periodic);
  REQUIRE(all.size() == 16);
  for (const auto& [move, count] : all) CHECK(std::abs(count - 250) < 6 * 16);  // six deviations
  CHECK(drawn({.negative = true, .shifted = true}, walls).size() == 2);
}

TEST_CASE("what cannot be moved is refused with a sentence") {
  auto data = numbers({{4}, {{1}, {true}}});
  CHECK_THROWS_WITH(require_movable("Trainer", {.mirrored = true, .shifted = true}, data),
                    "mno::Trainer: argument 'symmetries': expected none that mirrors, between walls, got "
                    "u(-x),u(x-s).");
  require_movable("Trainer", {.negative = true}, data);
  data.known = Field<double, 1>(1, data.grid(), 1);
  CHECK_THROWS_WITH(
      require_movable("Trainer", {.negative = true}, data),
      "mno::Trainer: argument 'symmetries': expected none, where there are known fields, got -u(x).");
  require_movable("Trainer", {}, data);
}
