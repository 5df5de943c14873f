// Tails: one model for each equation, trained as mno train does, and its law with Gaussian residuals beside
// the one whose residuals were learned from validation (metric/likeliest_residual.hpp). Both have the same
// mean and covariance, so only the shape differs.
//
//   jump-heat    driven by jumps, two in the mean: normal given their times
//   rare-jumps   one jump in four realisations, in the mean
//   heavy-heat   Student t with four degrees of freedom
//   two-wells    two modes, one in each well
//   heat         normal: nothing is to be gained, and nothing to be lost
//
// Where the law is known, what it scores itself stands beside, and what its mean and covariance score with
// Gaussian residuals: no more can be gained by the shape than lies between the two.
//
// Thresholds of the tails are ±1.645 in normalised units, beyond which a twentieth of normal data lies on
// each side.
#include <mno/metric/crps.hpp>
#include <mno/metric/tail_scores.hpp>

#include "exact.hpp"
#include "experiments.hpp"

namespace experiment {

namespace {

using mno::metric::TailScores;
using program::Prediction;
using Rows = std::vector<Row>;

struct Scored {
  TailScores tails{};
  mno::metric::Crps crps{};
  double far = 0, members = 0;  // beyond the law's 0.1 % and 99.9 % quantiles

  template <class L> void add(const L& law, const mno::metric::Members& truth) {
    tails.add(law, 0, truth);
    crps.add(law, 0, truth);
    for (Index i = 0; i < law.size(); ++i) {
      const auto x = mno::marginal(law, 0, i / law.channels(), i % law.channels());
      const double low = x.quantile(0.001), high = x.quantile(0.999);
      for (Index j = 0; j < truth.cols(); ++j) far += truth(i, j) < low || truth(i, j) > high ? 1 : 0;
    }
    members += double(truth.size());
  }
  Rows rows() const {
    return {{.metric = "tail_crps", .value = tails.tail_crps_value()},
            {.metric = "quantile_score_01", .value = tails.lower_quantile_score()},
            {.metric = "quantile_score_99", .value = tails.upper_quantile_score()},
            {.metric = "coverage_99", .value = tails.coverage()},
            {.metric = "beyond_998", .value = far / members},
            {.metric = "crps", .value = crps.value()}};
  }
};

/// The data as if it were of an equation with the same mean and covariance whose law is normal, and the
/// residual law of its entries instead.
struct Exact {
  Data normal;
  mno::AnyResidual residual;
};
std::optional<Exact> exact_of(const Data& data) {
  return std::visit(
      [&]<class E>(const E& equation) -> std::optional<Exact> {
        Exact exact{data, {}};
        if constexpr (requires { equation.marginal(0.0); }) {
          exact.residual = equation.marginal(equation.time);
          exact.normal.equation = equation.heat();
        }
        if (!has_exact_law(exact.normal.equation)) return {};
        return exact;
      },
      data.equation);
}

void run_tails(Study& study) {
  struct Setting {
    std::string name;
    program::Equation equation;
    Splits data{};
    Trained mno{};
  };
  std::vector<Setting> settings{{"jump-heat", mno::spde::JumpHeat{}},
                                {"rare-jumps", mno::spde::JumpHeat{.rate = 0.5}},
                                {"heavy-heat", mno::spde::HeavyHeat{}},
                                {"two-wells", mno::spde::Phi4::two_wells()},
                                {"heat", mno::spde::Heat{}}};
  Training learned{.name = "auto, residual law learned"};
  learned.choose_residual = true;
  for (Setting& one : settings) {
    const Sizes& s = study.sizes();
    one.data.train = study.data(one.equation, Study::Use::training, {.samples = s.train});
    one.data.validation = study.data(one.equation, Study::Use::validation, {.samples = s.validation});
    one.data.test = study.data(one.equation, Study::Use::test, {.samples = s.test});
    one.mno = study.train("mno-learned-residual", study.shape(), learned, one.data);
  }
  study.run();
  for (const Setting& one : settings) {
    const Study::Place place{.table = "tails", .benchmark = one.name};
    const std::size_t pairs = one.mno.models.size();
    const std::optional<Exact> exact = exact_of(one.data.test);
    std::vector<Rows> own(pairs), gaussian(pairs), truth(pairs), gaussian_truth(pairs);
    std::vector<std::string> chosen(pairs);
    study.for_each_pair(one.mno, [&](std::size_t pair) {
      Scored with_own, with_gaussian, by_truth, by_gaussian_truth;
      const auto normaliser = study.load(one.mno, pair)->normaliser();
      study.for_each_prediction(one.mno, pair, one.data.test, [&](const Prediction<1>& p) {
        with_own.add(p.law, p.members);
        with_gaussian.add(mno::with_residual(p.law, mno::Gaussian{}), p.members);
        chosen[pair] = p.law.residual.text();
        if (!exact) return;
        const auto law = exact_law_of<1>(exact->normal, pair, p.sample, double(p.time), normaliser);
        by_truth.add(mno::with_residual(*law, exact->residual), p.members);
        by_gaussian_truth.add(*law, p.members);
      });
      own[pair] = with_own.rows();
      gaussian[pair] = with_gaussian.rows();
      if (!exact) return;
      truth[pair] = by_truth.rows();
      gaussian_truth[pair] = by_gaussian_truth.rows();
    });
    study.table(place, "mno-gaussian-residual", gaussian);
    study.table(place, "mno-learned-residual", own);
    if (exact) {
      study.table(place, "exact-gaussian-residual", gaussian_truth);
      study.table(place, "exact", truth);
    }
    for (std::size_t pair = 0; pair < chosen.size(); ++pair)
      study.record().settings.push_back(
          {"residual of " + one.name + ", pair " + std::to_string(pair + 1), chosen[pair]});
  }
}

}  // namespace

const Experiment tails{"tails",
                       "tail scores of Gaussian and learned residual laws",
                       {512, 100, 200, 128, 0, 3},
                       {128, 32, 32, 64, 0, 1},
                       usual_shape,
                       run_tails};

}  // namespace experiment
