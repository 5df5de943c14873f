// Cross-covariance: variances at every point do not fix what happens between points. The paper's loss leaves
// it open; a Hilbert–Schmidt or a Hutchinson term does not. 1024 members on 32 points, so that the ensemble's
// covariance is known well.
#include "experiments.hpp"
#include "recipes.hpp"

namespace experiment {

static void run_cross_covariance(Study& study) {
  mno::spde::Burgers equation;
  equation.kept = 32;
  const Splits data = study.splits(equation);
  const auto with = [](Training training, double hilbert_schmidt, double hutchinson) {
    training.factors = 32;  // all there are: nothing of the ensemble's covariance is left out
    training.recipe.hilbert_schmidt.weight = hilbert_schmidt;
    training.recipe.hutchinson.weight = hutchinson;
    return training;
  };
  const double weight = recipe::cross_covariance.covariance;
  const Training plain = with(recipe::decoupled(recipe::cross_covariance), 0, 0);
  const Trained models[] = {
      study.train("mno-paper-recipe", study.shape(), recipe::paper(recipe::cross_covariance), data),
      study.train("mno", study.shape("mno-path"), plain, data),
      study.train("mno-hilbert-schmidt", study.shape("mno-path"), with(plain, weight, 0), data),
      study.train("mno-hutchinson", study.shape("mno-path"), with(plain, 0, weight), data),
      study.train("fno", study.shape("fno"), recipe::mean(recipe::cross_covariance), data)};
  study.run();
  for (const Trained& trained : models)
    study.table({.table = "cross-covariance",
                 .benchmark = "burgers-32",
                 .metrics = {"mean_rmse", "var_rmse", "w2g", "cov_frobenius_rel"},
                 .paper_method = trained.method == "fno" ? "" : "mno"},
                trained, data.test);
  study.show(models[2], data.test);
}

const Experiment cross_covariance{
    "cross-covariance", "covariance between points", {400, 100, 100, 1024, 0, 5}, {128, 32, 32, 256, 100, 1},
    usual_shape,        run_cross_covariance};

}  // namespace experiment
