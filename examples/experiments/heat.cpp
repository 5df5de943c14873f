// The linear heat equation, whose law is known: how far a trained law is from the exact one, over its rank,
// over the number of initial conditions and over the size of the ensembles.
//
// No operator of rank r has a covariance nearer to Γ than the r leading eigenvalues allow:
//   min ‖Γ − BᵀB‖/‖Γ‖ = √(Σ_{k>r} λ_k²) / √(Σ_k λ_k²),
// the theory line. The noise is fixed in space and does not depend on u_0, so a translation-equivariant
// operator could not have its factors: this one sees sines and cosines of the coordinate.
#include <mno/law/distance.hpp>
#include <mno/metric/rmse.hpp>
#include <mno/simulate/heat.hpp>

#include "experiments.hpp"
#include "recipes.hpp"

namespace experiment {

namespace {

/// ‖Γ − Γ_r‖/‖Γ‖ of the best Γ_r. The factor's rows are sines and cosines on a grid, so they are orthogonal
/// and their squared norms are the eigenvalues.
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

/// Distances to the exact law, one list of rows per seed, in normalised coordinates.
std::vector<std::vector<Row>> to_exact(Study& study, const mno::spde::Heat& heat, const Trained& trained,
                                       const Data& test) {
  std::vector<std::vector<Row>> seeds(trained.models.size());
  study.for_each_seed(trained, [&](std::size_t seed) {
    const mno::Normaliser normaliser = study.load(trained, seed)->normaliser();
    mno::metric::MeanRmse mean;
    double covariance = 0;
    Index conditions = 0;
    study.for_each_prediction(trained, seed, test, [&](const program::Prediction<1>& p) {
      mno::ExactLaw exact =
          mno::exact_law(heat, study.data_seed(), study.first_test() + p.sample, double(p.time));
      normaliser.apply(exact.mean);
      mean.add(mno::metric::moments(p.law, 0), mno::metric::point_mass(mno::flat(exact.mean, 0)));
      if (trained.shape.kind != "fno")
        covariance += mno::relative_distance(mno::covariance(p.law, 0),
                                             mno::covariance(exact.factor / normaliser.scale[0]));
      ++conditions;
    });
    seeds[seed] = {{.metric = "mean_to_exact", .value = mean.value()}};
    if (trained.shape.kind != "fno")
      seeds[seed].push_back({.metric = "cov_to_exact", .value = covariance / double(conditions)});
  });
  return seeds;
}

void run_heat(Study& study) {
  const mno::spde::Heat heat;
  const Sizes& s = study.sizes();
  const Splits data = study.splits(heat);
  const auto training = [&](Index conditions) {  // as many steps, whatever the number of conditions
    recipe::Task task = recipe::heat;
    task.epochs = task.epochs * s.train / conditions;
    Training t = recipe::decoupled(task);
    t.factors = 17;
    return t;
  };
  const std::string kind = "mno-coordinates";
  struct Variant {
    std::string over;
    double x;
    Trained trained;
  };
  std::vector<Variant> variants;
  for (const int rank : study.ranks({1, 2, 4, 8, 17}))
    variants.push_back(
        {"rank", double(rank), study.train("mno", study.shape(kind, rank), training(s.train), data)});
  for (const Index parts : {64, 16, 4, 1}) {
    const Index conditions = std::max<Index>(s.train / parts, 4),
                members = std::max<Index>(s.members / parts, 4);
    variants.push_back({"conditions", double(conditions),
                        study.train("mno", study.shape(kind), training(conditions),
                                    {study.data(heat, conditions, 0), data.validation, data.test})});
    variants.push_back(
        {"members", double(members),
         study.train("mno", study.shape(kind), training(s.train),
                     {study.data(heat, s.train, 0, {}, members), data.validation, data.test})});
  }
  const Trained fno = study.train("fno", study.standard("fno"), recipe::mean(recipe::heat), data);
  study.run();

  const mno::ExactLaw exact = mno::exact_law(heat, study.data_seed(), 0, heat.time);
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
    auto rows = study.table(place, one.trained.method, to_exact(study, heat, one.trained, data.test));
    const double error = value_of(rows, "cov_to_exact");
    auto& figure = one.over == "rank" ? over_rank : over_data;
    auto& line = figure.lines[one.over == "members" ? 1 : 0];
    line.x.push_back(one.x);
    line.y.push_back(error);
    if (one.over != "rank") continue;
    const double tail = spectral_tail(exact, int(one.x));
    study.table(place, "theory", {{{.metric = "cov_to_exact", .value = tail}}});
    if (tail > 1e-12) {
      over_rank.lines[1].x.push_back(one.x);
      over_rank.lines[1].y.push_back(tail);
    }
  }
  study.table({.table = "heat-exact-law", .benchmark = "heat"}, fno.method,
              to_exact(study, heat, fno, data.test));
  for (auto& line : over_data.lines) {
    std::vector<std::pair<double, double>> points;
    for (std::size_t i = 0; i < line.x.size(); ++i) points.emplace_back(line.x[i], line.y[i]);
    std::sort(points.begin(), points.end());
    for (std::size_t i = 0; i < points.size(); ++i) std::tie(line.x[i], line.y[i]) = points[i];
  }
  study.add(over_rank);
  study.add(over_data);
  const Trained& best = variants[study.ranks({1, 2, 4, 8, 17}).size() - 1].trained;
  study.table({.table = "heat", .benchmark = "heat"}, best, data.test);
  study.table({.table = "heat", .benchmark = "heat"}, fno, data.test);
  study.show(best, data.test);
}

}  // namespace

const Experiment heat{"heat",
                      "the linear heat equation, whose law is known",
                      protocol,
                      {256, 64, 64, 64, 30, 1},
                      {"mno-coordinates", 1, 1, 17, 24, 9, 2, 0},
                      run_heat};

}  // namespace experiment
