// The Chapman–Kolmogorov defect as a term of the model: its gradient through both steps, its value beside the
// metric's, and what it leaves out.
#include "mno/loss/chapman_kolmogorov.hpp"

#include "mno/loss/recipe.hpp"
#include "mno/metric/composition.hpp"
#include "mno/model/model.hpp"
#include "model.hpp"

using namespace mno;
using namespace mno::testing;
using doctest::Approx;

namespace {

struct Forced : Line {
  static constexpr int known = 1;
};
template <class M> M randomised(M model) {
  Stream stream(5);
  for (double& weight : model.values()) weight += 0.2 * stream.normal();
  return model;
}
const Loss defect{ChapmanKolmogorov{.draws = 3, .part = 0.3}};

template <class L, class M, class P>
std::vector<double> gradient_of(const L& loss, const M& model, const P& problem) {
  M gradient = model.zeros();
  value_and_gradient(model, problem.condition(), loss.on(problem.ensemble.target()), gradient);
  return {gradient.values().begin(), gradient.values().end()};
}

}  // namespace

TEST_CASE("the gradient through both steps is that of the value") {
  const SmallProblem<Line> line(5, 16);
  const SmallProblem<Plane> plane(2, 8);
  const auto with_nugget = randomised(NuggetMno<Line, double>(3));
  const double errors[] = {
      line.gradient_error(defect.on(line.ensemble.target())),
      plane.gradient_error(defect.on(plane.ensemble.target())),
      gradient_error_of(with_nugget, line.condition(), defect.on(line.ensemble.target())),
      line.gradient_error(Loss{MeanSquaredError{}, ChapmanKolmogorov{.weight = 0.3, .conditions = 2}}.on(
          line.ensemble.target()))};
  MESSAGE("relative gradient errors: ", errors[0], " ", errors[1], " ", errors[2], " ", errors[3]);
  for (const double error : errors) CHECK(error <= 1e-6);

  Field<double, 1> fields(5, line.initial.grid(), 1);  // known fields go with every draw of their condition
  randomise(fields, 1, 0, 4);
  auto forced = line.condition();
  forced.known = std::as_const(fields).view();
  CHECK(gradient_error_of(randomised(Mno<Forced, double>(3)), forced, defect.on(line.ensemble.target())) <=
        1e-6);
}

TEST_CASE("the distance between draws, and what of its derivative reaches the law at once") {
  constexpr Index draws = 3, n = 4;
  std::vector<double> x(draws * n), y(x);
  Stream random(2);
  for (double& value : x) value = random.normal();
  for (double& value : y) value = 0.5 + 2 * random.normal();
  const auto value = [&] {
    std::vector<double> unused(x.size()), also(x.size());
    return detail::energy_between(x.data(), y.data(), unused.data(), also.data(), draws, n, 0.1, 0.7, 1);
  };
  std::vector<double> x_bar(x.size()), y_bar(x.size());
  detail::energy_between(x.data(), y.data(), x_bar.data(), y_bar.data(), draws, n, 0.1, 0.7, 0.25);
  for (auto [numbers, bars, share] : {std::tuple(&x, &x_bar, 0.25), std::tuple(&y, &y_bar, 1.0)})
    for (std::size_t i = 0; i < numbers->size(); ++i) {
      const double before = (*numbers)[i], h = 1e-5;
      (*numbers)[i] = before + h;
      const double up = value();
      (*numbers)[i] = before - h;
      const double down = value();
      (*numbers)[i] = before;
      CHECK(std::abs((*bars)[i] - share * (up - down) / (2 * h)) < 1e-8);
    }
}

