// The loss follows the data.
#include "mno/loss/default_recipe.hpp"

#include <doctest/doctest.h>

using namespace mno;

TEST_CASE(
    "ensembles have terms of their own for mean and variance, and for the covariance if factors are kept") {
  const Grid<1> grid{{4}};
  const auto plain = make_ensemble<float, 1>(3, grid, 1),
             factors = make_ensemble<float, 1>(3, grid, 1, {.factors = 2});
  CHECK(ensemble_recipe(plain).decoupled_nll.weight == 1);
  CHECK(ensemble_recipe(plain).hilbert_schmidt.weight == 0);
  CHECK(ensemble_recipe(factors).hilbert_schmidt.weight > 0);
}

TEST_CASE("draws have the likelihood of whole fields, with a floor in proportion to the noise") {
  const Recipe recipe = draws_recipe(0.3, 0.25), smaller = draws_recipe(0.03, 0.25);
  CHECK(recipe.exact_nll.weight == 1);
  CHECK(recipe.exact_nll.floor == doctest::Approx(10 * smaller.exact_nll.floor));
  CHECK(recipe.decoupled_nll.weight == 0);
  CHECK(recipe.mean_error.weight == 0);
  CHECK(recipe.gaussian_nll.weight == 0);
}

TEST_CASE("… and that of single entries where a factor hardly counts in it, as on planes") {
  CHECK(draws_recipe(0.3, 16.0 / 1024).gaussian_nll.weight == doctest::Approx(0.1 - 16.0 / 1024));
  CHECK(draws_recipe(0.3, 16.0 / 1024).exact_nll.weight == 1);
}

TEST_CASE("a deterministic operator is trained by its mean") {
  CHECK(default_field_recipe().decoupled_nll.weight == 0);
  CHECK(default_field_recipe().mean_error.weight > 0);
}
