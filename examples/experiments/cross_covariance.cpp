// Cross-covariance: variances at every point do not determine the covariance between points. The paper's loss
// leaves it open; a Hilbert–Schmidt term, which `fit` chooses by itself, or a Hutchinson term learns it. 1024
// members on 32 points, so that the ensemble's covariance is known well.
#include <mno/loss/default_recipe.hpp>

#include "experiments.hpp"
#include "recipes.hpp"

namespace experiment {

static void run_cross_covariance(Study& study) {
  mno::spde::Burgers equation;
  equation.kept = 32;
  const Splits data = study.splits(equation);
  // What `fit` chooses, without its covariance term.
  const Training without{.name = "auto, without a covariance term",
                         .loss = mno::ensemble_recipe(mno::Ensemble<float, 1>())};
  Training probes = without;
  probes.name = "auto, with Hutchinson's probes for the covariance";
  probes.recipe().hutchinson.weight = 1;
  const Trained fno = study.train("fno", study.shape("fno"), {}, data);
  std::vector<Trained> models{
      study.train("mno", study.shape(), {}, data), study.train("mno-hutchinson", study.shape(), probes, data),
      study.train("mno-without-covariance-term", study.shape(), without, data),
      study.train("mno-paper-recipe", study.shape("mno"), recipe::paper(), data), fno};
  for (const Trained& control : controls(fno)) models.push_back(control);
  for (const Trained& rival : study.rivals(data)) models.push_back(rival);
  study.run();
  study.tables({.table = "cross-covariance", .benchmark = "burgers-32"}, models, data.test);
  study.show(models[0], data.test);
}

const Experiment cross_covariance{
    "cross-covariance", "covariance between points", {400, 100, 100, 1024, 0, 5}, {128, 32, 32, 128, 0, 1},
    usual_shape,        run_cross_covariance};

}  // namespace experiment
