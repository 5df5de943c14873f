// How the models of a study are scored: the model itself or a control around its mean, beside the floor of
// the same test conditions, pair by pair.
#include <algorithm>
#include <cmath>
#include <limits>
#include <mno/io/safetensors/references.hpp>
#include <mno/metric/paired_floor.hpp>
#include <mno/metric/residual_covariance.hpp>
#include <sstream>

#include "command.hpp"
#include "exact.hpp"
#include "history.hpp"
#include "reference_cards.hpp"
#include "stopwatch.hpp"
#include "study.hpp"

namespace experiment {

namespace metric = mno::metric;
using program::Prediction;

double value_of(const std::vector<Row>& rows, const std::string& metric) {
  for (const Row& row : rows)
    if (row.metric == metric) return row.value;
  return std::numeric_limits<double>::quiet_NaN();
}
double floor_of(const std::vector<Row>& rows, const std::string& metric) {
  for (const Row& row : rows)
    if (row.metric == metric && row.floor) return *row.floor;
  return std::numeric_limits<double>::quiet_NaN();
}

namespace {

template <int D> mno::Grid<D> grid_of(const Data& data, const mno::Domain<D>& domain) {
  mno::Grid<D> grid{{}, domain};
  grid.points.fill(data.points);
  return grid;
}

/// Draws of one condition of a law, as many as it is scored against.
template <class L> metric::Members draws_of(const L& law, Index count, std::size_t pair, Index sample) {
  return metric::members(mno::sample(law, count, (std::uint64_t(pair + 1) << 32) + std::uint64_t(sample)));
}

}  // namespace

/// The law of a control around a predicted mean.
template <int D> Study::LawOf<D> Study::control(const Trained& trained, std::size_t pair) const {
  const auto model = load<D>(trained, pair);
  const mno::io::SafetensorsReader file(trained.models.at(pair));
  const Index channels = trained.train.channels;
  auto references = mno::io::read_references<float, D>(file, channels, model->domain());
  mno::require(references.has_value(), "Study::control", "model", mno::Text("a model file with references"),
               mno::Text(trained.models[pair].string()));
  if (trained.spread == Spread::constant)
    return [known = std::move(*references)](const Prediction<D>& p) {
      return known.constant_variance(p.law.mean);
    };
  metric::Residuals<float, D> residuals(grid_of(trained.train, model->domain()), channels);
  for_each_prediction<D>(trained, pair, trained.train,
                         [&](const Prediction<D>& p) { residuals.add(p.law.mean, 0, p.members); });
  return [known = residuals.covariance(shape().rank, references->residual_variance)](const Prediction<D>& p) {
    return known.around(p.law.mean);
  };
}

/// Every score of one pair, and the distances from the exact law where it is known.
template <int D>
std::vector<Row> Study::score(const Place& place, const Trained& trained, std::size_t pair,
                              const Data& data) {
  const auto model = load<D>(trained, pair);
  const auto file = program::open_ensembles(data.pairs.at(pair).path);
  const bool own = trained.spread == Spread::own, stochastic = !own || model->stochastic();
  const LawOf<D> law_of = own ? LawOf<D>() : control<D>(trained, pair);
  metric::Scorecard<D> card(grid_of(data, model->domain()), data.members, {.floors = false});
  ToExact to_exact;
  const auto add = [&](const auto& law, const Prediction<D>& p) {
    const bool drawn = p.draws.size() > 0;
    if (drawn && !model->gives_law()) {  // the distance would be the sampling error of draws
      card.add(p.draws, p.members);
      return;
    }
    if (drawn)
      card.add_draws(law, 0, p.draws, p.members);
    else if (stochastic)
      card.add(law, 0, draws_of(law, data.members, pair, p.sample), p.members);
    else
      card.add(law.mean, 0, p.members);
    if (const auto exact = exact_law_of<D>(data, pair, p.sample, double(p.time), model->normaliser()))
      to_exact.add(law, *exact, stochastic || drawn);
  };
  program::Selection asked = selection(data, pair);
  asked.time = place.time;
  program::for_each_prediction<D>(*model, *file, asked,
                                  [&](const Prediction<D>& p) { own ? add(p.law, p) : add(law_of(p), p); });
  std::vector<Row> rows = program::rows_of(card.rows());
  const auto known = floors<D>(place, trained, pair, data);
  for (Row& row : rows)
    if (const auto floor = known.find(row.metric); floor != known.end()) row.floor = floor->second;
  const auto distances = to_exact.rows();
  rows.insert(rows.end(), distances.begin(), distances.end());
  return rows;
}

/// The score of the true law on the same members, by metric, in the model's coordinates.
template <int D>
std::map<std::string, double> Study::floors(const Place& place, const Trained& trained, std::size_t pair,
                                            const Data& data) {
  const auto model = load<D>(trained, pair);
  const mno::Normaliser& normaliser = model->normaliser();
  std::string key = data.pairs.at(pair).key + (place.time ? mno::Text(" t=", *place.time).str() : "");
  for (const auto* numbers : {&normaliser.shift, &normaliser.scale})
    for (const double number : *numbers) key += " " + mno::io::detail::number(number);
  {
    const std::lock_guard lock(mutex_);
    if (const auto known = floors_.find(key); known != floors_.end()) return known->second;
  }
  const mno::Grid<D> grid = grid_of(data, model->domain());
  metric::Scorecard<D> exact_card(grid, data.members, {.floors = false});
  metric::PairedFloor<D> paired(grid, data.members);
  bool exact = false, further = false;
  const auto file = program::open_ensembles(data.pairs[pair].path);
  program::for_each_prediction<D>(
      *model, *file, {.time = place.time, .points = data.points, .members = data.members, .draws = 2},
      [&](const Prediction<D>& p) {
        if (const auto law = exact_law_of<D>(data, pair, p.sample, double(p.time), normaliser)) {
          exact = true;
          exact_card.add(*law, 0, draws_of(*law, data.members, pair, p.sample), p.members);
        } else if (p.further.cols() >= p.members.cols()) {
          further = true;
          paired.add(p.further, p.members);
        }
      });
  std::map<std::string, double> result;
  for (const metric::ScoreRow& row : exact     ? exact_card.rows()
                                     : further ? paired.rows()
                                               : std::vector<metric::ScoreRow>())
    if (!row.level) result[row.metric] = row.value;
  const std::lock_guard lock(mutex_);
  return floors_[key] = result;
}

std::vector<Row> Study::table(const Place& place, const std::string& method,
                              const std::vector<std::vector<Row>>& pairs) {
  std::vector<Row> rows = program::over_runs(pairs);
  for (Row& row : rows) row.at.insert(place.at.begin(), place.at.end());
  program::name_rows(rows, place.table, place.benchmark, method, place.paper_method);
  record_.rows.insert(record_.rows.end(), rows.begin(), rows.end());
  return rows;
}

std::vector<Row> Study::table(const Place& place, const Trained& trained, const Data& data) {
  std::vector<std::vector<Row>> pairs(trained.models.size());
  program::in_dimension(program::choose(trained.shape), [&]<int D>(const program::OperatorIn<D>&) {
    for_each_pair(trained, [&](std::size_t pair) { pairs[pair] = score<D>(place, trained, pair, data); });
  });
  remember(place, trained, data);
  return table(place, trained.method, pairs);
}

void Study::tables(const Place& place, const std::vector<Trained>& all, const Data& data) {
  for (const Trained& one : all) {
    Place own = place;
    if (one.spread != Spread::own)
      own.paper_method = one.method;  // the paper has no controls
    else if (own.paper_method.empty() && one.method.starts_with("mno"))
      own.paper_method = "mno";
    table(own, one, data);
  }
}

/// Steps of the run that gave a model its weights, from what its file says of its training.
static double steps_of(const std::filesystem::path& model) {
  const mno::io::SafetensorsReader file(model);
  const auto said = file.metadata().find("training");
  double epochs = 0, batch = 1, samples = 0;
  std::istringstream words(said == file.metadata().end() ? "" : said->second);
  for (std::string word; words >> word;)
    for (const auto& [name, number] :
         {std::pair{"epochs=", &epochs}, std::pair{"batch=", &batch}, std::pair{"samples=", &samples}})
      if (word.starts_with(name)) *number = std::stod(word.substr(std::string_view(name).size()));
  return epochs * std::ceil(samples / batch);
}

void Study::lengths(Place place, const std::vector<Trained>& all) {
  place.table += "-training";
  place.paper_method = "none";
  for (const Trained& one : all) {
    std::vector<std::vector<Row>> pairs;
    for (const auto& model : one.models)
      pairs.push_back({{.metric = "steps", .value = steps_of(model)},
                       {.metric = "training_seconds", .value = seconds_of(model)}});
    table(place, one.method, pairs);
  }
}

/// How the rows came about.
void Study::remember(const Place& place, const Trained& trained, const Data& data) {
  mno::report::Method method{place.table, place.benchmark,      trained.method,
                             place.at,    trained.shape.list(), trained.recipe};
  for (std::size_t pair = 0; pair < trained.models.size(); ++pair) {
    const mno::io::SafetensorsReader file(trained.models[pair]);
    const auto training = file.metadata().find("training");
    method.runs.push_back(
        {int(data.pairs[pair].seed), int(pair + 1), trained.models[pair].filename().string(),
         data.pairs[pair].path.filename().string(), training == file.metadata().end() ? "" : training->second,
         seconds_of(trained.models[pair])});
  }
  record_.methods->push_back(std::move(method));
}

void Study::again(std::vector<Row> rows, const Place& place, const std::string& without) {
  for (Row& row : rows) {
    row.at.erase(without);
    row.paper.reset();
  }
  program::name_rows(rows, place.table, place.benchmark, rows.front().method, place.paper_method);
  record_.rows.insert(record_.rows.end(), rows.begin(), rows.end());
}

void Study::show(const Trained& trained, const Data& data) {
  program::EvaluateRequest request;
  request.model = trained.models.at(0);
  request.selection = {.points = data.points, .members = data.members};
  request.seed = 1;
  request.metrics = {"crps"};
  request.floors = false;
  const auto file = program::open_ensembles(data.pairs.at(0).path);
  const auto seen = program::evaluate(*file, request);
  record_.verdict = seen.verdict;
  if (record_.verdict)
    record_.verdict->sentence =
        trained.method + (trained.models.size() > 1 ? ", first pair: " : ": ") + record_.verdict->sentence;
  record_.conditions = seen.conditions;
  record_.examples = seen.examples;
  record_.images = seen.images;
  record_.calibration = seen.calibration;
  record_.pit = seen.pit;
  record_.spectra = seen.spectra;
  record_.curves = program::curves_of(request.model);
  record_.settings = program::settings_of(request.model);
}

}  // namespace experiment
