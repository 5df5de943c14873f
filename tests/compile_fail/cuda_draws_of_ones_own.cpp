// expect: this term of draws has no version for mno::Cuda
#include <mno/cuda/gradient.hpp>

struct S {
  static constexpr int dimension = 1, channels = 1, rank = 2, width = 4, modes = 2, depth = 1;
};
using M = mno::Mno<S>;

double loss_of(const M& model, const mno::Condition<float, 1>& condition, const mno::Target<float, 1>& target,
               M& gradient, mno::Cuda& device) {
#ifdef MNO_CONTROL
  const mno::OnDraws term{4, mno::FairCrps{}};
#else
  const auto own = [](const mno::DrawBlock<float, 1>&, const mno::Target<float, 1>&, double) { return 0.0; };
  const mno::OnDraws term{4, mno::own_term("own", own)};
#endif
  return mno::value_and_gradient(model, condition, mno::Loss{term}.on(target), gradient, device);
}
