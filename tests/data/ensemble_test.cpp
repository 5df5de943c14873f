// Ensembles as statistics: streaming moments, leading factors, entries, normalisation, splits.
#include "mno/data/ensemble.hpp"

#include <doctest/doctest.h>

#include <Eigen/Eigenvalues>
#include <set>

#include "mno/data/normaliser.hpp"
#include "mno/data/split.hpp"
#include "mno/loss/recipe.hpp"
#include "mno/model/gradient.hpp"

using namespace mno;

namespace {
template <class T, int D>
Field<T, D> noise(Index batch, Grid<D> grid, Index channels, std::uint64_t seed, double shift = 0,
                  double scale = 1) {
  Field<T, D> field(batch, grid, channels);
  Stream random(seed);
  for (T& value : field.span()) value = T(shift + scale * random.normal());
  return field;
}
struct Shape1 {
  static constexpr int dimension = 1, channels = 2, rank = 2, width = 4, modes = 3, depth = 1, projection = 4;
};

/// Four entries of 24 members with two channels on 6 points; entries 0, 1 and 2, 3 share an initial
/// condition.
Ensemble<double, 1> four(EnsembleOptions options, Field<double, 1>& members) {
  const Grid<1> grid{{6}};
  members = noise<double, 1>(4 * 24, grid, 2, 1, 3.0, 0.5);
  const auto initial = noise<double, 1>(2, grid, 2, 2);
  const std::vector<Index> counts(4, 24);
  auto e = make_ensemble<double, 1>(std::span<const Index>(counts), grid, 2, options);
  for (Index i = 0; i < 4; ++i)
    set_condition<double, 1>(e, i, initial.view().samples(i / 2, 1), 0.5 * double(i % 2), i / 2,
                             std::as_const(members).view().samples(i * 24, 24));
  return e;
}
}  // namespace

TEST_CASE("streaming moments are the two-pass moments, also far from zero") {
  RunningMoments moments(3);
  std::vector<std::array<double, 3>> all;
  Stream random(5);
  for (int m = 0; m < 100; ++m) {
    all.push_back({1e8 + random.normal(), random.normal(), 7.0});
    moments.add(std::span<const double>(all.back()));
  }
  for (std::size_t i = 0; i < 3; ++i) {
    double mean = 0, sum = 0;
    for (const auto& member : all) mean += member[i] / 100;
    for (const auto& member : all) sum += std::pow(member[i] - mean, 2);
    CHECK(moments.mean(i) == doctest::Approx(mean).epsilon(1e-14));
    CHECK(moments.variance(i) == doctest::Approx(sum / 99).epsilon(1e-6));
  }
  CHECK(moments.variance(2) == 0);
  CHECK_THROWS_AS(moments.add(std::span<const double>(all[0]).first(2)), Error);
}

TEST_CASE("leading factors reproduce the ensemble's covariance, for many and for few members") {
  for (const Index count : {5, 40}) {
    Eigen::MatrixXd members(count, 12);
    Stream random(7);
    for (double& value : members.reshaped()) value = random.normal();
    const Eigen::MatrixXd centred = members.rowwise() - members.colwise().mean();
    const Eigen::MatrixXd covariance = centred.transpose() * centred / double(count - 1);
    const Eigen::MatrixXd full = leading_factors(members, 12);
    CHECK((full.transpose() * full - covariance).norm() < 1e-12 * covariance.norm());
    // The best approximation of rank 3 errs by the eigenvalues that are left out.
    const Eigen::MatrixXd three = leading_factors(members, 3);
    const Eigen::VectorXd eigenvalues =
        Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(covariance).eigenvalues();
    CHECK((three.transpose() * three - covariance).norm() ==
          doctest::Approx(eigenvalues.head(9).norm()).epsilon(1e-10));
  }
  CHECK_THROWS_AS(leading_factors(Eigen::MatrixXd(1, 4), 2), Error);
}

