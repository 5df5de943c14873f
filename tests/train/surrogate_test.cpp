// One object in the user's units: what is given to fit comes back from predict in the same units, from a file
// with the same bits, with the guarantees of a law.
#include "mno/train/surrogate.hpp"

#include <doctest/doctest.h>

#include <Eigen/Eigenvalues>
#include <cmath>

#include "io/scratch.hpp"
#include "line.hpp"
#include "mno/law/covariance.hpp"
#include "mno/law/quantile.hpp"
#include "mno/law/sample.hpp"
#include "mno/train/fit.hpp"
#include "property.hpp"

using namespace mno;
using namespace mno::testing;

namespace {

/// Two channels and a known field, with a path from u_0 and a nugget.
struct Pair {
  static constexpr int dimension = 1, channels = 2, rank = 2, width = 4, modes = 2, depth = 1, projection = 4,
                       known = 1;
};
using M = NuggetMno<Pair>;
using mno_test::Line;

/// Waves around a level that decay, with noise that is common to a field; `count` members of each.
template <class T, Index C>
Ensemble<T, 1> waves(Index conditions, Index count, double level = 3, double unit = 1) {
  const Grid<1> grid{{8}};
  auto data =
      make_ensemble<T, 1>(std::vector<Index>(std::size_t(conditions), count), grid, C, {.members = true});
  for (Index e = 0; e < conditions; ++e) {
    Stream random(5, std::uint64_t(e));
    const double phase = random.normal();
    Field<T, 1> initial(1, grid, C), members(count, grid, C);
    const auto wave = [&](double x, Index c) { return std::sin(6.2831853 * x + phase + double(c)); };
    const auto in_units = [&](double u) { return level + unit * u; };
    initial.fill([&](auto x, Index c) { return in_units(wave(x[0], c)); });
    for (Index m = 0; m < count; ++m) {
      const double common = 0.2 * random.normal();
      for (Index p = 0; p < 8; ++p)
        for (Index c = 0; c < C; ++c)
          members(m, p, c) = T(in_units(0.5 * wave(double(p) / 8, c) + common + 0.05 * random.normal()));
    }
    set_condition<T, 1>(data, e, std::as_const(initial).view(), T(1), e, std::as_const(members).view());
  }
  if (C == 2) {
    data.known = Field<T, 1>(1, grid, 1);
    data.known.fill([](auto x, Index) { return std::cos(6.2831853 * x[0]); });
  }
  return data;
}

FitOptions quick() {
  FitOptions options;
  options.training.epochs = 3;
  options.training.batch = 4;
  options.training.seed = 1;
  return options;
}

template <class T> bool same(std::span<const T> a, std::span<const T> b) {
  return std::ranges::equal(a, b, [](T x, T y) { return detail::same_bits(x, y); });
}
template <class L> bool same_law(const L& a, const L& b) {
  return same(a.mean.span(), b.mean.span()) && same(a.factor.span(), b.factor.span()) &&
         same(a.nugget.span(), b.nugget.span()) && a.residual.text() == b.residual.text() &&
         a.warp.text() == b.warp.text();
}

double value_of(const std::vector<metric::ScoreRow>& rows, const std::string& name) {
  for (const auto& row : rows)
    if (row.metric == name) return row.value;
  return std::nan("");
}

}  // namespace

TEST_CASE("a surrogate is fitted, asked, saved and loaded, and a loaded one gives the same bits") {
  const auto data = waves<float, 2>(20, 8);
  FitOptions options = quick();
  options.training.residual = StudentT(5);
  options.about = {{"made_by", "a test"}};
  Index heard = 0;
  options.after_epoch = [&](const EpochReport& epoch) { heard = epoch.epoch; };
  auto [surrogate, report] = fit<M>(data, options);
  CHECK(heard == 3);
  CHECK(report.epochs.size() == 3);
  CHECK(report.train == 18);
  CHECK(report.validation == 2);
  CHECK(report.split.validation.size() == 2);
  CHECK(report.scores.has_value());
  CHECK(report.loss == ensemble_recipe(data).text());
  CHECK(report.factor_scale > 0);
  CHECK_FALSE(report.interrupted);

  surrogate.set_shrinkage(0.03);
  const Scratch scratch;
  surrogate.save(scratch / "model");
  const auto loaded = Surrogate<M>::load(scratch / "model");
  CHECK(loaded.shrinkage() == 0.03);
  CHECK(loaded.about().at("made_by") == "a test");
  CHECK(same_law(surrogate.predict(data.condition()), loaded.predict(data.condition())));
  CHECK(loaded.predict(data.condition()).residual.text() == "student_t 5");
  // known fields were stored with the model: another grid and no known fields given
  Field<float, 1> fine(1, Grid<1>{{16}}, 2);
  const auto on_fine = surrogate.predict(fine, 0.5f);
  CHECK(all_finite<float, 1>(on_fine.mean.view()));

  // in the user's units: the mean is near the level of 3, not near 0
  const auto law = surrogate.predict(data.initial, 1.0f);
  double mean = 0;
  for (const float m : law.mean.span()) mean += double(m) / double(law.mean.size());
  CHECK(mean == doctest::Approx(3).epsilon(0.1));
}

