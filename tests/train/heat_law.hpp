#pragma once
// The linear stochastic heat equation as a judge of training: its law is known, so the distance of a trained
// operator from a test ensemble can be set beside the distance of the truth from the same ensemble, which is
// the floor that no operator can go below but by chance.
#include <cmath>

#include "mno/data/noise_variance.hpp"
#include "mno/data/normaliser.hpp"
#include "mno/law/distance.hpp"
#include "mno/metric/covariance_error.hpp"
#include "mno/metric/rmse.hpp"
#include "mno/simulate/ensemble.hpp"
#include "mno/simulate/heat.hpp"
#include "mno/train/trainer.hpp"

namespace heat_law {

using namespace mno;

struct Setting {
  spde::Heat heat{};
  std::vector<double> times{0.5};
  Index train = 256, members = 64;       // initial conditions, and draws of each
  Index test = 100, test_members = 192;  // … that the operator has not seen
  std::uint64_t data_seed = 1, model_seed = 1;
  double hilbert_schmidt = 3;  // weight of the term that makes the covariance right between points
  TrainingOptions options{};
};

/// Errors against the test ensembles, and those of the exact law against the same ensembles; and the distance
/// from the exact law itself, in which no sampling error of a test is left.
struct Figures {
  double mean_rmse = 0, mean_floor = 0, mean_to_exact = 0;
  double covariance_error = 0, covariance_floor = 0, covariance_to_exact = 0;
};

inline Ensemble<float, 1> ensembles(const Setting& setting, Index factors) {
  return simulate_ensemble<float>(setting.heat,
                                  {.samples = setting.train,
                                   .members = setting.members,
                                   .seed = setting.data_seed,
                                   .times = setting.times},
                                  {.factors = factors});
}

template <class M> Figures compare(const M& model, const Normaliser& normaliser, const Setting& setting) {
  const Sampling sampling{.samples = setting.test,
                          .members = setting.test_members,
                          .seed = setting.data_seed,
                          .first_sample = setting.train,  // those after the training samples
                          .times = setting.times};
  auto tests = collect<float>(setting.heat, sampling);
  Field<float, 1> initial = tests.initial;
  normaliser.apply(initial);
  const std::vector<float> times(tests.times.begin(), tests.times.end());
  auto law = predict(model, {std::as_const(initial).view(), times});
  normaliser.undo(law);

  metric::MeanRmse mean, mean_floor, mean_to_exact;
  metric::CovarianceError covariance_error, covariance_floor;
  double covariance_to_exact = 0;
  for (Index row = 0; row < tests.conditions(); ++row) {
    const ExactLaw exact = exact_law(setting.heat, setting.data_seed,
                                     setting.train + row / sampling.queries(), tests.times[std::size_t(row)]);
    const metric::Members members = metric::members(tests.of(row), 0, setting.test_members);
    const metric::Moments truth{flat(exact.mean, 0), flat(exact.variance, 0)};
    const metric::Moments drawn = metric::moments(members), predicted = metric::moments(law, row);
    mean.add(predicted, drawn);
    mean_floor.add(truth, drawn);
    mean_to_exact.add(predicted, truth);
    const Covariance<double> gamma = covariance(exact.factor);
    covariance_error.add(covariance(law, row), members);
    covariance_floor.add(gamma, members);
    covariance_to_exact += relative_distance(covariance(law, row), gamma) / double(tests.conditions());
  }
  return {mean.value(),
          mean_floor.value(),
          mean_to_exact.value(),
          covariance_error.value(),
          covariance_floor.value(),
          covariance_to_exact};
}

/// An operator of this shape, trained on ensembles alone: nothing of the exact law reaches it.
template <class Shape> Figures recover(const Setting& setting) {
  auto train = ensembles(setting, setting.heat.noise.rank());
  const Normaliser normaliser = Normaliser::fit(train);
  normaliser.apply(train);

  Mno<Shape> model(setting.model_seed);
  model.set_factor_scale(4 * std::sqrt(mean_variance(train)));
  Recipe recipe = Recipe::decoupled();
  recipe.hilbert_schmidt.weight = setting.hilbert_schmidt;
  Trainer trainer(model, train, nullptr, recipe, setting.options);
  while (!trainer.finished()) trainer.run_epoch();
  trainer.take_best();
  return compare(model, normaliser, setting);
}

}  // namespace heat_law
