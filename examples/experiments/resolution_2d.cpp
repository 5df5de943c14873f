// Resolution transfer on a square: trained on one grid, evaluated on others. One initial condition and one
// realisation of the noise define all grids: test conditions are simulated once on the finest grid, and
// coarser ones are points of it. The flow, its training data and its models are those of turbulent-flow.
#include <algorithm>

#include "experiments.hpp"
#include "planes.hpp"

namespace experiment {

static void run_resolution_2d(Study& study) {
  Splits data = study.splits(planes::flow(study));
  mno::spde::NavierStokes fine;
  fine.simulated = fine.kept = study.full() ? 256 : 128;
  // A quarter of the conditions, since each has 64 times as many numbers in its file as on 32² points.
  data.test =
      study.data(fine, Study::Use::test,
                 {.samples = std::max<Index>(2, study.sizes().test / 4), .further = Study::further(fine)});
  const auto methods = planes::train(study, data, {"mno", "ffno", "fno", "unet", "resnet"});
  study.run();
  mno::report::Figure mean{.name = "resolution",
                           .title = "Mean RMSE over the grid",
                           .x_label = "points on each axis",
                           .y_label = "mean RMSE",
                           .log_x = true};
  for (const Trained& one : methods) {
    mno::report::Curve line{one.method};
    for (Index points = 32; points <= fine.kept; points *= 2) {
      const Study::Place place{
          .table = "2d-resolution-transfer",
          .benchmark = "resolution-2d",
          .at = {{"trained_at", double(data.train.points)}, {"resolution", double(points)}},
          .paper_method = one.method.starts_with("mno") ? "mno" : one.method};
      line.put(double(points), value_of(study.table(place, one, data.test.at(points)), "mean_rmse"));
    }
    mean.lines.push_back(line);
  }
  study.add(mean);
  study.show(methods.front(), data.test);
}

const Experiment resolution_2d{"resolution-2d", "grids finer than that of training, on a square",
                               planes::full,    planes::quick,
                               planes::shape,   run_resolution_2d};

}  // namespace experiment