TEST_CASE("data that is held back and prepared beforehand gives the same model") {
  const auto data = waves<float, 2>(20, 8);
  FitOptions options = quick();
  options.validation = 0.25;
  const auto [whole, report] = fit<M>(data, options);
  Ensemble<float, 1> train = data, validation;
  const Split split = hold_back(train, validation, options);
  CHECK(split.validation == report.split.validation);
  CHECK(train.size() + validation.size() == 20);
  CHECK(validation.size() == report.validation);
  auto prepared = fit_data(std::move(train), std::move(validation), options.warp);
  CHECK(prepared.normaliser.shift == whole.normaliser().shift);
  CHECK(prepared.fingerprint == whole.about().at("data"));
  const auto parts = fit<M>(std::move(prepared), options).surrogate;
  CHECK(std::ranges::equal(parts.model().values(), whole.model().values()));
}

TEST_CASE("another unit and another zero of the data give the same law in that unit") {
  using Model = Mno<Line, double>;
  const auto data = waves<double, 1>(12, 8, 0, 1), other = waves<double, 1>(12, 8, 5, 1000);
  const auto law = fit<Model>(data, quick()).surrogate.predict(data.condition());
  const auto scaled = fit<Model>(other, quick()).surrogate.predict(other.condition());
  for (std::size_t i = 0; i < law.mean.size(); ++i)
    CHECK(scaled.mean.data()[i] == doctest::Approx(5 + 1000 * law.mean.data()[i]).epsilon(1e-6));
  for (std::size_t i = 0; i < law.factor.size(); ++i)
    CHECK(scaled.factor.data()[i] == doctest::Approx(1000 * law.factor.data()[i]).epsilon(1e-6));
}

TEST_CASE("at t = 0 the mean is u_0 bit for bit, in units in which the normaliser rounds") {
  const auto data = waves<float, 2>(8, 4, 0.3);
  const auto surrogate = fit<M>(data, quick()).surrogate;
  const auto law = surrogate.predict(data.initial, 0.0f);
  CHECK(same(law.mean.span(), data.initial.span()));
  CHECK(std::ranges::all_of(law.factor.span(), [](float b) { return b == 0; }));
  CHECK(std::ranges::all_of(law.nugget.span(), [](float eta) { return eta == 0; }));
  Field<float, 1> there_and_back = data.initial;
  surrogate.to_own_coordinates(there_and_back);
  surrogate.from_own_coordinates(there_and_back);
  CHECK_FALSE(same<float>(there_and_back.span(), data.initial.span()));  // else this test would say nothing
}

TEST_CASE("single draws are fitted by the likelihood of whole fields") {
  const auto data = waves<float, 2>(40, 1);
  const auto [surrogate, report] = fit<M>(data, quick());
  CHECK(says(report.loss, "exact_nll"));
  CHECK(surrogate.about().at("training").find("clip=1 ") != std::string::npos);
  CHECK(report.scores->draws);
  CHECK(std::isfinite(value_of(surrogate.scorecard(data), "log_score")));
}

