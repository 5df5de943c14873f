// Ablations on Burgers: what the rank, the backbone and every term of the loss are worth, what a law costs,
// and which of the changes from the paper's recipe to ours matters. One change at a time, all in 1410 steps.
// Warm-up and ramp are the same share of every length.
#include "experiments.hpp"
#include "recipes.hpp"

namespace experiment {

static constexpr Index length = 1410;  // steps: 30 epochs of 1500 conditions in batches of 32

using Change = std::function<void(Training&)>;

static Training changed(const std::vector<Change>& changes) {
  Training training = recipe::paper(length);
  for (const Change& change : changes) change(training);
  return training;
}

static void run_ablations(Study& study) {
  const Splits data = study.splits(mno::spde::Burgers{});
  const auto rank_list = study.ranks({1, 2, 4, 8, 16, 32, 64});
  struct Variant {
    std::string what;
    mno::report::At value;
    Trained trained;
  };
  std::vector<Variant> variants;
  const auto vary = [&](const std::string& what, mno::report::At value, const program::ShapeNumbers& shape,
                        const Training& training) {
    variants.push_back({what, std::move(value), study.train("mno", shape, training, data)});
  };
  const Training full = changed({});
  for (const int rank : rank_list) vary("rank", double(rank), study.shape("mno", rank), full);
  vary("backbone", "shared", study.shape("mno"), full);
  vary("backbone", "split", study.shape("mno-split"), full);

  const Change no_consistency = [](Training&t) { t.recipe().variance_consistency.weight = 0; },
               no_martingale = [](Training&t) { t.recipe().centring.weight = 0; },
               no_regularisation = [](Training&t) { t.recipe().factor_regularisation.weight = 0; };
  vary("loss", "full", study.shape("mno"), full);
  vary("loss", "no-consistency", study.shape("mno"), changed({no_consistency}));
  vary("loss", "no-martingale", study.shape("mno"), changed({no_martingale}));
  vary("loss", "no-reg", study.shape("mno"), changed({no_regularisation}));
  vary("loss", "nll-only", study.shape("mno"), changed({no_consistency, no_martingale, no_regularisation}));

  // From the paper's recipe to ours: each change alone, then their sum.
  const Change mean_term = [](Training&t) { t.recipe().mean_error.weight = 30; },
               factor_scale = [](Training&t) { t.factor_scale.reset(); },
               decoupled_nll =
                   [](Training&t) {
                     t.recipe().gaussian_nll.weight = 0;
                     t.recipe().decoupled_nll.weight = 1;
                   },
               covariance_term = [](Training&t) { t.recipe().hilbert_schmidt.weight = 1; };
  const std::vector<Change> three{mean_term, factor_scale, decoupled_nll};
  std::vector<Change> four = three;
  four.push_back(covariance_term);
  vary("change", "the paper's own optimiser", study.shape("mno"), recipe::paper_optimiser());
  vary("change", "none", study.shape("mno"), full);
  vary("change", "mean term", study.shape("mno"), changed({mean_term}));
  vary("change", "factor scale", study.shape("mno"), changed({factor_scale}));
  vary("change", "decoupled nll", study.shape("mno"), changed({decoupled_nll}));
  vary("change", "all three", study.shape("mno"), changed(three));
  vary("change", "covariance term", study.shape("mno"), changed({covariance_term}));
  vary("change", "path", study.shape("mno-path"), full);
  vary("change", "default operator", study.shape(), full);  // a path, a nugget and a fixed factor
  vary("change", "default operator and all four", study.shape(), changed(four));
  vary("change", "as mno train chooses", study.shape(), {});
  const Trained fno = study.train("fno", study.shape("fno"), {.name = "auto", .steps = length}, data);
  study.run();

  mno::report::Figure over_rank{.name = "rank",
                                .title = "Mean RMSE over the rank",
                                .x_label = "rank",
                                .y_label = "mean RMSE",
                                .log_x = true},
      variance{.name = "rank-variance",
               .title = "Variance RMSE over the rank",
               .x_label = "rank",
               .y_label = "variance RMSE",
               .log_x = true,
               .log_y = true},
      cost{.name = "cost",
           .title = "What a draw costs over the rank",
           .x_label = "rank",
           .y_label = "microseconds per draw",
           .log_x = true};
  over_rank.lines = {{"mno"}, {"paper"}};
  variance.lines = {{"mno"}, {"floor"}};
  cost.lines = {{"law and 192 draws"}};
  for (const Variant& one : variants) {
    const auto rows =
        study.table({.table = "burgers-ablations", .benchmark = "burgers", .at = {{one.what, one.value}}},
                    one.trained, data.test);
    if (one.what != "rank") continue;
    const double rank = std::get<double>(one.value);
    over_rank.lines[0].put(rank, value_of(rows, "mean_rmse"));
    for (const Row& row : rows)
      if (row.metric == "mean_rmse" && row.paper) over_rank.lines[1].put(rank, *row.paper);
    variance.lines[0].put(rank, value_of(rows, "var_rmse"));
    variance.lines[1].put(rank, floor_of(rows, "var_rmse"));

    const program::Cost measured = study.cost(one.trained, data.test, 192);
    study.table({.table = "cost", .benchmark = "burgers", .at = {{"rank", rank}}}, "mno",
                {{{.metric = "seconds_per_law", .value = measured.law_seconds},
                  {.metric = "seconds_per_draw", .value = measured.draw_seconds},
                  {.metric = "bytes_per_law", .value = measured.law_bytes},
                  {.metric = "peak_bytes", .value = measured.peak_bytes}}});
    cost.lines[0].put(rank, 1e6 * measured.draw_seconds);
  }
  const Study::Place place{.table = "burgers-ablations", .benchmark = "burgers"};
  study.tables(place, {fno}, data.test);
  study.tables(place, controls(fno), data.test);
  for (auto* figure : {&over_rank, &variance, &cost}) study.add(*figure);
  study.show(variants.back().trained, data.test);
}

const Experiment ablations{"ablations",
                           "what each part is worth",
                           {1500, 100, 200, 256, 0, 5},
                           {128, 32, 32, 32, 20, 1},
                           usual_shape,
                           run_ablations};

}  // namespace experiment
