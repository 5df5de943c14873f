// RMSE of mean and variance by hand, over conditions of one average, not an average of roots.
#include "mno/metric/rmse.hpp"

#include <doctest/doctest.h>

#include "metric/support.hpp"

using namespace mno;
using namespace mno::testing;

TEST_CASE("by hand over two conditions") {
  metric::MeanRmse mean;
  metric::VarianceRmse variance;
  const metric::Moments zero{Eigen::Vector2d(0, 0), Eigen::Vector2d(1, 1)};
  const metric::Moments off{Eigen::Vector2d(3, 4), Eigen::Vector2d(1, 7)};
  for (const auto& model : {zero, off}) {
    mean.add(model, zero);
    variance.add(model, zero);
  }
  CHECK(mean.value() == doctest::Approx(2.5).epsilon(1e-15));    // √(25/4)
  CHECK(variance.value() == doctest::Approx(3).epsilon(1e-15));  // √(36/4)
}

TEST_CASE("errors count alike whatever their sign, and scale with the field") {
  Stream stream(1);
  const auto model = metric::moments(normal_ensemble(5, 9, stream));
  const auto truth = metric::moments(normal_ensemble(5, 7, stream));
  const auto value = [](auto metric, const metric::Moments& a, const metric::Moments& b) {
    metric.add(a, b);
    return metric.value();
  };
  const auto scaled = [](metric::Moments m) {
    m.mean *= -3;
    m.variance *= 9;
    return m;
  };
  CHECK(value(metric::MeanRmse{}, model, truth) == value(metric::MeanRmse{}, truth, model));
  CHECK(value(metric::MeanRmse{}, scaled(model), scaled(truth)) ==
        doctest::Approx(3 * value(metric::MeanRmse{}, model, truth)).epsilon(1e-14));
  CHECK(value(metric::VarianceRmse{}, scaled(model), scaled(truth)) ==
        doctest::Approx(9 * value(metric::VarianceRmse{}, model, truth)).epsilon(1e-14));
  CHECK(value(metric::MeanRmse{}, model, model) == 0);
}

TEST_CASE("misuse gives a sentence") {
  const metric::Moments two = metric::point_mass(Eigen::Vector2d(0, 0));
  const metric::Moments three = metric::point_mass(Eigen::Vector3d(0, 0, 0));
  CHECK(sentence([&] { metric::MeanRmse{}.add(two, three); }) ==
        "mno::metric::MeanRmse: argument 'truth': expected 2 entries as the model has, got 3.");
  CHECK(sentence([&] { metric::VarianceRmse{}.add(three, two); }) ==
        "mno::metric::VarianceRmse: argument 'truth': expected 3 entries as the model has, got 2.");
  CHECK(
      sentence([] { metric::MeanRmse{}.value(); }) ==
      "mno::metric::MeanRmse: argument 'add': expected at least one condition before the value is asked for, "
      "got none.");
}
