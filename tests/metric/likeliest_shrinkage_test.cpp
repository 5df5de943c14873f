// The share of the factor's variance that belongs on the diagonal is found from draws.
#include "mno/metric/likeliest_shrinkage.hpp"

#include <doctest/doctest.h>

#include "mno/law/sample.hpp"

using namespace mno;

TEST_CASE("draws of a law with a tenth on the diagonal say so, and a factor alone is not believed") {
  const Grid<1> grid{{12}};
  Law<double, 1> law(Field<double, 1>(40, grid, 1), Field<double, 1>(40, grid, 2));
  Stream random(5);
  for (double& b : law.factor.span()) b = random.normal();
  const auto truth = shrunk(law, 0.1);
  const Field<double, 1> draws = sample(truth, 1, 7);
  const std::vector<Index> counts(40, 1);
  auto data = make_ensemble<double, 1>(std::span<const Index>(counts), grid, 1, {.members = true});
  for (Index i = 0; i < 40; ++i)
    set_condition<double, 1>(data, i, std::as_const(law.mean).view().samples(i, 1), 1.0, i,
                             draws.view().samples(i, 1));
  CHECK(metric::likeliest_shrinkage(law, data) == 0.1);
  CHECK_THROWS(metric::likeliest_shrinkage(law, Ensemble<double, 1>()));
}