TEST_CASE("the loss and its gradient from statistics equal those from members") {
  Field<double, 1> members;
  const auto data = four({.members = true}, members);
  Model<MnoOperator<Shape1>, Shape1, double> model(3), gradient(3), other(3);
  // The mean over members of ½(log v + (u − m)²/v), member by member.
  const auto by_members = [&](const LawBlock<double, 1>& law) {
    double value = 0;
    const double scale = 1.0 / (4 * 24 * 6 * 2);
    for (Index b = 0; b < law.mean.batch; ++b)
      for (Index p = 0; p < 6; ++p)
        for (Index c = 0; c < 2; ++c) {
          double v = 0;
          for (Index k = 0; k < 2; ++k) v += std::pow(law.factor(b, p, k * 2 + c), 2);
          REQUIRE(v > 1e-5);
          double vbar = 0;
          for (Index m = 0; m < 24; ++m) {
            const double d = members((law.first + b) * 24 + m, p, c) - law.mean(b, p, c);
            value += scale * 0.5 * (std::log(v) + d * d / v);
            law.mean_bar(b, p, c) -= scale * d / v;
            vbar += scale * 0.5 * (1 / v - d * d / (v * v));
          }
          for (Index k = 0; k < 2; ++k)
            law.factor_bar(b, p, k * 2 + c) += 2 * law.factor(b, p, k * 2 + c) * vbar;
        }
    return value;
  };
  model.set_factor_scale(10);  // away from the clamp at 1e-5
  auto condition = data.condition();
  const std::vector<double> times(4, 0.5);
  condition.times = times;
  const double direct = value_and_gradient(model, condition, by_members, other);
  const double value = value_and_gradient(model, condition, Loss{GaussianNll{}}.on(data.target()), gradient);
  CHECK(value == doctest::Approx(direct).epsilon(1e-12));
  double worst = 0, largest = 0;
  for (std::size_t i = 0; i < model.parameters; ++i) {
    worst = std::max(worst, std::abs(gradient.values()[i] - other.values()[i]));
    largest = std::max(largest, std::abs(gradient.values()[i]));
  }
  CHECK(worst < 1e-12 * largest);
}

TEST_CASE("entries are taken with all that belongs to them") {
  Field<double, 1> members;
  auto data = four({.factors = 3, .members = true}, members);
  data.known = noise<double, 1>(4, data.grid(), 1, 9);
  const std::vector<Index> chosen{3, 1};
  const auto part = subset(data, std::span<const Index>(chosen));
  CHECK(part.size() == 2);
  CHECK(part.origins == std::vector<Index>{1, 0});
  CHECK(part.times == std::vector<double>{0.5, 0.5});
  for (Index p = 0; p < 6; ++p) {
    CHECK(part.variance(0, p, 1) == data.variance(3, p, 1));
    CHECK(part.covariance_factor(1, p, 5) == data.covariance_factor(1, p, 5));
    CHECK(part.members(24 + 2, p, 0) == data.members(24 + 2, p, 0));
    CHECK(part.known(0, p, 0) == data.known(3, p, 0));
  }
  const std::vector<Index> wrong{4};
  CHECK_THROWS_AS(subset(data, std::span<const Index>(wrong)), Error);
}

TEST_CASE("bad members are refused with a sentence") {
  Field<double, 1> members;
  auto data = four({}, members);
  const auto initial = noise<double, 1>(1, data.grid(), 2, 2);
  auto broken = noise<double, 1>(3, data.grid(), 2, 1);
  broken(1, 2, 0) = std::numeric_limits<double>::infinity();
  CHECK_THROWS_WITH_AS(
      (set_condition<double, 1>(data, 2, initial.view(), 1.0, 0, std::as_const(broken).view())),
      "mno::set_condition: argument 'members': expected finite values, got a NaN or an infinity in condition "
      "2.",
      Error);
  const auto coarse = noise<double, 1>(3, {{5}}, 2, 1);
  CHECK_THROWS_AS((set_condition<double, 1>(data, 2, initial.view(), 1.0, 0, coarse.view())), Error);
  CHECK_THROWS_AS((set_condition<double, 1>(data, 4, initial.view(), 1.0, 0, members.view())), Error);
}

