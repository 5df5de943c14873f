// The loss follows the number of members.
#include "mno/loss/default_recipe.hpp"

#include <doctest/doctest.h>

using namespace mno;

TEST_CASE("ensembles are trained by the decoupled recipe, draws by the likelihood of whole fields") {
  const auto data = [](Index members) {
    const Grid<1> grid{{4}};
    auto all = make_ensemble<float, 1>(std::vector<Index>(3, members), grid, 1);
    Stream random(1);
    for (Index s = 0; s < 3; ++s) {
      Field<float, 1> initial(1, grid, 1), drawn(members, grid, 1);
      for (auto* field : {&initial, &drawn})
        for (float& u : field->span()) u = float(random.normal());
      set_condition<float, 1>(all, s, std::as_const(initial).view(), 1.0f, s, std::as_const(drawn).view());
    }
    return all;
  };
  CHECK(default_recipe(data(4)).text() == Recipe::decoupled().text());
  for (const Index few : {1, 3}) {
    const auto draws = data(few);
    const Recipe recipe = default_recipe(draws);
    CHECK(recipe.exact_nll.weight == 1);
    CHECK(recipe.exact_nll.floor == doctest::Approx(1e-3 * double(noise_variance(draws))));
    CHECK(recipe.decoupled_nll.weight == 0);
  }
  CHECK(default_field_recipe().decoupled_nll.weight == 0);
}
