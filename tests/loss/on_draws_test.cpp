// Terms of draws in a loss: from an operator with noise inside, from a law, and beside other terms.
#include "mno/loss/on_draws.hpp"

#include "mno/layer/noise.hpp"
#include "mno/loss/fair_crps.hpp"
#include "mno/loss/fair_energy_score.hpp"
#include "mno/loss/recipe.hpp"
#include "model.hpp"

using namespace mno;
using namespace mno::testing;

namespace {

/// The CRPS is smooth enough for differences.
constexpr FairCrps smooth{.weight = 0.3, .epsilon = 0.05};
const Loss scores{OnDraws{4, FairEnergyScore{}, smooth}};

/// An operator with two visits of noise and Fourier layers before and behind: its blocks have a front part.
template <class S> auto noisy_model() {
  constexpr int D = S::dimension, w = S::width;
  constexpr auto expression = (Lift<S>{} + Noise<input_channels<S>(), w, D, 2>{}) >> FourierLayer<S>{} >>
                              skip(Noise<w, w, D, S::modes>{}) >> FourierLayer<S>{} >> DriftHead<S>{};
  auto model = make_model<S, double>(expression, 4);
  Stream stream(5);
  for (double& weight : model.values()) weight += 0.2 * stream.normal();
  return model;
}
template <class M> std::vector<double> numbers(const M& model) {
  return {model.values().begin(), model.values().end()};
}

/// The mean of the draws against the target's: a term of draws as a function.
[[maybe_unused]] double mean_of_draws(const DrawBlock<double, 1>& draws, const Target<double, 1>& target,
                                      double scale) {
  double total = 0;
  const double s = double(draws.draws);
  for (Index b = 0; b < draws.conditions(); ++b)
    for (Index x = 0; x < draws.value.points(); ++x) {
      double error = -target.mean(draws.first + b, x, 0);
      for (Index i = 0; i < draws.draws; ++i) error += draws.value(b * draws.draws + i, x, 0) / s;
      total += scale * error * error;
      for (Index i = 0; i < draws.draws; ++i)
        draws.value_bar(b * draws.draws + i, x, 0) += scale * 2 * error / s;
    }
  return total;
}

}  // namespace

TEST_CASE("through an operator with noise inside: the gradient is that of the value, 1D and 2D") {
  const SmallProblem<Line> line(21, 48);  // several blocks of whole groups, the last one smaller
  const SmallProblem<Plane> plane(3, 8);
  auto on_line = noisy_model<Line>();
  const auto on_plane = noisy_model<Plane>();
  static_assert(decltype(on_line)::gives_draws);
  const double error[2] = {
      gradient_error_of(on_line, line.condition(), scores.on(line.ensemble.target())),
      gradient_error_of(on_plane, plane.condition(), scores.on(plane.ensemble.target()))};
  MESSAGE("relative gradient error through a model: ", error[0], " in 1D, ", error[1], " in 2D");
  CHECK(error[0] <= 1e-6);
  CHECK(error[1] <= 1e-6);
  on_line.set_least_points(60);  // refined, and every visit of it
  CHECK(gradient_error_of(on_line, line.condition(), scores.on(line.ensemble.target())) <= 1e-6);
#ifndef MNO_TEST_CUDA  // where functions of one's own do not run
  const Loss own{OnDraws{3, own_term("mean_of_draws", mean_of_draws), smooth}};
  CHECK(gradient_error_of(on_line, line.condition(), own.on(line.ensemble.target())) <= 1e-6);
#endif
}

