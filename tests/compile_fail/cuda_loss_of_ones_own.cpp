// expect: a loss on mno::Cuda is made of the library's terms
#include <mno/cuda/gradient.hpp>

struct S {
  static constexpr int dimension = 1, channels = 1, rank = 2, width = 4, modes = 2, depth = 1;
};
using M = mno::Mno<S>;

double loss_of(const M& model, const mno::Condition<float, 1>& condition, const mno::Target<float, 1>& target,
               M& gradient, mno::Cuda& device) {
#ifdef MNO_CONTROL
  return mno::value_and_gradient(model, condition, mno::Loss{mno::GaussianNll{}}.on(target), gradient,
                                 device);
#else
  (void)target;
  return mno::value_and_gradient(
      model, condition, [](const mno::LawBlock<float, 1>&) { return 0.0; }, gradient, device);
#endif
}
