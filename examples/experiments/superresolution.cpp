// Superresolution: trained on one grid, asked on others. One initial condition and one realisation of the
// noise define all grids: the test set is simulated once on 512 points, and coarser grids are points of it.
// The layers of both operators work on 64 points where a grid has fewer; "-as-given" are those that do not.
#include "experiments.hpp"
#include "recipes.hpp"

namespace experiment {

static void run_superresolution(Study& study) {
  const mno::spde::Burgers coarse;  // simulated at 128, kept at 64: as in the experiment burgers
  mno::spde::Burgers fine;
  fine.simulated = 512;
  fine.kept = 256;
  const Splits data = study.splits(coarse);
  const Data test = study.data(fine, study.sizes().test, Study::first_test());
  const auto refined = [](Training training) {
    training.least_points = 64;
    return training;
  };
  const auto law = study.shape("mno-path"), field = study.shape("fno");
  const Training of_law = recipe::decoupled(recipe::burgers), of_field = recipe::mean(recipe::burgers);
  struct Case {
    Index trained_at;
    std::vector<Trained> methods;
  };
  std::vector<Case> cases;
  for (const Index points : {32, 64})
    cases.push_back({points,
                     {study.train("mno", law, refined(of_law), data.at(points)),
                      study.train("fno", field, refined(of_field), data.at(points)),
                      study.train("mno-as-given", law, of_law, data.at(points)),
                      study.train("fno-as-given", field, of_field, data.at(points))}});
  study.run();

  mno::report::Figure mean{.name = "resolution",
                           .title = "Mean RMSE over the grid",
                           .x_label = "points",
                           .y_label = "mean RMSE",
                           .log_x = true};
  for (const Case& one : cases)
    for (const Trained& trained : one.methods) {
      mno::report::Curve line{trained.method + ", trained at " + std::to_string(one.trained_at)};
      for (const Index points : {32, 64, 128, 256}) {
        const auto rows = study.table(
            {.table = one.trained_at == 32 ? "1d-superresolution" : "diagnostic-3-resolution-variance",
             .benchmark = "superres-1d",
             .at = {{"trained_at", double(one.trained_at)}, {"resolution", double(points)}},
             .metrics = {"mean_rmse", "var_rmse", "w2g"},
             .paper_method = trained.method.substr(0, 3)},
            trained, test.at(points));
        line.x.push_back(double(points));
        line.y.push_back(value_of(rows, "mean_rmse"));
      }
      mean.lines.push_back(line);
    }
  study.add(mean);
  study.show(cases.front().methods.front(), test);
}

const Experiment superresolution{"superresolution", "grids finer and coarser than those of training",
                                 protocol,          {256, 64, 32, 32, 60, 1},
                                 usual_shape,       run_superresolution};

}  // namespace experiment