TEST_CASE("the value is that of what the model predicts in as many visits, whatever blocks it is cut into") {
  const SmallProblem<Line> problem(21, 48);
  const auto model = noisy_model<Line>();
  auto gradient = model.zeros();
  Condition<double, 1> condition = problem.condition();
  condition.noise = 99;
  TermValues values;
  const double value = value_and_gradient(model, condition, scores.on(problem.ensemble.target(), values),
                                          gradient, test::device());
  condition.draws = 4;
  const auto draws = predict(model, condition, test::device());
  CHECK(draws.batch() == 84);
  Field<double, 1> unused(84, draws.grid(), 1);
  const DrawBlock<double, 1> block{0, 4, draws.view(), unused.view()};
  const double expected = FairEnergyScore{}(block, problem.ensemble.target(), 1.0 / 21) +
                          smooth(block, problem.ensemble.target(), 1.0 / 21);
  CHECK(value == doctest::Approx(expected).epsilon(1e-12));
  CHECK(values.total() == doctest::Approx(value).epsilon(1e-12));
  auto half = std::get<0>(scores.terms());
  half.weight = 0.5;
  CHECK(half(block, problem.ensemble.target(), 1.0 / 21) == doctest::Approx(0.5 * expected).epsilon(1e-12));

  for (Index s = 1; s < 4; ++s) CHECK(draws(0, 0, 0) != draws(s, 0, 0));  // noise of their own
  for (std::size_t i = 0; i < 4 * 48; ++i) CHECK(draws.data()[i] != draws.data()[i + 4 * 48]);
}

TEST_CASE("draws are what a batch gives in which every condition stands as often") {
  const SmallProblem<Line> problem(3, 16);
  const auto model = noisy_model<Line>();
  const std::vector<double> times{0.3, 0.5, 0.9};
  Field<double, 1> repeated(12, problem.initial.grid(), 1);
  std::vector<double> each(12);
  for (Index i = 0; i < 12; ++i) {
    each[std::size_t(i)] = times[std::size_t(i / 4)];
    for (Index p = 0; p < 16; ++p) repeated(i, p, 0) = problem.initial(i / 4, p, 0);
  }
  const auto draws = predict(
      model, Condition<double, 1>{.initial = problem.initial.view(), .times = times, .noise = 5, .draws = 4},
      test::device());
  const auto fields = predict(
      model, Condition<double, 1>{.initial = repeated.view(), .times = each, .noise = 5}, test::device());
  CHECK(std::ranges::equal(draws.span(), fields.span()));
}

TEST_CASE("the same bits for every number of threads, and in every order of a device's threads") {
  const SmallProblem<Line> problem(21, 48);
  const auto model = noisy_model<Line>();
  const Loss on_law{OnDraws{3, FairEnergyScore{}}, GaussianNll{.weight = 0.1}};
  std::vector<std::vector<double>> runs, laws;
  test::on_each_device([&](auto& device) {
    auto gradient = model.zeros();
    value_and_gradient(model, problem.condition(), scores.on(problem.ensemble.target()), gradient, device);
    runs.push_back(numbers(gradient));
    auto law_gradient = problem.model.zeros();
    value_and_gradient(problem.model, problem.condition(), on_law.on(problem.ensemble.target()), law_gradient,
                       device);
    laws.push_back(numbers(law_gradient));
  });
  for (const auto& run : runs) CHECK(run == runs[0]);
  for (const auto& run : laws) CHECK(run == laws[0]);
}

TEST_CASE("the derivative in the condition adds up over its visits") {
  const SmallProblem<Line> problem(3, 16);
  for (const Index least : {0, 40}) {
    auto model = noisy_model<Line>();
    model.set_least_points(least);
    auto gradient = model.zeros();
    Field<double, 1> initial = problem.initial, initial_bar(3, initial.grid(), 1);
    std::vector<double> times{0.3, 0.5, 0.9}, times_bar(3, 0.0);
    const auto value = [&](const ConditionBar<double, 1>& bar = {}) {
      return value_and_gradient(model, {initial.view(), times, {}, 7}, scores.on(problem.ensemble.target()),
                                gradient, test::device(), bar);
    };
    value({initial_bar.view(), times_bar});
    const auto difference = [&](double& x) {
      const double before = x, h = 1e-5;
      x = before + h;
      const double up = value();
      x = before - h;
      const double down = value();
      x = before;
      return (up - down) / (2 * h);
    };
    for (const std::size_t i : {0u, 17u, 40u})
      CHECK(initial_bar.data()[i] == doctest::Approx(difference(initial.data()[i])).scale(0).epsilon(1e-5));
    for (std::size_t i = 0; i < 3; ++i)
      CHECK(times_bar[i] == doctest::Approx(difference(times[i])).scale(0).epsilon(1e-5));
  }
}

