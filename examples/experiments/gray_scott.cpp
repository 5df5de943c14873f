// Gray and Scott's reaction on a square: two channels, the second of which feeds on the first, with noises of
// their own. One law describes both.
#include "experiments.hpp"
#include "planes.hpp"

namespace experiment {

static void run_gray_scott(Study& study) {
  mno::spde::GrayScott reaction;
  reaction.kept = planes::points(study);
  const Splits data = study.splits(reaction);
  const auto methods = planes::train(study, data, {"mno", "ffno", "fno", "unet", "resnet"});
  study.run();
  planes::tables(study, {.table = "2d-fields", .benchmark = "gray-scott"}, methods, data.test);
  study.show(methods.front(), data.test);
}

const Experiment gray_scott{"gray-scott",  "a reaction of two channels on a square",
                            planes::full,  planes::quick,
                            planes::shape, run_gray_scott};

}  // namespace experiment
