// Turbulent flow on a square: the vorticity of a stochastic Navier–Stokes equation under Kolmogorov's force
// A cos(m y), which every method has as a known field. The flow is simulated on 64² points.
//
//   m = 4    the period is a whole number of points and of pooled cells: a network that pools may read the
//            phase of the force from its own lattice
//   m = 3    it is not
#include "experiments.hpp"
#include "planes.hpp"

namespace experiment {

static void run_turbulent_flow(Study& study) {
  struct Flow {
    const char* benchmark;
    Index wavenumber;
    Splits data{};
    std::vector<Trained> methods{};
  };
  std::vector<Flow> flows{{"kolmogorov", 4}, {"kolmogorov-unaligned", 3}};
  for (Flow& flow : flows) {
    flow.data = study.splits(planes::flow(study, flow.wavenumber));
    flow.methods = planes::train(study, flow.data, {"mno", "ffno", "fno", "unet", "unet-zero", "resnet"});
  }
  study.run();
  for (const Flow& flow : flows)
    planes::tables(study, {.table = "2d-fields", .benchmark = flow.benchmark}, flow.methods, flow.data.test);
  study.show(flows.front().methods.front(), flows.front().data.test);
}

const Experiment turbulent_flow{"turbulent-flow", "stochastic flow on a square under a known force",
                                planes::full,     planes::quick,
                                planes::shape,    run_turbulent_flow};

}  // namespace experiment
