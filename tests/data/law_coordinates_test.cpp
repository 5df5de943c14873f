// Data of a warped law: statistics of w⁻¹(u), not w⁻¹ of statistics.
#include "mno/data/law_coordinates.hpp"

#include <doctest/doctest.h>

#include <cmath>

#include "mno/law/any_warp.hpp"

using namespace mno;

TEST_CASE("the statistics of data in a law's coordinates are those of the warped members") {
  const Grid<1> grid{{4}};
  const std::vector<Index> counts{2, 3};
  auto data = make_ensemble<double, 1>(counts, grid, 1, {.factors = 1, .members = true});
  for (Index s = 0; s < 2; ++s) {
    Field<double, 1> initial(1, grid, 1), members(counts[std::size_t(s)], grid, 1);
    initial.fill([](auto, Index) { return std::exp(0.5); });
    members.fill([](Index m, auto, Index) { return std::exp(1.0 + 2.0 * double(m)); });
    set_condition<double, 1>(data, s, std::as_const(initial).view(), 0.5 + double(s), s,
                             std::as_const(members).view());
  }
  const auto z = in_law_coordinates(data, LogWarp{});
  CHECK(z.initial(0, 1, 0) == doctest::Approx(0.5));
  CHECK(z.mean(0, 1, 0) == doctest::Approx(2));  // of 1 and 3
  CHECK(z.variance(0, 1, 0) == doctest::Approx(2));
  CHECK(std::pow(z.covariance_factor(0, 1, 0), 2) == doctest::Approx(2));
  CHECK(z.mean(1, 1, 0) == doctest::Approx(3));  // of 1, 3 and 5
  CHECK(z.variance(1, 1, 0) == doctest::Approx(4));
  CHECK(z.times == data.times);
  CHECK(z.counts == data.counts);

  auto statistics = make_ensemble<double, 1>(2, grid, 1);
  CHECK_THROWS_WITH_AS(in_law_coordinates(statistics, LogWarp{}), doctest::Contains("keeps its members"),
                       Error);
  CHECK(in_law_coordinates(statistics, AnyWarp{}).size() == 2);  // nothing to do
}
