// expect: a term of draws stands in OnDraws
#include <mno/loss/fair_energy_score.hpp>
#include <mno/loss/recipe.hpp>
#include <mno/model/gradient.hpp>

struct S {
  static constexpr int dimension = 1, channels = 1, rank = 2, width = 4, modes = 2, depth = 1;
};

double loss_of(const mno::Mno<S>& model, const mno::Condition<float, 1>& condition,
               const mno::Target<float, 1>& target, mno::Mno<S>& gradient) {
#ifdef MNO_CONTROL
  const mno::Loss loss{mno::OnDraws{4, mno::FairEnergyScore{}}};
#else
  const mno::Loss loss{mno::FairEnergyScore{}};
#endif
  return mno::value_and_gradient(model, condition, loss.on(target), gradient);
}
