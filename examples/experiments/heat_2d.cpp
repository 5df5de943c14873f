// The linear heat equation on a square, whose law is known: how far trained laws are from the exact one. The
// noise has 29 basis functions, so rank 29 is enough.
#include "experiments.hpp"
#include "planes.hpp"

namespace experiment {

static void run_heat_2d(Study& study) {
  mno::spde::PlaneHeat heat;
  heat.points.fill(planes::points(study));
  const Splits data = study.splits(heat);
  const auto methods = planes::train(study, data, {"mno", "ffno", "fno"});
  study.run();
  planes::tables(study, {.table = "heat-2d", .benchmark = "plane-heat"}, methods, data.test);
  study.show(methods.front(), data.test);
}

const Experiment heat_2d{"heat-2d",
                         "the linear heat equation on a square, whose law is known",
                         planes::full,
                         planes::quick,
                         {"mno-factorised", 2, 1, 29, 32, 12, 4, 0},
                         run_heat_2d};

}  // namespace experiment