TEST_CASE("from a law, with a nugget and without: cotangents by central differences") {
  double worst = 0;
  OnDraws term{3, FairEnergyScore{}, FairCrps{.weight = 0.5, .epsilon = 1e-2}};
  term.weight = 0.7;
  for_each_case([&]<int D>(Target<double, D> target, Block<double, D>& block) {
    if (D == 2 && block.factors >= 16) return;  // many differences, and no code that others do not run
    target.step = 11;
    worst = std::max(worst, gradient_error(term, target, block));
  });
  MESSAGE("draws from a law: largest relative gradient error ", worst);
  CHECK(worst <= 1e-6);
}

TEST_CASE("from a law through a whole model, beside other terms") {
  const SmallProblem<Line> line(37, 48);
  const SmallProblem<Plane> plane(3, 8);
  const Loss loss{OnDraws{4, FairEnergyScore{}, smooth}, GaussianNll{.weight = 0.2}, MeanError{}};
  CHECK(line.gradient_error(loss.on(line.ensemble.target())) <= 1e-6);
  CHECK(plane.gradient_error(loss.on(plane.ensemble.target())) <= 1e-6);
}

// 4000 draws: the deviation of each is below 2 % of the variance, and five of them are allowed.
TEST_CASE("draws from a law have its mean, its covariance and its nugget, and others in every step") {
  Block<double, 1> block(2, 1, {{3}}, 1, 2, 5, /*with_nugget=*/true);
  const LawBlock<double, 1> law = block.law();
  const mno::testing::RandomEnsemble<double, 1> ensemble(3, {{3}}, 1, 2, 1);
  constexpr Index draws = 4000;
  std::vector<std::vector<double>> steps;
  const auto keep = [&](const DrawBlock<double, 1>& x, const Target<double, 1>&, double) {
    CHECK(x.first == 2);
    steps.emplace_back(x.value.data, x.value.data + x.value.rows());
    return 0.0;
  };
  const OnDraws term{draws, own_term("keep", keep)};
  Target<double, 1> target = ensemble.target();
  for (const std::uint64_t step : {0u, 0u, 1u}) {
    target.step = step;
    term(law, target, 1.0);
  }
  CHECK(steps[0] == steps[1]);
  CHECK(steps[0] != steps[2]);
  for (Index p = 0; p < 3; ++p)
    for (Index q = 0; q < 3; ++q) {
      double gamma = p == q ? block.eta(0, p, 0) * block.eta(0, p, 0) : 0, sum = 0, products = 0;
      for (Index k = 0; k < 2; ++k) gamma += block.factor(0, p, k, 0) * block.factor(0, q, k, 0);
      for (Index i = 0; i < draws; ++i) {
        const double a = steps[0][std::size_t(3 * i + p)] - block.mean(0, p, 0),
                     b = steps[0][std::size_t(3 * i + q)] - block.mean(0, q, 0);
        sum += a / draws;
        products += a * b / draws;
      }
      CHECK(std::abs(sum) < 0.1);
      CHECK(std::abs(products - gamma) < 0.1);
    }
}

#ifndef MNO_TEST_CUDA  // where they are refused, below
TEST_CASE("from a law with other residuals: the adjoint is the same, and the draws are theirs") {
  OnDraws term{3, FairEnergyScore{}, FairCrps{.weight = 0.5, .epsilon = 1e-2}};
  for (const AnyResidual& residual : {AnyResidual(StudentT(4)), AnyResidual(Laplace{})}) {
    term.residual = residual;
    double worst = 0;
    for_each_case([&]<int D>(Target<double, D> target, Block<double, D>& block) {
      if (block.factors >= 16) return;
      target.step = 11;
      worst = std::max(worst, gradient_error(term, target, block));
    });
    MESSAGE(residual.text(), ": largest relative gradient error ", worst);
    CHECK(worst <= 1e-6);
  }

  // With probability e^{−λ} nothing happens and a draw is the mean; the variance is that of any residuals.
  Block<double, 1> block(2, 1, {{3}}, 1, 2, 5, /*with_nugget=*/true);
  const mno::testing::RandomEnsemble<double, 1> ensemble(3, {{3}}, 1, 2, 1);
  constexpr Index draws = 4000;
  Index still = 0;
  double squares = 0;
  const auto look = [&](const DrawBlock<double, 1>& x, const Target<double, 1>&, double) {
    for (Index i = 0; i < draws; ++i) {
      still += x.value(i, 0, 0) == block.mean(0, 0, 0);
      squares += std::pow(x.value(i, 0, 0) - block.mean(0, 0, 0), 2) / draws;
    }
    return 0.0;
  };
  OnDraws jumps{draws, own_term("look", look)};
  jumps.residual = CompoundPoisson(1);
  jumps(block.law(), ensemble.target(), 1.0);
  double variance = block.eta(0, 0, 0) * block.eta(0, 0, 0);
  for (Index k = 0; k < 2; ++k) variance += block.factor(0, 0, k, 0) * block.factor(0, 0, k, 0);
  CHECK(double(still) / draws ==
        doctest::Approx(std::exp(-1)).scale(0).epsilon(0.08));  // five deviations: .038
  CHECK(squares == doctest::Approx(variance).scale(0).epsilon(0.2));
}
#endif

