#pragma once
// What a program can ask an operator to minimise, as numbers over the boundary: what `fit` chooses, a recipe,
// or scores of draws.
#include <mno/loss/energy_loss.hpp>
#include <mno/loss/recipe.hpp>
#include <variant>

namespace demand {

struct ChosenByFit {};
using LossChoice = std::variant<ChosenByFit, mno::Recipe, mno::EnergyLoss>;

/// f(number) for every number of a loss, to be read or set.
template <class F> void for_each_number_of_loss(ChosenByFit, F&&) {}
template <class Recipe, class F>
requires std::is_same_v<std::remove_const_t<Recipe>, mno::Recipe>
void for_each_number_of_loss(Recipe& loss, F&& f) {
  f(loss.warmup_epochs);
  f(loss.ramp_epochs);
  std::apply([&](auto&... term) { (mno::detail::for_each_number(term, f), ...); }, loss.terms());
}
template <class Energy, class F>
requires std::is_same_v<std::remove_const_t<Energy>, mno::EnergyLoss>
void for_each_number_of_loss(Energy& loss, F&& f) {
  auto& draws = std::get<0>(loss.terms());
  f(draws.draws);
  f(draws.members);
  f(draws.weight);
  f(draws.seed);
  std::apply([&](auto&... term) { (mno::detail::for_each_number(term, f), ...); }, draws.terms);
}

/// A loss of the index-th type of LossChoice.
inline LossChoice loss_of_type(std::size_t index) {
  if (index == 0) return ChosenByFit{};
  if (index == 1) return mno::Recipe{};
  mno::require(index == 2, "demand", "numbers", mno::Text("a loss of types 0 to 2"), mno::Text(index));
  return mno::energy_loss();
}

}  // namespace demand
