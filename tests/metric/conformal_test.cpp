// The conformal guarantee by simulation for a model that is wrong, and inflation by the mean's error.
#include "mno/metric/conformal.hpp"

#include <doctest/doctest.h>

#include "metric/support.hpp"
#include "mno/metric/coverage.hpp"

using namespace mno;
using namespace mno::testing;

namespace {

/// A condition whose mean the model misses at random, and whose spread it has wrong.
struct Condition {
  explicit Condition(Stream& stream, double error = 1.5)
      : model(metric::point_mass(Eigen::VectorXd::Zero(4))) {
    model.variance.setConstant(0.25);
    members = normal_ensemble(4, 10, stream, error * stream.normal(), 1 + stream.uniform());
  }
  metric::Moments model;
  metric::Members members;
};

/// The part of members and entries inside m ± λσ.
double covered(const Condition& c, double lambda) {
  const Eigen::ArrayXXd ratio =
      (c.members.colwise() - c.model.mean).array().abs().colwise() / c.model.variance.array().sqrt();
  return double((ratio <= lambda).count()) / double(ratio.size());
}

/// How often a new condition is covered to `level`, with n calibration conditions.
double success(Index n, double level, double confidence, int repeats) {
  Stream stream(11);
  int held = 0;
  for (int repeat = 0; repeat < repeats; ++repeat) {
    std::vector<double> scores;
    for (Index i = 0; i < n; ++i) {
      const Condition c(stream);
      scores.push_back(metric::band_score(c.model, c.members, level));
    }
    held += covered(Condition(stream), metric::conformal_factor(scores, confidence)) >= level;
  }
  return held / double(repeats);
}

}  // namespace

TEST_CASE("the score is the smallest multiplier that covers the level") {
  const metric::Moments model{Eigen::Vector2d(0, 1), Eigen::Vector2d(1, 4)};
  const metric::Members u = (metric::Members(2, 2) << 3, -1, 5, 2).finished();  // ratios 3, 1, 2, 0.5
  CHECK(metric::band_score(model, u, 0.25) == 0.5);
  CHECK(metric::band_score(model, u, 0.5) == 1);
  CHECK(metric::band_score(model, u, 0.51) == 2);
  CHECK(metric::band_score(model, u, 1) == 3);
  Stream stream(1);
  for (const double level : {0.1, 0.5, 0.8, 0.95}) {
    const Condition c(stream);
    const double score = metric::band_score(c.model, c.members, level);
    CHECK(covered(c, score) >= level);
    CHECK(covered(c, score * (1 - 1e-9)) < level);
  }
}

TEST_CASE("without spread only an exact member is covered") {
  const metric::Moments model = metric::point_mass(Eigen::VectorXd::Zero(1));
  const metric::Members u = (metric::Members(1, 2) << 0, 1).finished();
  CHECK(metric::band_score(model, u, 0.5) == 0);
  CHECK(std::isinf(metric::band_score(model, u, 0.9)));
}

TEST_CASE("the factor is the finite-sample quantile, infinite where nothing can be promised") {
  std::vector<double> scores;
  for (int i = 19; i >= 1; --i) scores.push_back(i);
  CHECK(metric::conformal_factor(scores, 0.9) == 18);
  CHECK(metric::conformal_factor(scores, 0.91) == 19);
  CHECK(metric::conformal_factor(scores, 0.95) == 19);
  CHECK(metric::conformal_factor(scores, 0.05) == 1);
  CHECK(metric::conformal_factor(scores, 1e-20) == 1);
  CHECK(metric::conformal_factor(std::span(scores).first(9), 0.1 + 0.2) == 13);  // 0.3 · 10 is 3, not 4
  CHECK(std::isinf(metric::conformal_factor(scores, 0.96)));
}

TEST_CASE("a new condition is covered with the promised probability, whatever the model") {
  // Scores are continuous, so the probability is exactly ⌈(n+1)(1−α)⌉/(n+1).
  const int repeats = 4000;
  const auto check = [&](Index n, double level, double confidence, double exact) {
    CHECK(std::abs(success(n, level, confidence, repeats) - exact) <
          critical * std::sqrt(exact * (1 - exact) / repeats));
    CHECK(exact >= confidence);
  };
  check(19, 0.9, 0.9, 18.0 / 20);
  check(9, 0.5, 0.75, 8.0 / 10);  // a quantile without the n+1 would promise 0.7
}

TEST_CASE("a widened law has intervals lambda times as wide, and its mean") {
  const auto law = random_law<float, 1>(2, {{5}, {}}, 2, 3, 1);
  const auto wide = metric::widened(law, 2.5);
  for (Index s = 0; s < 2; ++s) {
    const auto by_moments = metric::widened(metric::moments(law, s), 2.5);
    const auto by_law = metric::moments(wide, s);
    CHECK((by_law.variance - 6.25 * metric::moments(law, s).variance).norm() < 1e-5 * by_law.variance.norm());
    CHECK((by_law.variance - by_moments.variance).norm() < 1e-5 * by_law.variance.norm());
    CHECK(by_law.mean == metric::moments(law, s).mean);
  }
}