TEST_CASE("normalised data has mean 0 and deviation 1 per channel, and predictions go back") {
  Field<double, 1> members;
  auto data = four({.factors = 2, .members = true}, members);
  const auto original = data;
  const auto normaliser = Normaliser::fit(data);
  normaliser.apply(data);
  for (Index c = 0; c < 2; ++c) {
    double mean = 0, square = 0;
    const double n = double(data.members.batch() * 6);
    for (Index m = 0; m < data.members.batch(); ++m)
      for (Index p = 0; p < 6; ++p) mean += data.members(m, p, c) / n;
    for (Index m = 0; m < data.members.batch(); ++m)
      for (Index p = 0; p < 6; ++p) square += std::pow(data.members(m, p, c) - mean, 2) / n;
    CHECK(std::abs(mean) < 1e-13);
    CHECK(square == doctest::Approx(1).epsilon(1e-12));
  }
  Law<double, 1> law(data.mean, data.covariance_factor);
  normaliser.undo(law);
  for (std::size_t i = 0; i < law.mean.size(); ++i)
    CHECK(law.mean.data()[i] == doctest::Approx(original.mean.data()[i]).epsilon(1e-13));
  for (std::size_t i = 0; i < law.factor.size(); ++i)
    CHECK(law.factor.data()[i] == doctest::Approx(original.covariance_factor.data()[i]).epsilon(1e-12));
  CHECK(data.variance(1, 2, 1) ==
        doctest::Approx(original.variance(1, 2, 1) / std::pow(normaliser.scale[1], 2)).epsilon(1e-13));

  auto constant = make_ensemble<double, 1>(1, data.grid(), 2);
  CHECK_THROWS_WITH_AS(
      Normaliser::fit(constant),
      "mno::Normaliser::fit: argument 'data': expected a channel 0 that varies, got variance 0.", Error);
}

TEST_CASE("arrays in memory become an ensemble") {
  const Index samples = 4, members = 3, points = 6;
  std::vector<float> u0, uT, t{0.5f, 1.0f, 0.5f, 1.0f};
  for (Index i = 0; i < samples * points; ++i) u0.push_back(float(i));
  for (Index i = 0; i < samples * members * points; ++i) uT.push_back(float(i));
  // [memory]
  const mno::Grid<1> grid{{points}, mno::Domain<1>{{1.0}}};
  const std::vector<Index> counts(samples, members);
  auto data = mno::make_ensemble<float, 1>(counts, grid, /*channels=*/1);
  for (Index s = 0; s < samples; ++s) {
    mno::Field<float, 1> initial(1, grid, 1), drawn(members, grid, 1);
    std::copy_n(u0.begin() + s * points, points, initial.data());
    std::copy_n(uT.begin() + s * members * points, members * points, drawn.data());
    mno::set_condition<float, 1>(data, s, std::as_const(initial).view(), t[std::size_t(s)],
                                 /*origin=*/s / 2, std::as_const(drawn).view());
  }
  // [memory] end
  CHECK(data.initial(3, 2, 0) == u0[3 * 6 + 2]);
  CHECK(data.mean(1, 4, 0) == uT[(1 * 3 + 1) * 6 + 4]);  // equal steps: the middle member is the mean
  CHECK(data.variance(1, 4, 0) == doctest::Approx(36));
  CHECK(data.origins == std::vector<Index>{0, 0, 1, 1});
}

TEST_CASE("no initial condition is in two parts of a split, and the seed decides") {
  std::vector<Index> origins;
  for (Index e = 0; e < 300; ++e) origins.push_back(e / 3);  // three times each
  const auto split = split_by_origin(origins, 0.1, 0.2, 1);
  CHECK(split.train.size() == 210);
  CHECK(split.validation.size() == 30);
  CHECK(split.test.size() == 60);
  std::set<Index> seen[3], entries;
  const std::vector<Index>* parts[] = {&split.train, &split.validation, &split.test};
  for (int i = 0; i < 3; ++i)
    for (const Index e : *parts[i]) {
      seen[i].insert(origins[std::size_t(e)]);
      CHECK(entries.insert(e).second);
    }
  CHECK(entries.size() == 300);
  for (const Index o : seen[0]) CHECK((!seen[1].count(o) && !seen[2].count(o)));
  for (const Index o : seen[1]) CHECK(!seen[2].count(o));
  CHECK(split_by_origin(origins, 0.1, 0.2, 1).test == split.test);
  CHECK(split_by_origin(origins, 0.1, 0.2, 2).test != split.test);
  const std::vector<Index> one{0, 0};
  CHECK(split_by_origin(one, 0.1, 0.1, 1).train.size() == 2);
  CHECK_THROWS_AS(split_by_origin(origins, 0.5, 0.5, 1), Error);
}
