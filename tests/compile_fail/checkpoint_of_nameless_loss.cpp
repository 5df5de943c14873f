// expect: a checkpoint tells losses apart by their text
#include <mno/train/checkpoint.hpp>

struct S {
  static constexpr int dimension = 1, channels = 1, rank = 2, width = 4, modes = 2, depth = 1;
};
using M = mno::Mno<S>;

void train(M& model, const mno::Ensemble<float, 1>& data, const mno::Normaliser& normaliser) {
  const auto own = [](const mno::LawBlock<float, 1>&, const mno::Target<float, 1>&, double) { return 0.0; };
#ifdef MNO_CONTROL
  mno::Trainer trainer(model, data, nullptr, mno::own_term("own", own), mno::TrainingOptions{});
#else
  mno::Trainer trainer(model, data, nullptr, own, mno::TrainingOptions{});
#endif
  mno::write_checkpoint("run.checkpoint", model, normaliser, trainer);
}
