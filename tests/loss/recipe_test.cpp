// The named recipes, warm-up and ramp.
#include "mno/loss/recipe.hpp"

#include "mno/model/gradient.hpp"
#include "model.hpp"

using namespace mno;
using namespace mno::testing;

namespace {

/// (name, weight) of the terms in use.
using Used = std::vector<std::pair<std::string, double>>;
Used weights(const Recipe& recipe) {
  Used used;
  std::apply(
      [&](const auto&... term) {
        ((term.weight != 0 ? used.emplace_back(term.name, term.weight), 0 : 0), ...);
      },
      recipe.terms());
  return used;
}

}  // namespace

TEST_CASE("the named recipes have their weights") {
  CHECK(weights(Recipe{}).empty());
  CHECK(weights(Recipe::named("paper")) == Used{{"gaussian_nll", 1},
                                                {"variance_consistency", 0.1},
                                                {"centring", 0.1},
                                                {"factor_regularisation", 0.01}});
  CHECK(weights(Recipe::named("decoupled")) == Used{{"decoupled_nll", 1},
                                                    {"variance_consistency", 0.1},
                                                    {"mean_error", 10},
                                                    {"mean_squared_error", 0.1},
                                                    {"factor_regularisation", 0.01}});
  CHECK(sentence([] { Recipe::named("papr"); }) ==
        "mno::Recipe::named: argument 'name': expected paper or decoupled, got 'papr'.");
}

TEST_CASE("names stand in the order of the terms") {
  std::size_t index = 0;
  const auto compare = [&](const auto& term) { CHECK(std::string(term.name) == Recipe::names()[index++]); };
  std::apply([&](const auto&... term) { (compare(term), ...); }, Recipe{}.terms());
  CHECK(index == Recipe::size);
}

TEST_CASE("weights by name") {
  Recipe recipe = Recipe::decoupled();
  recipe.weight("hilbert_schmidt") = 3;
  CHECK(recipe.hilbert_schmidt.weight == 3);
  CHECK(recipe.weight("mean_error") == 10);
  const auto said = sentence([&] { recipe.weight("nll"); });
  CHECK(said.find("expected one of gaussian_nll, decoupled_nll") != said.npos);
  CHECK(said.find("got 'nll'") != said.npos);
}

TEST_CASE("the likelihood's scale: nothing in warm-up, then equal steps to one") {
  CHECK(nll_scale(0, 10, 3) == 0);
  CHECK(nll_scale(9, 10, 3) == 0);
  CHECK(nll_scale(10, 10, 3) == 0.25);
  CHECK(nll_scale(11, 10, 3) == 0.5);
  CHECK(nll_scale(12, 10, 3) == 0.75);
  CHECK(nll_scale(13, 10, 3) == 1);
  CHECK(nll_scale(1000, 10, 3) == 1);
  CHECK(nll_scale(0, 0, 0) == 1);
  CHECK(nll_scale(4, 5, 0) == 0);
  CHECK(nll_scale(5, 5, 0) == 1);
}

TEST_CASE("a recipe at an epoch") {
  Recipe recipe = Recipe::paper();
  recipe.warmup_epochs = 2;
  recipe.ramp_epochs = 1;
  CHECK(weights(recipe.at(1)) == Used{{"mean_squared_error", 1}});
  CHECK(recipe.at(2).gaussian_nll.weight == 0.5);
  CHECK(recipe.at(2).variance_consistency.weight == 0.1);
  CHECK(weights(recipe.at(3)) == weights(recipe));
  CHECK(weights(Recipe::decoupled().at(0)) == weights(Recipe::decoupled()));
}

TEST_CASE("in warm-up the factor's own parameters have no gradient, the drift's have") {
  SmallProblem<Line> problem(4, 16);
  auto gradient = problem.model.zeros();
  value_and_gradient(problem.model, problem.condition(), Recipe::paper().at(0).on(problem.ensemble.target()),
                     gradient, test::device());
  double drift = 0;
  for (const auto& leaf : gradient.leaves())
    for (const double g : gradient.values().subspan(leaf.offset, leaf.size())) {
      if (leaf.name.find("factor") != leaf.name.npos) CHECK(g == 0);
      if (leaf.name.find("drift") != leaf.name.npos) drift += std::abs(g);
    }
  CHECK(drift > 0);
}

TEST_CASE("both recipes through a whole model, 1D and 2D with two channels") {
  const SmallProblem<Line> line(37, 48);
  const SmallProblem<Plane> plane(3, 8);
  for (const Recipe& recipe : {Recipe::paper(), Recipe::decoupled()}) {
    const double error[2] = {line.gradient_error(recipe.on(line.ensemble.target())),
                             plane.gradient_error(recipe.on(plane.ensemble.target()))};
    MESSAGE("relative gradient error through a model: ", error[0], " in 1D, ", error[1], " in 2D");
    CHECK(error[0] <= 1e-6);
    CHECK(error[1] <= 1e-6);
  }
}

TEST_CASE("every term at once through a whole model") {
  const SmallProblem<Line> line(5, 16);
  Recipe recipe = Recipe::paper();
  recipe.decoupled_nll.weight = 0.2;
  recipe.student_nll.weight = 0.3;
  recipe.crps.weight = 0.4;
  recipe.hilbert_schmidt.weight = 0.5;
  recipe.hutchinson.weight = 0.6;
  recipe.mean_error.weight = 0.7;
  recipe.mean_squared_error.weight = 0.8;
  CHECK(line.gradient_error(recipe.on(line.ensemble.target())) <= 1e-6);
}
