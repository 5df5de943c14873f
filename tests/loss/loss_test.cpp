// Sums of terms, evaluated through a model.
#include "mno/loss/loss.hpp"

#include "mno/loss/centring.hpp"
#include "mno/loss/factor_regularisation.hpp"
#include "mno/loss/gaussian_nll.hpp"
#include "mno/loss/mean_squared_error.hpp"
#include "mno/loss/variance_consistency.hpp"
#include "mno/model/gradient.hpp"
#include "model.hpp"

using namespace mno;
using namespace mno::testing;

namespace {

/// A term of one's own: the mean moves away from u_0.
struct Movement {
  static constexpr const char* name = "movement";
  double weight = 1;
  template <class T, int D>
  double operator()(const LawBlock<T, D>& law, const Target<T, D>& target, double scale) const {
    double total = 0;
    for (Index b = 0; b < law.mean.batch; ++b)
      for (Index x = 0; x < law.mean.points(); ++x)
        for (Index c = 0; c < law.mean.channels; ++c) {
          const double moved = double(law.mean(b, x, c)) - double(target.initial(law.first + b, x, c));
          total += 0.5 * weight * scale * moved * moved;
          law.mean_bar(b, x, c) += T(weight * scale * moved);
        }
    return total;
  }
};
/// Fails if it is ever asked.
struct Never {
  static constexpr const char* name = "never";
  double weight = 0;
  template <class T, int D> double operator()(const LawBlock<T, D>&, const Target<T, D>&, double) const {
    throw Error("evaluated");
  }
};

}  // namespace

TEST_CASE("the gradient of a sum of terms, one of them not of the library, is that of its value") {
  SmallProblem<Line> problem(37, 48);  // several blocks, the last one smaller
  Target<double, 1> target = problem.ensemble.target();
  target.initial = problem.initial.view();
  const Loss loss{GaussianNll{}, VarianceConsistency{}, Movement{.weight = 0.3}, Never{}};
  CHECK(std::string(loss.names()[2]) == "movement");
  const double error = problem.gradient_error(loss.on(target));
  MESSAGE("sum of terms through a model: relative gradient error ", error);
  CHECK(error <= 1e-6);
}

TEST_CASE("term values add up, carry names, and are bitwise equal for every number of threads") {
  SmallProblem<Line> problem(37, 48);
  const Loss loss{GaussianNll{}, VarianceConsistency{}, Never{}, FactorRegularisation{}};
  static_assert(decltype(loss)::size == 4);
  CHECK(std::string(loss.names()[1]) == "variance_consistency");
  CHECK(std::string(loss.names()[2]) == "never");
  auto gradient = problem.model.zeros();
  TermValues one, three;
  Cpu single(1), several(3);
  const auto target = problem.ensemble.target();
  const double value =
      value_and_gradient(problem.model, problem.condition(), loss.on(target, one), gradient, single);
  const double again =
      value_and_gradient(problem.model, problem.condition(), loss.on(target, three), gradient, several);
  CHECK(value == again);
  CHECK(one.size() == 4);
  for (std::size_t term = 0; term < 4; ++term) CHECK(one[term] == three[term]);
  CHECK(one.total() == doctest::Approx(value).epsilon(1e-13));
  CHECK(one[2] == 0);

  const Loss likelihood{GaussianNll{}};
  const double alone =
      value_and_gradient(problem.model, problem.condition(), likelihood.on(target), gradient, single);
  CHECK(one[0] == doctest::Approx(alone).epsilon(1e-14));
  CHECK(one[0] != one[1]);
}

TEST_CASE("a deterministic operator trains on terms of the mean; others are refused") {
  SmallProblem<Line> problem(5, 16);
  Fno<Line, double> model(3);
  auto gradient = model.zeros();
  const Loss loss{MeanSquaredError{}, Centring{}};
  const auto target = problem.ensemble.target();
  const double error = gradient_error_of(model, problem.condition(), loss.on(target));
  CHECK(error <= 1e-6);
  const Loss likelihood{GaussianNll{}};
  CHECK(sentence([&] {
          value_and_gradient(model, problem.condition(), likelihood.on(target), gradient);
        }).find("gaussian_nll: argument 'law': expected a law with mean and factor") != std::string::npos);
}

TEST_CASE("a target with fewer samples than the condition is refused") {
  SmallProblem<Line> problem(5, 16);
  const RandomEnsemble<double, 1> small(4, Grid<1>{{16}}, 1, 3, 1);
  auto gradient = problem.model.zeros();
  const Loss loss{Centring{}};
  CHECK(sentence([&] {
          value_and_gradient(problem.model, problem.condition(), loss.on(small.target()), gradient);
        }).find("as many samples as the condition has") != std::string::npos);
}
