// The energy score by hand, without bias in the number of draws, and the same on every grid.
#include "mno/metric/energy_score.hpp"

#include <doctest/doctest.h>

#include "metric/support.hpp"
#include "mno/metric/crps.hpp"

using namespace mno;
using namespace mno::testing;

namespace {

template <int D>
double score(const Grid<D>& grid, const metric::Members& draws, const metric::Members& members) {
  metric::EnergyScore metric(grid);
  metric.add(draws, members);
  return metric.value();
}

}  // namespace

TEST_CASE("by hand, with the cell as weight") {
  const Grid<1> grid{{2}, {{8.0}}};  // cell 4: norms are twice the Euclidean ones
  const metric::Members draws = (metric::Members(2, 2) << 0, 3, 0, 4).finished();
  const metric::Members members = (metric::Members(2, 1) << 0, 0).finished();
  CHECK(score(grid, draws, members) == doctest::Approx(2 * (2.5 - 2.5)).epsilon(1e-15));
  CHECK(score(grid, draws, (metric::Members(2, 1) << 3, 0).finished()) ==
        doctest::Approx(2 * (3.5 - 2.5)).epsilon(1e-15));
  CHECK(score(grid, draws.rightCols(1), members) == doctest::Approx(10).epsilon(1e-15));
}

TEST_CASE("conditions are averaged") {
  const Grid<1> grid{{1}, {}};
  metric::EnergyScore metric(grid);
  metric.add(metric::Members::Zero(1, 1), metric::Members::Constant(1, 1, 2));
  metric.add(metric::Members::Zero(1, 1), metric::Members::Constant(1, 4, -5));
  CHECK(metric.value() == doctest::Approx(3.5).epsilon(1e-15));
}

TEST_CASE("one point with unit cell is the CRPS by draws") {
  Stream stream(1);
  const auto draws = normal_ensemble(1, 9, stream), members = normal_ensemble(1, 5, stream);
  metric::SampleCrps crps;
  crps.add(draws, members);
  CHECK(score(Grid<1>{{1}, {}}, draws, members) == doctest::Approx(crps.value()).epsilon(1e-13));
}

TEST_CASE("the same functions on a grid twice as fine have the same score") {
  Stream stream(2);
  const auto draws = normal_ensemble(4, 6, stream), members = normal_ensemble(4, 5, stream);
  const auto fine = [](const metric::Members& m) {  // piecewise constant
    metric::Members result(8, m.cols());
    for (Index i = 0; i < 8; ++i) result.row(i) = m.row(i / 2);
    return result;
  };
  CHECK(score(Grid<1>{{8}, {{3.0}}}, fine(draws), fine(members)) ==
        doctest::Approx(score(Grid<1>{{4}, {{3.0}}}, draws, members)).epsilon(1e-14));
}

TEST_CASE("few draws have the expectation of many") {
  // For x, u ~ N(0, I_3), E‖x − u‖ = √2 · 2√(2/π), and half of it is the score of the truth.
  Stream stream(3);
  Repeats few;
  for (int repeat = 0; repeat < 20000; ++repeat)
    few.add(score(Grid<1>{{3}, {{3.0}}}, normal_ensemble(3, 2, stream), normal_ensemble(3, 2, stream)));
  const double expected = 2 / std::sqrt(std::numbers::pi);
  CHECK(few.z(expected) < critical);
  CHECK(few.z(expected + 0.05) > critical);
}

TEST_CASE("it sees correlation that marginals do not show") {
  Stream stream(4);
  const Index count = 400;
  const auto correlated = [&] { return normal_ensemble(1, count, stream).colwise().replicate(6).eval(); };
  const auto truth = correlated(), good = correlated();
  const auto bad = normal_ensemble(6, count, stream);
  const Grid<1> grid{{6}, {}};
  CHECK(score(grid, good, truth) < score(grid, bad, truth));
}

TEST_CASE("misuse gives a sentence") {
  CHECK(sentence([] {
          score(Grid<1>{{2}, {}}, metric::Members::Zero(2, 2), metric::Members::Zero(3, 2));
        }) == "mno::metric::EnergyScore: argument 'members': expected 2 entries as the model has, got 3.");
}
