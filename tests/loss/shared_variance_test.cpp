// Terms that share one variance add up to what each gives alone.
#include "mno/loss/shared_variance.hpp"

#include <doctest/doctest.h>

#include "mno/loss/recipe.hpp"
#include "oracle.hpp"

using namespace mno;
using namespace mno::testing;

TEST_CASE("values and cotangents of a recipe are those of its terms") {
  for_each_case([]<int D>(const Target<double, D>& target, Block<double, D>& block) {
    Recipe recipe = Recipe::paper();
    recipe.decoupled_nll.weight = 0.3;
    recipe.hilbert_schmidt.weight = 0.2;
    const auto run = [&](auto&& f) {
      std::fill_n(block.bars.data(), block.bars.size(), 0.0);
      const double value = f();
      return std::pair(value, std::vector<double>(block.bars.span().begin(), block.bars.span().end()));
    };
    const auto together = run([&] { return recipe.on(target)(block.law()); });
    const auto apart = run([&] {
      double sum = 0;
      const auto add = [&]<class Term>(const Term& term) {
        if constexpr (!detail::is_of_model<Term>)
          if (term.weight != 0) sum += term(block.law(), target, 1 / double(target.samples()));
      };
      std::apply([&](const auto&... term) { (add(term), ...); }, recipe.terms());
      return sum;
    });
    CHECK(together.first == doctest::Approx(apart.first).epsilon(1e-12));
    double size = 0, difference = 0;
    for (std::size_t i = 0; i < apart.second.size(); ++i) {
      size = std::max(size, std::abs(apart.second[i]));
      difference = std::max(difference, std::abs(together.second[i] - apart.second[i]));
    }
    CHECK(size > 0);
    CHECK(difference <= 1e-12 * size);
  });
}

TEST_CASE("a field without a factor passes through") {
  const Grid<1> grid{{4}};
  const Field<double, 1> mean(1, grid, 1);
  Field<double, 1> bar(1, grid, 1);
  detail::SharedVariance<double, 1> shared(LawBlock<double, 1>{0, mean.view(), {}, bar.view(), {}});
  CHECK(!shared.law().variance);
  shared.hand_on();
}
