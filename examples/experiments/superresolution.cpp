// Superresolution: trained on one grid, evaluated on others. One initial condition and one realisation of the
// noise define all grids: the test set is simulated once on 512 points, and coarser grids are points of it.
// Where a grid has fewer than 64 points, the layers of both operators work on 64; those of "-as-given" do
// not.
#include "experiments.hpp"
#include "recipes.hpp"

namespace experiment {

/// "mno-as-given" stands beside the paper's "mno", a rival beside its own name.
static std::string named_as_mno_or_fno(const std::string& method) {
  return method.starts_with("mno") || method.starts_with("fno") ? method.substr(0, 3) : method;
}

static void run_superresolution(Study& study) {
  const mno::spde::Burgers coarse;  // simulated at 128, kept at 64: as in the experiment burgers
  mno::spde::Burgers fine;
  fine.simulated = 512;
  fine.kept = 256;
  const Splits data = study.splits(coarse);
  // Four times as many members for the floor: they cost four times as much on this grid.
  const Data test = study.data(fine, Study::Use::test,
                               {.samples = study.sizes().test, .further = Study::further(fine) / 4});
  const Training as_given, refined{.name = "auto, 64 points at least", .least_points = 64};
  struct Case {
    Index trained_at;
    std::vector<Trained> methods;
  };
  std::vector<Case> cases;
  for (const Index points : {32, 64})
    cases.push_back({points,
                     {study.train("mno", study.shape(), refined, data.at(points)),
                      study.train("fno", study.shape("fno"), refined, data.at(points)),
                      study.train("mno-as-given", study.shape(), as_given, data.at(points)),
                      study.train("fno-as-given", study.shape("fno"), as_given, data.at(points))}});
  for (Case& one : cases)
    for (const Trained& rival : study.rivals(data.at(one.trained_at), refined.least_points))
      one.methods.push_back(rival);
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
        const Study::Place place{
            .table = one.trained_at == 32 ? "1d-superresolution" : "diagnostic-3-resolution-variance",
            .benchmark = "superres-1d",
            .at = {{"trained_at", double(one.trained_at)}, {"resolution", double(points)}},
            .paper_method = named_as_mno_or_fno(trained.method)};
        line.put(double(points), value_of(study.table(place, trained, test.at(points)), "mean_rmse"));
        if (trained.method == "fno" && points == one.trained_at)  // whose residuals are known on this grid
          study.tables(place, controls(trained), test.at(points));
      }
      mean.lines.push_back(line);
    }
  study.add(mean);
  study.show(cases.front().methods.front(), test);
}

const Experiment superresolution{"superresolution", "grids finer and coarser than those of training",
                                 protocol,          {128, 32, 16, 32, 0, 1},
                                 usual_shape,       run_superresolution};

}  // namespace experiment
