// A law of several lags that is trained with the Chapman–Kolmogorov term beside one that is not, from the
// same seed and as long: its defect is smaller. Its marginals pay for it: in this setting the distance to the
// ensemble grew by 6 % when it was written down, and this looks that it is not more than a third.
#include <doctest/doctest.h>

#include "line.hpp"
#include "mno/metric/composition.hpp"
#include "mno/simulate/ensemble.hpp"
#include "mno/simulate/heat.hpp"
#include "mno/train/fit.hpp"

using namespace mno;

namespace {
using M = Mno<mno_test::Line>;

struct Result {
  double defect = 0, distance = 0;  // of the law at once from the ensemble, by w2g
};
Result trained(const Ensemble<float, 1>& train, const Ensemble<float, 1>& test, double weight) {
  Recipe recipe = Recipe::decoupled();
  recipe.chapman_kolmogorov = {.weight = weight, .draws = 4, .conditions = 8, .least_time = 0.125};
  FitOptions options;
  options.training.epochs = 40;
  options.training.seed = 3;
  const auto surrogate = fit<M>(train, test, recipe, options).surrogate;
  metric::Composition defect;
  const std::vector<double> halves{0.25, 0.25}, whole{0.5};
  for (Index i = 0; i < test.size(); i += 3) {  // every third is another initial field
    Field<float, 1> u(1, test.grid(), 1);
    std::copy_n(test.initial.data() + i * u.points(), u.points(), u.data());
    const auto seed = std::uint64_t(10 * i);
    const auto x = metric::rollout<float, 1>(surrogate, u, whole, 128, seed + 1).back(),
               y = metric::rollout<float, 1>(surrogate, u, halves, 128, seed + 2).back();
    defect.add(metric::members(x.view()), metric::members(y.view()));
  }
  auto scored = test;
  surrogate.normaliser().apply(scored);
  return {defect.energy(), score(surrogate.model(), scored).w2g};
}
}  // namespace

TEST_CASE("the defect falls by a third at least, at a bounded cost to marginals") {
  spde::Heat heat;
  heat.points = 16;
  const std::vector<double> times{0.125, 0.25, 0.5};
  const auto draw = [&](Index samples, Index first) {
    return simulate_ensemble<float>(
        heat, {.samples = samples, .members = 32, .seed = 2, .first_sample = first, .times = times},
        {.members = true});
  };
  const auto train = draw(96, 0), test = draw(12, 1000);
  const Result without = trained(train, test, 0), with = trained(train, test, 5);
  MESSAGE("defect ", without.defect, " without the term, ", with.defect, " with it; w2g ", without.distance,
          " and ", with.distance);
  CHECK(with.defect < 0.7 * without.defect);
  CHECK(with.distance < 1.33 * without.distance);
}