TEST_CASE("on the same draws it is the numerator of the metric's energy") {
  constexpr Index draws = 6, n = 5;
  metric::Members x(n, draws), y(n, draws);  // a draw is a column
  Stream random(3);
  for (Index i = 0; i < x.size(); ++i) {
    x.data()[i] = random.normal();
    y.data()[i] = 0.5 + 2 * random.normal();
  }
  std::vector<double> unused(x.size()), also(x.size());
  const double value =
      detail::energy_between(x.data(), y.data(), unused.data(), also.data(), draws, n, 1e-9, 1, 1);
  metric::Composition of;
  of.add(x, y);
  double within = 0;
  for (Index j = 0; j < draws; ++j) within += (x.colwise() - x.col(j)).colwise().norm().sum();
  within /= double(draws * (draws - 1));
  const double reported = of.energy() * within / std::sqrt(double(n));  // the term's ρ is a root mean square
  CHECK(std::abs(value - reported) < 1e-12);
  CHECK(std::abs(value) > 0.1);
}

namespace {

struct Mean {
  double sum = 0, squares = 0, count = 0;
  void add(double value) {
    sum += value;
    squares += value * value;
    ++count;
  }
  double value() const { return sum / count; }
  double error() const { return std::sqrt((squares / count - value() * value()) / (count - 1)); }
};

/// The term over 200 steps beside the metric over 40 pairs of 100 draws, which is returned; from one
/// condition at t = 0.7.
Mean check_term_is_metric(const Mno<Line, double>& law, const SmallProblem<Line>& problem,
                          const Field<double, 1>& initial, double unit) {
  struct Predicting {
    const Mno<Line, double>& model;
    Law<double, 1> predict(const Condition<double, 1>& condition) const {
      return mno::predict(model, condition);
    }
  } const model{law};
  Mean term, metric;
  auto gradient = law.zeros();
  const Loss loss{ChapmanKolmogorov{.draws = 8}};
  for (std::uint64_t step = 0; step < 200; ++step) {
    auto target = problem.ensemble.target();
    target.step = step;
    term.add(value_and_gradient(law, {initial.view(), {&problem.time, 1}}, loss.on(target), gradient));
  }
  const std::vector<double> halves{0.35, 0.35}, whole{0.7};
  const auto members = [&](const std::vector<double>& steps, std::uint64_t seed) {
    return metric::members(
        std::as_const(metric::rollout<double, 1>(model, initial, steps, 100, seed).back()).view());
  };
  for (std::uint64_t i = 0; i < 40; ++i) {
    const auto x = members(whole, 2 * i), y = members(halves, 2 * i + 1);
    std::vector<double> unused(x.size()), also(x.size());
    metric.add(detail::energy_between(x.data(), y.data(), unused.data(), also.data(), 100, 12, 1e-3 * unit,
                                      1 / unit, 1));
  }
  MESSAGE("the term says ", term.value(), " ± ", term.error(), ", draws of a rollout ", metric.value(), " ± ",
          metric.error());
  CHECK(std::abs(term.value() - metric.value()) < 4 * std::hypot(term.error(), metric.error()));
  return metric;
}

Mno<Line, double> without_drift(Mno<Line, double> model) {
  for (const NamedLeaf& leaf : model.leaves())
    if (leaf.name.starts_with("drift")) std::ranges::fill(model.leaf(leaf.name), 0.0);
  return model;
}

}  // namespace

TEST_CASE("on average over steps it is the defect that the metric reports of the same model") {
  SmallProblem<Line> problem(1, 12);
  constexpr double unit = 0.05;  // so little noise that drifts that do not compose are seen
  problem.model.set_factor_scale(unit);
  const Mean defect = check_term_is_metric(problem.model, problem, problem.initial, unit);
  CHECK(defect.value() > 4 * defect.error());  // there is one to tell
}

// If two of the three laws had the same noise, their draws would be nearer to each other than chance has
// them.
TEST_CASE("the law at once and both steps have noise of their own") {
  const SmallProblem<Line> problem(1, 12);
  auto model = without_drift(problem.model);
  constexpr double unit = 1e-4;
  model.set_factor_scale(unit);
  check_term_is_metric(model, problem, Field<double, 1>(1, problem.initial.grid(), 1), unit);
}

