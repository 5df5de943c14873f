// The linear heat equation, whose law is known: how far a trained law is from the exact one, over its rank,
// over the number of initial conditions and over the size of the ensembles.
//
// No factor of rank r has a covariance nearer to Γ than the r leading eigenvalues allow:
//   min ‖Γ − BᵀB‖/‖Γ‖ = √(Σ_{k>r} λ_k²) / √(Σ_k λ_k²),
// the theory line. A nugget beside the factor may go a little below it.
#include <mno/simulate/heat.hpp>

#include "exact.hpp"
#include "experiments.hpp"
#include "recipes.hpp"

namespace experiment {

namespace {

/// ‖Γ − Γ_r‖/‖Γ‖ of the best Γ_r. The factor's rows are sines and cosines on a grid, so they are orthogonal
/// and their squared lengths are the eigenvalues.
double spectral_tail(const mno::ExactLaw& law, int rank) {
  std::vector<double> squares;
  for (Index i = 0; i < law.factor.rows(); ++i)
    squares.push_back(std::pow(law.factor.row(i).squaredNorm(), 2));
  std::sort(squares.rbegin(), squares.rend());
  double all = 0, tail = 0;
  for (std::size_t i = 0; i < squares.size(); ++i) {
    all += squares[i];
    if (i >= std::size_t(rank)) tail += squares[i];
  }
  return std::sqrt(tail / all);
}

void run_heat(Study& study) {
  const mno::spde::Heat heat;
  const Sizes& s = study.sizes();
  const Splits data = study.splits(heat);
  const std::vector<int> ranks = study.ranks({1, 2, 4, 8, 17});
  struct Variant {
    std::string over;
    double x;
    Trained trained;
  };
  std::vector<Variant> variants;
  for (const int rank : ranks)
    variants.push_back({"rank", double(rank), study.train("mno", study.shape("mno-nugget", rank), {}, data)});
  const auto fewer = [&](const char* over, Index x, const Study::Draw& draw) {
    Splits less = data;
    less.train = study.data(heat, Study::Use::training, draw);
    variants.push_back({over, double(x), study.train("mno", study.shape(), {}, less)});
  };
  for (const Index parts : {64, 16, 4, 1}) {
    const Index conditions = std::max<Index>(s.train / parts, 4),
                members = std::max<Index>(s.members / parts, 4);
    fewer("conditions", conditions, {.samples = conditions});
    fewer("members", members, {.samples = s.train, .members = members});
  }
  const Trained fno = study.train("fno", study.shape("fno"), {}, data);
  study.run();

  const mno::ExactLaw exact = mno::exact_law(heat, 1, 0, heat.time);
  mno::report::Figure over_rank{.name = "rank",
                                .title = "Distance from the exact covariance over the rank",
                                .x_label = "rank",
                                .y_label = "relative Frobenius error",
                                .log_x = true,
                                .log_y = true},
      over_data{.name = "data",
                .title = "… over the data",
                .x_label = "conditions, or members of each",
                .y_label = "relative Frobenius error",
                .log_x = true,
                .log_y = true};
  over_rank.lines = {{"mno"}, {"theory: spectral tail"}};
  over_data.lines = {{"initial conditions"}, {"members"}};
  for (const Variant& one : variants) {
    const Study::Place place{.table = "heat-exact-law", .benchmark = "heat", .at = {{one.over, one.x}}};
    const double error = value_of(study.table(place, one.trained, data.test), "cov_to_exact");
    auto& figure = one.over == "rank" ? over_rank : over_data;
    figure.lines[one.over == "members" ? 1 : 0].put(one.x, error);
    if (one.over != "rank") continue;
    const double tail = spectral_tail(exact, int(one.x));
    study.table(place, "theory", {{{.metric = "cov_to_exact", .value = tail}}});
    if (tail > 1e-12) over_rank.lines[1].put(one.x, tail);
  }
  study.add(over_rank);
  study.add(over_data);
  const Trained& whole = variants[ranks.size() - 1].trained;
  study.tables({.table = "heat", .benchmark = "heat"}, {whole, fno}, data.test);
  study.tables({.table = "heat", .benchmark = "heat"}, controls(fno), data.test);
  study.show(whole, data.test);
}

}  // namespace

const Experiment heat{"heat",
                      "the linear heat equation, whose law is known",
                      protocol,
                      {128, 32, 32, 64, 20, 1},
                      {"mno-nugget", 1, 1, 17, 48, 16, 4, 0},
                      run_heat};

}  // namespace experiment