TEST_CASE("what predictions have to be better than is fitted, kept in the file and left out on demand") {
  const auto data = waves<float, 2>(40, 8);
  FitOptions options = quick();
  auto [surrogate, report] = fit<M>(data, options);
  REQUIRE(surrogate.references());
  CHECK(surrogate.references()->residual_variance == report.scores->residual_variance);
  // The training data is normalised: over all points it has mean 0 and variance 1.
  double mean = 0, variance = 0;
  for (Index p = 0; p < 8; ++p) {
    mean += surrogate.references()->mean(0, p, 0) / 8;
    variance +=
        (surrogate.references()->variance(0, p, 0) + std::pow(surrogate.references()->mean(0, p, 0), 2)) / 8;
  }
  CHECK(mean == doctest::Approx(0).scale(1).epsilon(1e-5));
  CHECK(variance == doctest::Approx(1).epsilon(0.05));  // n − 1 of 36 conditions
  const Scratch scratch;
  surrogate.save(scratch / "model");
  auto loaded = Surrogate<M>::load(scratch / "model");
  REQUIRE(loaded.references());
  CHECK(same<float>(loaded.references()->variance.span(), surrogate.references()->variance.span()));
  CHECK(loaded.references()->residual_variance == surrogate.references()->residual_variance);
  loaded.set_references({});
  loaded.save(scratch / "without");
  CHECK_FALSE(Surrogate<M>::load(scratch / "without").references());

  options.validation = 0;  // then residuals are those of the training data
  const auto alone = fit<M>(data, options).surrogate;
  for (const double v : alone.references()->residual_variance) CHECK(v > 0);
}

TEST_CASE("a warp: the law is that of w⁻¹(u), and its quantiles are in the user's units") {
  const auto data = waves<float, 2>(12, 8);
  FitOptions options = quick();
  options.warp = LogWarp{};
  const auto surrogate = fit<M>(data, options).surrogate;
  const auto law = surrogate.predict(data.condition());
  CHECK(law.warp.text() == "log");
  const auto median = quantile(law, 0.5);
  for (std::size_t i = 0; i < median.size(); ++i)
    CHECK(median.data()[i] == doctest::Approx(std::exp(double(law.mean.data()[i]))));
  const auto at_zero = surrogate.predict(data.initial, 0.0f);
  Field<float, 1> z = data.initial;
  to_law_coordinates(z, LogWarp{});
  CHECK(same<float>(at_zero.mean.span(), z.span()));

  const Scratch scratch;
  surrogate.save(scratch / "model");
  CHECK(same_law(law, Surrogate<M>::load(scratch / "model").predict(data.condition())));

  auto statistics = data;
  statistics.members = {};
  statistics.offsets.clear();
  CHECK(says(refusal([&] { fit<M>(statistics, options); }), "keeps its members"));
}

TEST_CASE("a run that is interrupted and resumed equals one that was not") {
  const auto data = waves<float, 2>(20, 8);
  const Scratch scratch;
  FitOptions options = quick();
  const auto whole = fit<M>(data, options).surrogate;

  options.checkpoint = scratch / "run.checkpoint";
  Index steps = 0;
  options.interrupted = [&] { return ++steps > 6; };
  const auto stopped = fit<M>(data, options).report;
  CHECK(stopped.interrupted);
  CHECK(stopped.epochs_done == 1);
  CHECK_FALSE(stopped.scores.has_value());
  options.interrupted = {};
  options.resume = true;
  const auto [resumed, report] = fit<M>(data, options);
  CHECK_FALSE(report.interrupted);
  CHECK(report.epochs_done == 3);
  CHECK(same<float>(resumed.model().values(), whole.model().values()));
  CHECK(same_law(resumed.predict(data.condition()), whole.predict(data.condition())));

  CHECK(says(refusal([&] { fit<M>(waves<float, 2>(20, 8, 4), options); }), "other data"));
  options.training.residual = Laplace{};
  CHECK(says(refusal([&] { fit<M>(data, options); }), "laplace"));
}

TEST_CASE("calibration is one call, travels with the file, and covers what it promises on its own data") {
  const auto data = waves<float, 2>(60, 8);
  auto surrogate = fit<M>(data, quick()).surrogate;
  const auto before = surrogate.predict(data.condition());
  surrogate.calibrate(data, 0.8, 0.9);
  const auto law = surrogate.predict(data.condition());
  const double factor = surrogate.calibration()->factor;
  for (std::size_t i = 0; i < law.factor.size(); ++i)
    CHECK(double(law.factor.data()[i]) == doctest::Approx(factor * double(before.factor.data()[i])));
  CHECK(same(law.mean.span(), before.mean.span()));

  const auto [low, high] = interval(law, 0.8);
  Index good = 0;
  for (Index s = 0; s < data.size(); ++s) {
    Index inside = 0;
    const auto members = data.members_of(s);
    for (Index m = 0; m < members.batch; ++m)
      for (Index p = 0; p < 8; ++p)
        for (Index c = 0; c < 2; ++c)
          inside += members(m, p, c) >= low(s, p, c) - 1e-4f && members(m, p, c) <= high(s, p, c) + 1e-4f;
    good += double(inside) >= 0.8 * double(members.batch * 16);
  }
  CHECK(good >= 54);  // nine of ten conditions

  const auto first = *surrogate.calibration();
  surrogate.calibrate(data, 0.8, 0.9);  // again: from the law as it was, not on top
  CHECK(*surrogate.calibration() == first);
  const Scratch scratch;
  surrogate.save(scratch / "model");
  const auto loaded = Surrogate<M>::load(scratch / "model");
  CHECK(*loaded.calibration() == first);
  CHECK(same_law(loaded.predict(data.condition()), law));
  CHECK(
      says(refusal([&] { surrogate.calibrate(waves<float, 2>(5, 8), 0.8, 0.9); }), "at least 9 conditions"));
  CHECK(*surrogate.calibration() == first);
}

