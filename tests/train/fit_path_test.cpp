// The path from u_0 begins where the data says.
#include "mno/train/fit_path.hpp"

#include <doctest/doctest.h>

#include "mno/train/scores.hpp"

using namespace mno;

namespace {

struct Line {
  static constexpr int dimension = 1, channels = 2, rank = 2, width = 4, modes = 3, depth = 1, projection = 4;
};

/// ū = a_c u_0 at t = 0.7 and t = 0.2 alike, a = (0.1, 1.5).
Ensemble<double, 1> scaled() {
  Ensemble<double, 1> data;
  const Grid<1> grid{{8}};
  data.initial = data.mean = data.variance = Field<double, 1>(20, grid, 2);
  data.times = std::vector<double>(20, 0.7);
  data.counts = std::vector<Index>(20, 4);
  Stream random(1);
  for (Index e = 0; e < 20; ++e)
    for (Index p = 0; p < 8; ++p)
      for (Index c = 0; c < 2; ++c) {
        data.initial(e, p, c) = random.normal();
        data.mean(e, p, c) = (c == 0 ? 0.1 : 1.5) * data.initial(e, p, c);
      }
  return data;
}

}  // namespace

TEST_CASE("the fitted path is the best one for the model as it is") {
  const auto data = scaled();
  PathMno<Line, double> model(3);
  CHECK(model.leaf("drift.path.scale")[0] == 0);
  fit_path(model, data);
  const std::vector<double> fitted(model.leaf("drift.path.scale").begin(),
                                   model.leaf("drift.path.scale").end());
  // Nearly (a − 1)/g(t); the untrained head adds a little of its own.
  const double g = 1 - std::exp(-0.7);
  CHECK(fitted[0] == doctest::Approx(-0.9 / g).epsilon(0.05));
  CHECK(fitted[1] == doctest::Approx(0.5 / g).epsilon(0.05));
  const double best = score(model, data).mean_rmse;
  for (const std::size_t c : {0u, 1u})
    for (const double change : {-0.05, 0.05}) {
      model.leaf("drift.path.scale")[c] = fitted[c] + change;
      CHECK(score(model, data).mean_rmse > best);
      model.leaf("drift.path.scale")[c] = fitted[c];
    }
}

TEST_CASE("the law is still u_0 at t = 0") {
  const auto data = scaled();
  PathMno<Line, double> model(3);
  fit_path(model, data);
  const double zero = 0;
  const auto law = predict(model, {data.initial.view(), {&zero, 1}});
  CHECK(std::equal(law.mean.span().begin(), law.mean.span().end(), data.initial.span().begin()));
}

TEST_CASE("a model without a path is refused with a sentence") {
  Mno<Line, double> model(3);
  CHECK_THROWS_WITH_AS(fit_path(model, scaled()),
                       "mno::fit_path: argument 'model': expected one whose drift head has a path from u_0, "
                       "as PathMno has, got none.",
                       Error);
}
