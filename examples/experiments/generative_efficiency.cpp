// Generative efficiency on Burgers: what moments and draws cost, and how good they are. A law is one pass,
// whatever the number of draws; an operator with noise inside is run for every draw, and diffusion many times
// for each. Times are medians and quartiles, of one thread and one condition. For every condition the methods
// take turns, so that disturbances of the machine hit all of them.
#include "experiments.hpp"
#include "swept.hpp"

namespace experiment {

/// The same weights, with another number of evaluations for a draw.
static Trained with_evaluations(const Trained& diffusion, const std::string& evaluations) {
  Trained other = diffusion;
  other.method = other.shape.kind = "diffusion-" + evaluations;
  return other;
}

static void run_generative_efficiency(Study& study) {
  const Splits data = study.splits(mno::spde::Burgers{});
  std::vector<std::string> names = study.options().rivals;
  if (names.empty()) names = {"noise-fno", "diffusion-50"};
  names.insert(names.begin(), "mno");
  std::vector<Trained> methods;
  for (const std::string& method : names) {
    methods.push_back(study.train(method, study.shape_of(method), study.tuned(method), data));
    if (method == "diffusion-50")
      for (const char* evaluations : {"25", "100"})
        methods.push_back(with_evaluations(methods.back(), evaluations));
  }
  study.run();

  std::vector<std::vector<Row>> scores;
  for (const Trained& one : methods) {
    const Study::Place place{
        .table = "generative-efficiency", .benchmark = "burgers", .paper_method = "none"};
    scores.push_back(study.table(place, one, data.test));
    study.lengths(place, {one});
  }
  mno::report::Figure cost{.name = "draws",
                           .title = "What draws of one condition cost",
                           .x_label = "draws",
                           .y_label = "seconds",
                           .log_x = true,
                           .log_y = true},
      quality{.name = "quality",
              .title = "W2 of the marginals over the time of 100 draws",
              .x_label = "seconds",
              .y_label = "w2s",
              .log_x = true,
              .log_y = true};
  for (const Trained& one : methods) {
    cost.lines.push_back({one.method});
    quality.lines.push_back({one.method});
  }
  for (const Index draws : {0, 1, 10, 100, 1000}) {
    if (draws == 1000 && !study.full()) continue;
    const auto times = study.times(methods, data.test, draws);
    for (std::size_t m = 0; m < methods.size(); ++m) {
      const std::string what = draws == 0 ? "seconds_of_moments" : "seconds_of_draws";
      Study::Place place{.table = "generative-efficiency", .benchmark = "burgers", .paper_method = "none"};
      if (draws > 0) place.at["draws"] = double(draws);
      study.table(place, methods[m].method,
                  {{{.metric = what, .value = times[m].median},
                    {.metric = what + "_quartile_1", .value = times[m].quartile_1},
                    {.metric = what + "_quartile_3", .value = times[m].quartile_3}}});
      if (draws > 0) cost.lines[m].put(double(draws), times[m].median);
      if (draws == 100) quality.lines[m].put(times[m].median, value_of(scores[m], "w2s"));
    }
  }
  study.add(cost);
  study.add(quality);
  study.show(methods[0], data.test);
}

const Experiment generative_efficiency{"generative-efficiency",
                                       "what moments and draws cost, and how good they are",
                                       {1000, 100, 200, 192, 0, 3},
                                       {256, 32, 32, 64, 0, 1},
                                       usual_shape,
                                       run_generative_efficiency};

}  // namespace experiment