TEST_CASE("a file with a law that is not known is refused in a sentence") {
  const Scratch scratch;
  const M model(1);
  const auto refused = [&](const io::LawText& law) {
    io::write_model(scratch / "model", model, Normaliser::identity(2), {}, io::Keep::nothing, law);
    return refusal([&] { Surrogate<M>::load(scratch / "model"); });
  };
  CHECK(refused({}) == "");
  CHECK(says(refused({.residual = "cauchy"}), "cauchy"));
  CHECK(says(refused({.warp = "square"}), "square"));
  CHECK(says(refused({.warp = "asinh 1 2 3"}), "channel"));
  CHECK(says(refused({.calibration = "conformal 2"}), "conformal 2"));
}

TEST_CASE("a deterministic operator gives a field in the user's units") {
  using Model = Fno<Line>;
  const auto data = waves<float, 1>(12, 8, 100, 1);
  const auto [surrogate, report] = fit<Model>(data, quick());
  const Field<float, 1> field = surrogate.predict(data.initial, 1.0f);
  CHECK(field(0, 0, 0) == doctest::Approx(100).epsilon(0.05));
  CHECK(value_of(surrogate.scorecard(data), "mean_rmse") < 2);
  const Scratch scratch;
  surrogate.save(scratch / "model");
  const Field<float, 1> again = Surrogate<Model>::load(scratch / "model").predict(data.initial, 1.0f);
  CHECK(same(again.span(), field.span()));
}

TEST_CASE("the guarantees hold in the user's units, with nugget, every residual law and warps") {
  const bool held = for_any("PSD, BᵀB of rank r, centred, exact at t = 0", [] {
    const Grid<1> grid{{any_in<Index>(4, 12)}};
    M model(any_seed());
    Stream random(any_seed());
    for (float& value : model.values()) value += float(0.2 * random.normal());
    Field<float, 1> known(1, grid, 1);
    model.store_known_fields(known);
    const Normaliser normaliser{{random.normal(), 3 * random.normal()}, {0.1 + random.uniform(), 0.5}};
    const AnyResidual residual =
        AnyResidual::parse(one_of<std::string>({"gaussian", "student_t 5", "laplace", "compound_poisson 2"}));
    const AnyWarp warp = AnyWarp::parse(one_of<std::string>({"unwarped", "log", "asinh 0.5 2"}));
    const Surrogate<M> surrogate(model, normaliser, residual, warp);
    Field<float, 1> u0(2, grid, 2);
    for (float& u : u0.span()) u = float(std::exp(random.normal()));
    Field<float, 1> z = u0;
    to_law_coordinates(z, warp);

    const auto start = surrogate.predict(u0, 0.0f);
    HOLDS(same<float>(start.mean.span(), z.span()));
    const auto draws = sample(unwarped(start), 2, 1);
    for (std::size_t i = 0; i < draws.size(); ++i) {
      const std::size_t entries = std::size_t(start.size()), of = i / (2 * entries) * entries + i % entries;
      HOLDS(draws.data()[i] == z.data()[of]);
    }

    const auto law = unwarped(surrogate.predict(u0, 0.01f * float(any_in(1, 500))));
    for (Index s = 0; s < 2; ++s) {
      const Eigen::MatrixXd gamma = covariance(law, s).dense().template cast<double>();
      const double largest = gamma.diagonal().maxCoeff();
      const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> of_gamma(gamma);
      HOLDS(of_gamma.eigenvalues().minCoeff() >= -1e-5 * largest);
      const Eigen::MatrixXd b = factor_matrix(law, s).template cast<double>();
      HOLDS(b.rows() == 2);
      const Eigen::VectorXd nugget = flat(law.nugget, s).template cast<double>();
      const Eigen::MatrixXd parts = b.transpose() * b + Eigen::MatrixXd(nugget.cwiseAbs2().asDiagonal());
      HOLDS((gamma - parts).cwiseAbs().maxCoeff() <= 1e-5 * largest);
    }
    // centred: draws of ξ have mean 0, so that of z is m; six standard errors of 400 draws
    const auto drawn = sample(law, 400, 3);
    for (Index s = 0; s < 2; ++s) {
      double off = 0, deviation = 0;
      for (Index i = 0; i < law.size(); ++i) {
        deviation += std::sqrt(mno::detail::own_variance(law, s * law.size() + i));
        for (Index d = 0; d < 400; ++d)
          off += (double(flat(drawn, s * 400 + d)[i]) - double(flat(law.mean, s)[i])) / 400;
      }
      HOLDS(std::abs(off) <= 6 * deviation / 20 + 1e-5 * double(law.size()));
    }
  });
  CHECK(held);
}