TEST_CASE("a few members in every step, each in its turn: on average the score is that of all") {
  const mno::testing::RandomEnsemble<double, 1> ensemble(2, {{4}}, 1, 6, 1);
  Field<double, 1> value(2 * 3, Grid<1>{{4}}, 1), bar(6, Grid<1>{{4}}, 1), sum(6, Grid<1>{{4}}, 1);
  Stream random(9);
  for (double& x : value.span()) x = random.normal();
  OnDraws term{3, FairEnergyScore{}, FairCrps{}};
  Target<double, 1> target = ensemble.target();
  const auto score = [&](Field<double, 1>& to) {
    return term(DrawBlock<double, 1>{0, 3, std::as_const(value).view(), to.view()}, target, 1.0);
  };
  const double all = score(bar);
  term.members = 2;
  double average = 0;
  for (target.step = 0; target.step < 3; ++target.step) average += score(sum) / 3;
  CHECK(average == doctest::Approx(all).epsilon(1e-12));
  for (std::size_t i = 0; i < bar.size(); ++i)
    CHECK(sum.data()[i] / 3 == doctest::Approx(bar.data()[i]).epsilon(1e-10));
  target.step = 0;
  const double first = score(sum);
  target.step = 1;
  CHECK(score(sum) != first);
  term.members = 100;  // more than there are
  CHECK(score(sum) == all);
}

TEST_CASE("its text has every number of its own and of its terms") {
  OnDraws term{8, FairEnergyScore{}, FairCrps{.weight = 0.1}};
  CHECK(term_text(term) == "draws(1, 8, 0, fair_energy_score(1, 1e-06), fair_crps(0.1, 1e-06))");
  term.seed = 3;
  std::get<1>(term.terms).epsilon = 0.5;
  CHECK(term_text(term) == "draws(1, 8, 3, fair_energy_score(1, 1e-06), fair_crps(0.1, 0.5))");
  term.members = 4;
  term.residual = StudentT(5);
  CHECK(term_text(term) ==
        "draws(1, 8, 3, members 4, student_t 5, fair_energy_score(1, 1e-06), fair_crps(0.1, 0.5))");
}

TEST_CASE("what cannot be scored is refused in a sentence") {
  CHECK(sentence([] {
          OnDraws{1, FairCrps{}};
        }).find("OnDraws: argument 'draws': expected at least two") != std::string::npos);
  const SmallProblem<Line> problem(3, 16);
  const auto model = noisy_model<Line>();
  auto gradient = model.zeros();
  const Loss unequal{OnDraws{2, FairCrps{}}, OnDraws{3, FairEnergyScore{}}};
  CHECK(sentence([&] {
          value_and_gradient(model, problem.condition(), unequal.on(problem.ensemble.target()), gradient,
                             test::device());
        }).find("one number for all, 2") != std::string::npos);
  Condition<double, 1> twice = problem.condition();
  twice.draws = 2;
  CHECK(sentence([&] {
          predict(problem.model, twice, test::device());
        }).find("argument 'condition.draws': expected 1, as this model has no noise inside") !=
        std::string::npos);
#ifdef MNO_TEST_CUDA
  OnDraws heavy{2, FairCrps{}};
  heavy.residual = Laplace{};
  auto of_law = problem.model.zeros();
  CHECK(sentence([&] {
          value_and_gradient(problem.model, problem.condition(), Loss{heavy}.on(problem.ensemble.target()),
                             of_law, test::device());
        }).find("argument 'residual': expected gaussian") != std::string::npos);
#endif
}
