// The path from u_0 is opened as the data says.
#include "mno/train/open_path.hpp"

#include <doctest/doctest.h>

#include "mno/baseline/noise_fno.hpp"
#include "mno/train/scores.hpp"

using namespace mno;

namespace {

struct Line {
  static constexpr int dimension = 1, channels = 2, rank = 2, width = 4, modes = 3, depth = 1, projection = 4;
};

Ensemble<double, 1> waves(std::vector<double> times) {
  Ensemble<double, 1> data;
  const Grid<1> grid{{8}};
  const Index n = Index(times.size());
  data.initial = data.mean = data.variance = Field<double, 1>(n, grid, 2);
  data.counts = std::vector<Index>(times.size(), 4);
  data.times = std::move(times);
  Stream random(1);
  for (double& value : data.initial.span()) value = random.normal();
  return data;
}

}  // namespace

TEST_CASE("opened for one time, nothing of u_0 reaches the mean at that time but through the layers") {
  const auto data = waves(std::vector<double>(20, 0.7));
  PathMno<Line, double> model(3);
  for (const double closed : model.leaf("drift.path.scale")) CHECK(closed == 0);
  open_path(model, data);
  const double g = 1 - std::exp(-0.7);
  for (const double open : model.leaf("drift.path.scale"))
    CHECK(open == doctest::Approx(-1 / g).epsilon(1e-12));

  // A head that gives nothing makes a mean that is zero.
  for (const NamedLeaf& leaf : model.leaves())
    if (leaf.name.starts_with("drift.pointwise"))
      for (double& value : model.leaf(leaf.name)) value = 0;
  CHECK(score(model, data).mean_rmse < 1e-12);  // the data's mean is zero, too
}

TEST_CASE("of an operator that gives draws it is opened likewise, whatever the noise is") {
  const auto data = waves(std::vector<double>(20, 0.7));
  NoiseFno<Line, double> model(3);
  open_path(model, data);
  for (const double open : model.leaf("drift.path.scale"))
    CHECK(open == doctest::Approx(-1 / (1 - std::exp(-0.7))).epsilon(1e-12));
}

TEST_CASE("for several times it is the best compromise") {
  const auto data = waves({0.1, 0.1, 0.5, 0.5, 2, 2});
  PathMno<Line, double> model(3);
  open_path(model, data);
  const auto left = [&](double kappa) {  // of u_0, of channel 0
    double sum = 0;
    for (Index e = 0; e < 6; ++e)
      for (Index p = 0; p < 8; ++p) {
        const double g = 1 - std::exp(-data.times[std::size_t(e)]);
        sum += std::pow(data.initial(e, p, 0) * (1 + g * kappa), 2);
      }
    return sum;
  };
  const double kappa = model.leaf("drift.path.scale")[0];
  CHECK(left(kappa) < left(kappa + 0.01));
  CHECK(left(kappa) < left(kappa - 0.01));
}

TEST_CASE("the law is still u_0 at t = 0") {
  const auto data = waves(std::vector<double>(20, 0.7));
  PathMno<Line, double> model(3);
  open_path(model, data);
  const double zero = 0;
  const auto law = predict(model, {data.initial.view(), {&zero, 1}});
  CHECK(std::equal(law.mean.span().begin(), law.mean.span().end(), data.initial.span().begin()));
}

TEST_CASE("a model without a path is refused with a sentence") {
  Mno<Line, double> model(3);
  CHECK_THROWS_WITH_AS(open_path(model, waves({0.5})),
                       "mno::open_path: argument 'model': expected one whose drift head has a path from u_0, "
                       "as PathMno has, got none.",
                       Error);
}