TEST_CASE("inflation by hand, per entry and per channel") {
  metric::MeanErrorInflation inflation;
  const metric::Moments model = metric::point_mass(Eigen::Vector4d(0, 0, 0, 0));  // two points, two channels
  inflation.add(model, {Eigen::Vector4d(1, 2, 0, 0), Eigen::Vector4d(2, 0, 0, 2), 4});
  inflation.add(model, {Eigen::Vector4d(3, 0, 0, 0), Eigen::Vector4d(2, 0, 0, 2), 4});
  // squares less s²/M: (1 − ½ + 9 − ½)/2 = 4.5, 4/2 = 2, 0, and −½ cut off at 0
  CHECK(inflation.per_entry() == Eigen::Vector4d(4.5, 2, 0, 0));
  CHECK(inflation.per_channel(2) == Eigen::Vector2d(2.25, 0.75));
  CHECK(metric::inflated(model, inflation.per_channel(2)).variance ==
        Eigen::Vector4d(2.25, 0.75, 2.25, 0.75));
  CHECK(metric::inflated(model, inflation.per_entry()).variance == inflation.per_entry());
}

TEST_CASE("inflation estimates the mean's squared error without the ensemble's own") {
  Stream stream(3);
  Repeats estimate;
  for (int repeat = 0; repeat < 5000; ++repeat) {
    metric::MeanErrorInflation inflation;
    for (int condition = 0; condition < 4; ++condition)
      inflation.add(metric::point_mass(Eigen::VectorXd::Constant(1, 2.0)),
                    metric::moments(normal_ensemble(1, 5, stream)));
    estimate.add(inflation.per_entry()[0]);  // never near the cut at 0
  }
  CHECK(estimate.z(4) < critical);
  CHECK(estimate.z(4 + 1.0 / 5) > critical);
}

TEST_CASE("inflated, a law with Gaussian mean errors is calibrated") {
  Stream stream(4);
  metric::MeanErrorInflation inflation;
  metric::Coverage raw, inflated;
  const auto condition = [&] { return normal_ensemble(1, 100, stream, 0.7 * stream.normal()); };
  const metric::Moments model{Eigen::VectorXd::Zero(1), Eigen::VectorXd::Ones(1)};
  for (int i = 0; i < 4000; ++i) inflation.add(model, metric::moments(condition()));
  for (int i = 0; i < 4000; ++i) {
    const auto u = condition();
    raw.add(model, u);
    inflated.add(metric::inflated(model, inflation.per_entry()), u);
  }
  for (std::size_t l = 0; l < 4; ++l) {
    // a condition's coverage has a deviation below 0.2 over conditions: 0.02 is six standard errors
    CHECK(std::abs(inflated.value()[l] - inflated.levels()[l]) < 0.02);
    CHECK(raw.value()[l] < raw.levels()[l] - 0.02);
  }
}

TEST_CASE("misuse gives a sentence") {
  const metric::Moments model = metric::point_mass(Eigen::Vector2d(0, 0));
  CHECK(sentence([&] { metric::band_score(model, metric::Members::Zero(3, 1), 0.9); }) ==
        "mno::metric::band_score: argument 'members': expected 2 entries as the model has, got 3.");
  CHECK(sentence([&] { metric::band_score(model, metric::Members::Zero(2, 1), 0); }) ==
        "mno::metric::band_score: argument 'level': expected a fraction above 0, at most 1, got 0.");
  CHECK(sentence([] { metric::conformal_factor({}, 0.9); }) ==
        "mno::metric::conformal_factor: argument 'scores': expected at least one condition, got none.");
  CHECK(sentence([] { metric::conformal_factor(std::vector<double>{1}, 1); }) ==
        "mno::metric::conformal_factor: argument 'confidence': expected a probability strictly between 0 and "
        "1, got 1.");
  CHECK(sentence([&] { metric::inflated(model, Eigen::Vector3d(1, 1, 1)); }) ==
        "mno::metric::inflated: argument 'extra': expected one value per entry (2) or per channel, got 3.");
  CHECK(sentence([] { metric::MeanErrorInflation{}.per_entry(); }) ==
        "mno::metric::MeanErrorInflation: argument 'add': expected at least one condition, got none.");
  CHECK(sentence([&] { metric::widened(model, std::numeric_limits<double>::infinity()); }) ==
        "mno::metric::widened: argument 'lambda': expected a finite factor that is not negative, got inf.");
}
