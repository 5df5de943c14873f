// expect: takes no term of the mean
#include <mno/layer/noise.hpp>
#include <mno/loss/fair_energy_score.hpp>
#include <mno/loss/recipe.hpp>
#include <mno/model/gradient.hpp>

struct S {
  static constexpr int dimension = 1, channels = 1, rank = 2, width = 4, modes = 2, depth = 1;
};
constexpr auto expression = (mno::Lift<S>{} + mno::Noise<2, 4, 1, 2>{}) >> mno::DriftHead<S>{};

double loss_of(const mno::Condition<float, 1>& condition, const mno::Target<float, 1>& target) {
  auto model = mno::make_model<S>(expression), gradient = model.zeros();
#ifdef MNO_CONTROL
  const mno::Loss loss{mno::OnDraws{4, mno::FairEnergyScore{}}};
#else
  const mno::Loss loss{mno::OnDraws{4, mno::FairEnergyScore{}}, mno::MeanSquaredError{}};
#endif
  return mno::value_and_gradient(model, condition, loss.on(target), gradient);
}
