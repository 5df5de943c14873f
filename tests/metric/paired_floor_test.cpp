// The floor that is measured with further members is what the law itself scores on the same test set.
#include "mno/metric/paired_floor.hpp"

#include <doctest/doctest.h>

#include <map>

#include "metric/support.hpp"

using namespace mno;
using namespace mno::testing;

namespace {

const Grid<1> grid{{8}};

std::map<std::string, double> by_name(const std::vector<metric::ScoreRow>& rows) {
  std::map<std::string, double> values;
  for (const metric::ScoreRow& row : rows)
    if (!row.level) values[row.metric] = row.value;
  return values;
}

}  // namespace

// Sixteen times as many further members, 30 test sets of 10 conditions with 8 independent points. What
// further members add by chance to the square of an error is 2√(1/16) = 0.5 of what a test set has by chance,
// √2, so the two are correlated by √(2/2.25) = 0.94 over test sets. Taken together they differ by less than 1
// %.
TEST_CASE("further members tell what the law itself scores on the same members") {
  constexpr Index sets = 30, conditions = 10, m = 24, s = 16 * m;
  Stream random(5);
  std::map<std::string, std::vector<double>> measured, of_law;
  for (Index set = 0; set < sets; ++set) {
    Field<double, 1> mean(conditions, grid, 1), factor(conditions, grid, 1), nugget(conditions, grid, 1);
    for (double& x : mean.span()) x = random.normal();
    for (double& x : factor.span()) x = 0.2 * random.normal();
    for (double& x : nugget.span()) x = 1;
    const Law<double, 1> law(mean, factor, nugget);
    const auto all = sample(law, m + s, 100 + std::uint64_t(set)), draws = sample(law, m, std::uint64_t(set));
    metric::PairedFloor<1> floor(grid, m);
    metric::Scorecard<1> exact(grid, m, {.floors = false});
    for (Index c = 0; c < conditions; ++c) {
      const metric::Members members = metric::members(std::as_const(all).view(), c, m + s);
      floor.add(members.rightCols(s), members.leftCols(m));
      exact.add(law, c, metric::members(std::as_const(draws).view(), c, m), members.leftCols(m));
    }
    for (const auto& [name, value] : by_name(floor.rows())) measured[name].push_back(value);
    for (const auto& [name, value] : by_name(exact.rows())) of_law[name].push_back(value);
  }
  const auto map = [](const std::vector<double>& x) {
    return Eigen::Map<const Eigen::ArrayXd>(x.data(), Index(x.size()));
  };
  CHECK(measured.size() == 7);
  for (const auto& [name, values] : measured) {
    CAPTURE(name);
    const Eigen::ArrayXd floor = map(values), law = map(of_law.at(name));
    const double ratio = floor.mean() / law.mean();
    CHECK(std::abs(ratio - 1) < 0.015);
    const Eigen::ArrayXd a = floor - floor.mean(), b = law - law.mean();
    const double correlation = (a * b).sum() / std::sqrt((a * a).sum() * (b * b).sum());
    if (name != "w2s" && name != "energy_score") CHECK(correlation > 0.75);  // they have draws of their own
  }
}

TEST_CASE("fewer further members than members are refused") {
  Stream random(2);
  metric::PairedFloor<1> floor(grid, 4);
  CHECK_THROWS_AS(floor.add(normal_ensemble(8, 3, random), normal_ensemble(8, 4, random)), Error);
}