TEST_CASE("the way back to u_0 and t agrees with differences, with warps, shrinkage and calibration") {
  using Double = NuggetMno<Pair, double>;
  using Bare = Mno<Pair, double>;  // no nugget: shrinkage makes one
  const Grid<1> grid{{9}};
  const auto trial = [&]<class Model>(Model model, const std::string& warp, double shrinkage, bool wide) {
    Stream random(11);
    for (double& value : model.values()) value += 0.1 * random.normal();
    model.set_factor_scale(0.7);
    Field<double, 1> known(1, grid, 1);
    model.store_known_fields(known);
    Surrogate<Model> surrogate(model, {{0.3, -1}, {0.5, 2}}, {}, AnyWarp::parse(warp));
    if constexpr (Model::stochastic) {
      surrogate.set_shrinkage(shrinkage);
      if (wide)
        surrogate.set_calibration(metric::Calibration{.level = 0.9, .confidence = 0.9, .factor = 1.3});
    }
    Field<double, 1> u(2, grid, 2), ubar(2, grid, 2), mean_bar(2, grid, 2), nugget_bar(2, grid, 2);
    Field<double, 1> factor_bar(2, grid, 4);
    std::vector<double> t{0.4, 0.9}, tbar(2);
    for (double& x : u.span()) x = std::exp(0.5 * random.normal());
    for (auto* bar : {&mean_bar, &factor_bar, &nugget_bar})
      for (double& x : bar->span()) x = random.normal();
    const Condition<double, 1> condition{std::as_const(u).view(), t};
    const auto dot = [](const Field<double, 1>& a, const Field<double, 1>& b) {
      double sum = 0;
      for (std::size_t i = 0; i < a.size(); ++i) sum += a.data()[i] * b.data()[i];
      return sum;
    };
    const auto objective = [&] {
      const auto answer = surrogate.predict(condition);
      if constexpr (Model::stochastic)
        return dot(answer.mean, mean_bar) + dot(answer.factor, factor_bar) + dot(answer.nugget, nugget_bar);
      else
        return dot(answer, mean_bar);
    };
    const ConditionBar<double, 1> bar{ubar.view(), tbar, {}};
    if constexpr (Model::stochastic)
      surrogate.vjp(condition, Law<double, 1>(mean_bar, factor_bar, nugget_bar), bar);
    else
      surrogate.vjp(condition, mean_bar, bar);
    const auto check = [&](double& x, double found) {
      const double at = x, h = 1e-5;
      x = at + h;
      const double above = objective();
      x = at - h;
      const double below = objective();
      x = at;
      CHECK(found == doctest::Approx((above - below) / (2 * h)).epsilon(1e-6).scale(1));
    };
    for (std::size_t i = 0; i < u.size(); ++i) check(u.data()[i], ubar.data()[i]);
    for (std::size_t i = 0; i < t.size(); ++i) check(t[i], tbar[i]);
  };
  trial(Double(3), "unwarped", 0, false);
  trial(Double(3), "log", 0.2, true);
  trial(Double(3), "asinh 0.5 2", 0.2, false);
  trial(Bare(3), "unwarped", 0.2, true);
  trial(Bare(3), "unwarped", 0, false);
  trial(Fno<Pair, double>(3), "unwarped", 0, false);
  trial(Fno<Pair, double>(3), "log", 0, false);
}
