// fit takes any loss, and operators that give draws: a law that is known comes back, a run that is resumed
// ends with the same bits, and draws are in the user's units.
#include "mno/train/fit.hpp"

#include <doctest/doctest.h>

#include "io/scratch.hpp"
#include "line.hpp"
#include "mno/baseline/noise_fno.hpp"
#include "mno/train/skills.hpp"

using namespace mno;

namespace {

using mno_test::Line;
using Noisy = NoiseFno<Line>;
using Lawful = Mno<Line>;
constexpr Index points = 8;

/// u_t = 5 + a wave of u_0, and one of random amplitude and phase: deviation .5 everywhere. With heavy tails
/// its strength is another in every member: Student t with four degrees of freedom.
Ensemble<float, 1> waves(Index conditions, Index members, std::uint64_t seed, bool heavy = false) {
  const Grid<1> grid{{points}};
  const std::vector<Index> counts(std::size_t(conditions), members);
  auto data = make_ensemble<float, 1>(std::span<const Index>(counts), grid, 1, {.members = true});
  for (Index i = 0; i < conditions; ++i) {
    Stream random(seed, std::uint64_t(i));
    Field<float, 1> initial(1, grid, 1), u(members, grid, 1);
    const double a = random.normal(), b = random.normal();
    const auto wave = [&](double x, double c, double s) {
      return 5 + c * std::cos(6.2831853 * x) + s * std::sin(6.2831853 * x);
    };
    initial.fill([&](auto x, Index) { return wave(x[0], a, b); });
    for (Index m = 0; m < members; ++m) {
      const double strength = heavy ? 0.5 * std::sqrt(StudentT(4).draw_variance(random)) : 0.5;
      const double c = a + strength * random.normal(), s = b + strength * random.normal();
      for (Index p = 0; p < points; ++p) u(m, p, 0) = float(wave(double(p) / double(points), c, s));
    }
    set_condition<float, 1>(data, i, initial.view(), 1.0f, i, std::as_const(u).view());
  }
  return data;
}
FitOptions quick(Index epochs) {
  FitOptions options;
  options.training.epochs = epochs;
  options.training.batch = 16;
  options.training.adamw.learning_rate = 2e-2;
  options.training.seed = 1;
  return options;
}
double value_of(const std::vector<metric::ScoreRow>& rows, const std::string& name) {
  for (const auto& row : rows)
    if (row.metric == name) return row.value;
  return std::nan("");
}
bool same(std::span<const float> a, std::span<const float> b) {
  return std::ranges::equal(a, b, [](float x, float y) { return detail::same_bits(x, y); });
}
template <class F> std::string sentence(F&& f) {
  try {
    f();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("an operator with noise inside learns mean and spread of a known law, and is asked for draws") {
  const auto data = waves(96, 4, 1), test = waves(32, 16, 2);
  const auto [surrogate, report] = fit<Noisy>(data, quick(25));
  CHECK(report.loss == energy_loss().text());
  CHECK(report.choices.front().why.starts_with("the operator gives draws"));
  REQUIRE(report.scores.has_value());
  CHECK(report.scores->criterion() == report.scores->crps);

  // [draws]
  const auto draws = surrogate.draws(test.condition(), /*count=*/64, /*seed=*/7);  // in the user's units
  // [draws] end
  CHECK(draws.batch() == 32 * 64);
  double bias = 0, spread = 0;
  for (Index i = 0; i < 32; ++i) {
    const auto moments = metric::moments(metric::members(draws.view(), i, 64));
    spread += moments.variance.mean() / 32;
    bias += std::sqrt((moments.mean - flat(test.initial, i).cast<double>()).squaredNorm() / points) / 32;
  }
  MESSAGE("mean off by ", bias, ", variance ", spread, " for .25");
  CHECK(bias < 0.2);  // draws alone have .5/√64
  CHECK(spread == doctest::Approx(0.25).epsilon(0.4));

  const auto rows = surrogate.scorecard(test);
  CHECK(value_of(rows, "crps") < 1.15 * 0.2821);  // σ/√π of the truth
  CHECK(value_of(rows, "cov_frobenius_rel") < 1);
  CHECK(skills(surrogate, test)[0].skill.value > 0.3);  // climatology knows no condition

  const auto start = surrogate.draws(test.initial, 0.0f, 3, 7);  // every draw, bit for bit
  for (Index i = 0; i < 32; ++i)
    for (Index k = 0; k < 3; ++k)
      CHECK(same({start.data() + (i * 3 + k) * points, points}, {test.initial.data() + i * points, points}));
  CHECK(same(draws.span(), surrogate.draws(test.condition(), 64, 7).span()));
  CHECK_FALSE(same(draws.span(), surrogate.draws(test.condition(), 64, 8).span()));

  const Scratch folder;
  surrogate.save(folder / "model");
  CHECK(same(Surrogate<Noisy>::load(folder / "model").draws(test.condition(), 64, 7).span(), draws.span()));
}

TEST_CASE("a run on draws that is interrupted and resumed ends with the bits of one that was not") {
  const auto data = waves(48, 2, 1);
  const Scratch folder;
  FitOptions options = quick(4);
  const auto whole = fit<Noisy>(data, options);
  options.checkpoint = folder / "checkpoint";
  Index steps = 0;
  options.interrupted = [&] { return ++steps == 6; };
  CHECK(fit<Noisy>(data, options).report.interrupted);
  options.interrupted = {};
  options.resume = true;
  const auto resumed = fit<Noisy>(data, options);
  CHECK(same(whole.surrogate.model().values(), resumed.surrogate.model().values()));
  CHECK(sentence([&] { fit<Noisy>(data, energy_loss(4), options); }).find("expected a run with ") !=
        std::string::npos);
}

TEST_CASE("a law by scores of draws from its own residuals") {
  const auto data = waves(96, 4, 1), test = waves(32, 16, 2);
  FitOptions options = quick(25);
  options.training.residual = Laplace{};
  // [loss]
  const auto [surrogate, report] = fit<Lawful>(data, energy_loss(), options);
  // [loss] end
  CHECK(report.loss ==
        "draws(1, 8, 0, members 16, laplace, fair_energy_score(1, 1e-06), fair_crps(1, 1e-06))");
  CHECK(surrogate.residual().text() == "laplace");
  const auto law = surrogate.predict(test.condition());
  double spread = 0;
  const auto variances = variance(unwarped(law));
  for (const float v : variances.span()) spread += double(v) / double(32 * points);
  MESSAGE("variance ", spread, " for .25, of Laplace residuals where the truth is Gaussian");
  CHECK(spread > 0.15);
  CHECK(spread < 0.5);
  CHECK(value_of(surrogate.scorecard(test), "crps") < 1.15 * 0.2821);
  CHECK(same(surrogate.draws(test.condition(), 5, 3).span(), sample(law, 5, 3).span()));
}

TEST_CASE("the residual law is learned from validation, kept in the file, and not asked of a field") {
  Scratch folder;
  FitOptions options = quick(20);
  options.choose_residual = true;
  options.symmetries = false;  // no pilot runs
  options.validation = 0.4;
  const auto [heavy, heavy_report] = fit<Lawful>(waves(80, 24, 3, true), options);
  CHECK(heavy.residual().text().starts_with("student_t "));
  CHECK(heavy_report.choices.back().what == "residual");
  CHECK(heavy_report.choices.back().why.find("likelier than gaussian") != std::string::npos);
  heavy.save(folder / "model.safetensors");
  CHECK(Surrogate<Lawful>::load(folder / "model.safetensors").residual().text() == heavy.residual().text());
  const auto [plain, report] = fit<Lawful>(waves(80, 24, 3), options);
  CHECK(plain.residual().gaussian());

  options.training.residual = Laplace{};
  CHECK(sentence([&] { fit<Lawful>(waves(16, 4, 1), options); }).find("'choose_residual'") !=
        std::string::npos);
  options.training.residual = Gaussian{};
  CHECK(sentence([&] { fit<Noisy>(waves(16, 4, 1), options); }).find("'choose_residual'") !=
        std::string::npos);
  options.validation = 0;
  CHECK(sentence([&] { fit<Lawful>(waves(16, 4, 1), options); }).find("no validation data") !=
        std::string::npos);
}

TEST_CASE("a function is fitted, and asks for a name where there are checkpoints") {
  const auto data = waves(16, 4, 1);
  const auto squares = [](const LawBlock<float, 1>& law, const Target<float, 1>& target, double scale) {
    double total = 0;
    for (Index b = 0; b < law.mean.batch; ++b)
      for (Index x = 0; x < points; ++x) {
        const double error = double(law.mean(b, x, 0)) - double(target.mean(law.first + b, x, 0));
        total += scale * error * error;
        law.mean_bar(b, x, 0) += float(2 * scale * error);
      }
    return total;
  };
  FitOptions options = quick(3);
  const auto fitted = fit<Lawful>(data, squares, options);
  CHECK(fitted.report.epochs.back().loss < fitted.report.epochs.front().loss);
  CHECK(fitted.report.loss.empty());
  options.checkpoint = "somewhere";
  CHECK(sentence([&] {
          fit<Lawful>(data, squares, options);
        }).find("own_term(name, function, numbers) has one") != std::string::npos);
}

TEST_CASE("what an operator with noise inside cannot have is refused in a sentence") {
  const auto data = waves(8, 4, 1);
  FitOptions options = quick(1);
  options.training.residual = Laplace{};
  CHECK(sentence([&] {
          fit<Noisy>(data, options);
        }).find("argument 'residual': expected that of a law; this operator gives draws, got laplace") !=
        std::string::npos);
  options.training.residual = {};
  options.calibrate = 0.9;
  CHECK(sentence([&] { fit<Noisy>(data, options); }).find("'calibrate'") != std::string::npos);
}