TEST_CASE("its value and its derivative in units of the noise do not depend on them") {
  const SmallProblem<Line> problem(3, 12);
  const Loss loss{ChapmanKolmogorov{}};
  const auto value = [&](const Mno<Line, double>& model, const Condition<double, 1>& condition) {
    auto unused = model.zeros();
    return value_and_gradient(model, condition, loss.on(problem.ensemble.target()), unused);
  };
  const Field<double, 1> nothing(3, problem.initial.grid(), 1);
  const Condition<double, 1> at_rest{nothing.view(), {&problem.time, 1}};
  auto noisy = without_drift(problem.model);  // from u_0 = 0, factors alone are what is drawn
  noisy.set_factor_scale(1e-6);               // so small that z = 0 for the layers
  auto noisier = noisy;
  noisier.set_factor_scale(1e-5);
  const double one = value(noisy, at_rest), ten = value(noisier, at_rest);
  CHECK(std::abs(one) > 1e-4);
  CHECK(std::abs(one - ten) < 1e-3 * std::abs(one));
}

TEST_CASE("times that nothing was trained for are left out; what is left out costs nothing") {
  const SmallProblem<Line> problem(4, 12);  // all at t = 0.7
  for (const double moved : gradient_of(Loss{ChapmanKolmogorov{.least_time = 0.36}}, problem.model, problem))
    CHECK(moved == 0);
  double largest = 0;
  for (const double moved : gradient_of(Loss{ChapmanKolmogorov{.least_time = 0.35}}, problem.model, problem))
    largest = std::max(largest, std::abs(moved));
  CHECK(largest > 0);
}

TEST_CASE("a law that is held fixed is not moved: the derivative is linear in its share") {
  const SmallProblem<Line> problem(3, 12);
  const auto share = [&](double at_once) {
    return gradient_of(Loss{ChapmanKolmogorov{.at_once = at_once}}, problem.model, problem);
  };
  const auto none = share(0), half = share(0.5), all = share(1);
  double apart = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    CHECK(std::abs(half[i] - (none[i] + all[i]) / 2) < 1e-12);
    apart = std::max(apart, std::abs(all[i] - none[i]));
  }
  CHECK(apart > 1e-6);
}

TEST_CASE("other draws in every step, the same in the same; its share of a loss is told") {
  const SmallProblem<Line> problem(3, 12);
  auto gradient = problem.model.zeros();
  const auto at = [&](std::uint64_t step) {
    auto target = problem.ensemble.target();
    target.step = step;
    TermValues values;
    Recipe recipe;
    recipe.mean_squared_error.weight = 1;
    recipe.weight("chapman_kolmogorov") = 2;
    const double total =
        value_and_gradient(problem.model, problem.condition(), recipe.on(target, values), gradient);
    CHECK(values.total() == Approx(total));
    return values[Recipe::size - 1];
  };
  CHECK(at(1) == at(1));
  CHECK(at(1) != at(2));
}

TEST_CASE("numbers that make no sense, and operators without a law, are refused") {
  const SmallProblem<Line> problem(2, 12);
  auto gradient = problem.model.zeros();
  const auto run = [&](const ChapmanKolmogorov& term) {
    value_and_gradient(problem.model, problem.condition(), Loss{term}.on(problem.ensemble.target()),
                       gradient);
  };
  CHECK_THROWS_AS(run({.draws = 1}), Error);
  CHECK_THROWS_AS(run({.part = 1}), Error);
  CHECK_THROWS_AS(run({.epsilon = 0}), Error);
  Fno<Line, double> field(1), of_field = field.zeros();
  Recipe recipe;
  recipe.mean_squared_error.weight = 1;
  value_and_gradient(field, problem.condition(), recipe.on(problem.ensemble.target()), of_field);
  recipe.chapman_kolmogorov.weight = 1;
  CHECK_THROWS_AS(
      value_and_gradient(field, problem.condition(), recipe.on(problem.ensemble.target()), of_field), Error);
}
