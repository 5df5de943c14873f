// expect: this operator gives one and the same field in every visit
#include <mno/layer/noise.hpp>
#include <mno/loss/fair_energy_score.hpp>
#include <mno/loss/recipe.hpp>
#include <mno/model/gradient.hpp>

struct S {
  static constexpr int dimension = 1, channels = 1, rank = 2, width = 4, modes = 2, depth = 1;
};
#ifdef MNO_CONTROL
constexpr auto expression = (mno::Lift<S>{} + mno::Noise<2, 4, 1, 2>{}) >> mno::DriftHead<S>{};
#else
constexpr auto expression = mno::Lift<S>{} >> mno::DriftHead<S>{};
#endif

double loss_of(const mno::Condition<float, 1>& condition, const mno::Target<float, 1>& target) {
  auto model = mno::make_model<S>(expression), gradient = model.zeros();
  return mno::value_and_gradient(model, condition,
                                 mno::Loss{mno::OnDraws{4, mno::FairEnergyScore{}}}.on(target), gradient);
}
