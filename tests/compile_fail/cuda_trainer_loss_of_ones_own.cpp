// expect: this term has no version for mno::Cuda
#include <mno/cuda/train.hpp>

struct S {
  static constexpr int dimension = 1, channels = 1, rank = 2, width = 4, modes = 2, depth = 1;
};
using M = mno::Mno<S>;

double train(M& model, const mno::Ensemble<float, 1>& data, mno::Cuda& device) {
#ifdef MNO_CONTROL
  mno::Trainer trainer(model, data, nullptr, mno::GaussianNll{}, mno::TrainingOptions{}, device);
#else
  const auto own = [](const mno::LawBlock<float, 1>&, const mno::Target<float, 1>&, double) { return 0.0; };
  mno::Trainer trainer(model, data, nullptr, own, mno::TrainingOptions{}, device);
#endif
  return trainer.run_epoch().loss;
}
