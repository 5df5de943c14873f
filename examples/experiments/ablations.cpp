// Ablations on Burgers: what the rank, the backbone and every term of the loss are worth, what a law costs,
// and which of the changes that make the decoupled recipe matters. One change at a time, shown as it comes
// out.
#include "experiments.hpp"
#include "recipes.hpp"

namespace experiment {

static Training ablated(const std::function<void(Training&)>& change) {
  Training training = recipe::paper(recipe::ablations);
  change(training);
  return training;
}

static void run_ablations(Study& study) {
  const Splits data = study.splits(mno::spde::Burgers{});
  const auto rank_list = study.ranks({1, 2, 4, 8, 16, 32, 64});
  const Training full = recipe::paper(recipe::ablations);
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
  for (const int rank : rank_list) vary("rank", double(rank), study.shape("mno", rank), full);
  vary("backbone", "shared", study.shape(), full);
  vary("backbone", "split", study.shape("mno-split"), full);

  const auto without = [](bool consistency, bool martingale, bool regularisation) {
    return ablated([=](Training& t) {
      if (consistency) t.recipe.variance_consistency.weight = 0;
      if (martingale) t.recipe.centring.weight = 0;
      if (regularisation) t.recipe.factor_regularisation.weight = 0;
    });
  };
  vary("loss", "full", study.shape(), full);
  vary("loss", "no-consistency", study.shape(), without(true, false, false));
  vary("loss", "no-martingale", study.shape(), without(false, true, false));
  vary("loss", "no-reg", study.shape(), without(false, false, true));
  vary("loss", "nll-only", study.shape(), without(true, true, true));

  // From the paper's recipe to the decoupled one, each change alone, then all.
  vary("change", "none", study.shape(), full);
  vary("change", "mean term", study.shape(),
       ablated([](Training& t) { t.recipe.mean_error.weight = recipe::ablations.mean; }));
  vary("change", "factor scale", study.shape(), ablated([](Training& t) { t.scaled_factor = true; }));
  vary("change", "decoupled nll", study.shape(), ablated([](Training& t) {
         t.recipe.gaussian_nll.weight = 0;
         t.recipe.decoupled_nll.weight = 1;
       }));
  vary("change", "all three", study.shape(), recipe::decoupled(recipe::ablations));
  vary("change", "path", study.shape("mno-path"), full);
  vary("change", "all and path", study.shape("mno-path"), recipe::decoupled(recipe::ablations));
  const Trained fno = study.train("fno", study.shape("fno"), recipe::mean(recipe::ablations), data);
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
  const auto put = [](mno::report::Curve& line, double x, double y) {
    line.x.push_back(x);
    line.y.push_back(y);
  };
  for (const Variant& one : variants) {
    const auto rows = study.table({.table = "burgers-ablations",
                                   .benchmark = "burgers",
                                   .at = {{one.what, one.value}},
                                   .metrics = {"mean_rmse", "var_rmse", "w2s", "w2g", "cov_frobenius_rel"}},
                                  one.trained, data.test);
    if (one.what != "rank") continue;
    const double rank = std::get<double>(one.value);
    put(over_rank.lines[0], rank, value_of(rows, "mean_rmse"));
    for (const Row& row : rows)
      if (row.metric == "mean_rmse" && row.paper) put(over_rank.lines[1], rank, *row.paper);
    put(variance.lines[0], rank, value_of(rows, "var_rmse"));
    put(variance.lines[1], rank, floor_of(rows, "var_rmse"));

    const program::Cost measured = study.cost(one.trained, data.test, 192);
    study.table({.table = "cost", .benchmark = "burgers", .at = {{"rank", rank}}}, "mno",
                {{{.metric = "seconds_per_law", .value = measured.law_seconds},
                  {.metric = "seconds_per_draw", .value = measured.draw_seconds},
                  {.metric = "bytes_per_law", .value = measured.law_bytes},
                  {.metric = "peak_bytes", .value = measured.peak_bytes}}});
    put(cost.lines[0], rank, 1e6 * measured.draw_seconds);
  }
  study.table({.table = "burgers-ablations", .benchmark = "burgers", .metrics = {"mean_rmse", "w2s", "w2g"}},
              fno, data.test);
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
