// Every metric of a model on a file of ensembles, and what there is to look at.
#include "evaluation.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <mno/io/zip/npz.hpp>
#include <mno/law/sample.hpp>
#include <mno/metric/scorecard.hpp>
#include <mno/metric/spectrum.hpp>
#include <mno/simulate/simulate.hpp>

namespace program {

namespace io = mno::io;
namespace metric = mno::metric;
using mno::Index;

namespace {

std::vector<double> calibration_levels() {
  std::vector<double> levels;
  for (int i = 1; i < 20; ++i) levels.push_back(0.05 * i);
  return levels;
}

/// One condition, normalised, and how to go back.
template <int D> struct Seen {
  const mno::Normaliser& normaliser;
  const mno::Grid<D>& grid;
  const mno::Field<float, D>& initial;
  Index channels;
  const mno::metric::Moments &model, &truth;
  const mno::metric::Members &draws, &members;

  /// Channel c of a flattened field, in the coordinates of the data.
  template <class V> mno::report::Numbers channel(const V& field, Index c) const {
    mno::report::Numbers values;
    for (Index x = 0; x < grid.size(); ++x)
      values.push_back(double(field[x * channels + c]) * scale(c) + normaliser.shift[std::size_t(c)]);
    return values;
  }
  mno::report::Numbers deviation(const mno::metric::Moments& moments, Index c) const {
    mno::report::Numbers values;
    for (Index x = 0; x < grid.size(); ++x)
      values.push_back(std::sqrt(moments.variance[x * channels + c]) * scale(c));
    return values;
  }
  double scale(Index c) const { return normaliser.scale[std::size_t(c)]; }
  std::string named(const std::string& title, Index c) const {
    return channels == 1 ? title : title + ", channel " + std::to_string(c);
  }
};

void add_examples(std::vector<mno::report::Example>& examples, const std::string& title,
                  const Seen<1>& seen) {
  constexpr Index most = 12;
  for (Index c = 0; c < seen.channels; ++c) {
    mno::report::Example e;
    e.title = seen.named(title, c);
    const Index points = seen.grid.points[0];
    for (Index x = 0; x < points; ++x) e.x.push_back(seen.grid.domain.length[0] * double(x) / double(points));
    e.initial = seen.channel(seen.initial.data(), c);
    e.mean = seen.channel(seen.model.mean, c);
    e.deviation = seen.deviation(seen.model, c);
    e.truth_mean = seen.channel(seen.truth.mean, c);
    e.truth_deviation = seen.deviation(seen.truth, c);
    for (Index j = 0; j < std::min(most, seen.draws.cols()); ++j)
      e.draws.push_back(seen.channel(seen.draws.col(j), c));
    for (Index j = 0; j < std::min(most, seen.members.cols()); ++j)
      e.members.push_back(seen.channel(seen.members.col(j), c));
    e.marginal_point = int(points / 2);
    for (Index j = 0; j < seen.members.cols(); ++j)
      e.marginal_members.push_back(seen.members(points / 2 * seen.channels + c, j) * seen.scale(c) +
                                   seen.normaliser.shift[std::size_t(c)]);
    examples.push_back(std::move(e));
  }
}

/// Fields as images: rows are the first axis.
void add_images(std::vector<mno::report::Image>& images, const std::string& title, const Seen<2>& seen) {
  const auto add = [&](const char* what, mno::report::Numbers values, Index c) {
    images.push_back({seen.named(title, c) + ": " + what, int(seen.grid.points[1]), int(seen.grid.points[0]),
                      std::move(values)});
  };
  for (Index c = 0; c < seen.channels; ++c) {
    add("initial field", seen.channel(seen.initial.data(), c), c);
    add("predicted mean", seen.channel(seen.model.mean, c), c);
    add("ensemble mean", seen.channel(seen.truth.mean, c), c);
    add("predicted deviation", seen.deviation(seen.model, c), c);
    add("ensemble deviation", seen.deviation(seen.truth, c), c);
    add("a draw of the prediction", seen.channel(seen.draws.col(0), c), c);
    add("a member of the ensemble", seen.channel(seen.members.col(0), c), c);
  }
}

/// What the law and the ensemble say at every condition, in the coordinates of the data.
template <int D> struct Moments {
  using Field = mno::Field<float, D>;
  Field initial, mean, variance, ensemble_mean, ensemble_variance;
  std::vector<double> times;

  Moments(Index samples, const mno::Grid<D>& grid, Index channels) : times(std::size_t(samples)) {
    if (samples == 0) return;
    for (Field* field : {&initial, &mean, &variance, &ensemble_mean, &ensemble_variance})
      *field = Field(samples, grid, channels);
  }
  void put(Index sample, const mno::Normaliser& normaliser, const Field& u0, float time,
           const mno::metric::Moments& model, const mno::metric::Moments& truth) {
    times[std::size_t(sample)] = double(time);
    for (Index i = 0; i < model.size(); ++i) {
      const auto c = std::size_t(i % mean.channels());
      const double shift = normaliser.shift[c], scale = normaliser.scale[c];
      const Index at = sample * model.size() + i;
      initial.data()[at] = float(double(u0.data()[i]) * scale + shift);
      mean.data()[at] = float(model.mean[i] * scale + shift);
      variance.data()[at] = float(model.variance[i] * scale * scale);
      ensemble_mean.data()[at] = float(truth.mean[i] * scale + shift);
      ensemble_variance.data()[at] = float(truth.variance[i] * scale * scale);
    }
  }
  void write(const std::filesystem::path& path) const {
    io::NpzWriter file(path, io::Compression::none, io::Keep::nothing);
    const auto put_field = [&](const char* name, const Field& field) {
      io::Extents shape{field.batch(), field.channels()};
      shape.insert(shape.end(), field.grid().points.begin(), field.grid().points.end());
      file.write(name, io::Array::of(shape, mno::to_channel_first<float, D>(field.view())));
    };
    put_field("u0", initial);
    put_field("mean", mean);
    put_field("variance", variance);
    put_field("ensemble_mean", ensemble_mean);
    put_field("ensemble_variance", ensemble_variance);
    file.write("t", io::Array::of({Index(times.size())}, times));
    const auto& [length, bounded] = mean.grid().domain;
    file.write("length", io::Array::of({Index(D)}, std::vector<double>(length.begin(), length.end())));
    file.write("bounded",
               io::Array::of({Index(D)}, std::vector<std::int32_t>(bounded.begin(), bounded.end())));
    file.commit();
  }
};

/// Of the members of one condition; a single draw is seen as a point mass.
metric::Moments moments_of(const metric::Members& members) {
  return members.cols() > 1 ? metric::moments(members) : metric::point_mass(members.col(0));
}

template <int D>
Evaluation evaluate_in(const OperatorIn<D>& one, io::EnsembleReader& file, const EvaluateRequest& request) {
  const auto loaded = one.load(request.model, request.threads);
  mno::Grid<D> grid = file.grid<D>();
  if constexpr (D == 1)
    if (request.selection.points > 0) grid.points[0] = request.selection.points;
  const Index channels = file.channels(), draws = draws_of(file, request);

  metric::Scorecard<D> card(
      grid, file.least_members(),
      {.metrics = request.metrics, .floors = request.floors, .draws = draws, .seed = request.seed});
  metric::Coverage curve(calibration_levels());
  metric::MomentSpectra<D> spectra(grid, channels), true_spectra(grid, channels);
  const bool pictures = loaded->warp().identity();  // those of a warped law would need quantiles
  const bool keep = !request.fields.empty(), stochastic = loaded->stochastic(),
             curves = request.examples > 0 && pictures, several = file.least_members() > 1;
  if (keep && !pictures)
    io::refuse(request.model.string(),
               "expected a model without a warp, to write moments and pictures, found ",
               loaded->warp().text());
  Moments<D> own(keep ? file.samples() : 0, grid, channels);
  Evaluation result;
  // Conditions to look at: the first, and others at equal distances.
  const Index looked_at = std::min(request.examples, file.samples());
  const auto to_look_at = [&](Index sample) {
    for (Index i = 0; i < looked_at; ++i)
      if (sample == i * file.samples() / looked_at) return true;
    return false;
  };

  for_each_prediction<D>(*loaded, file, request.selection, [&](const Prediction<D>& p) {
    metric::Members drawn;
    if (card.wants_draws() || curves)  // a point mass needs one draw
      drawn = metric::members(
          mno::sample(p.law, stochastic ? draws : 1, (request.seed << 32) + std::uint64_t(p.sample)));
    if (stochastic)
      card.add(p.law, 0, drawn, p.members);
    else
      card.add(p.law.mean, 0, p.members);
    if (!curves && !keep) return;
    const metric::Moments model = metric::moments(p.law, 0), ensemble = moments_of(p.members);
    if (curves && several) {
      spectra.add(model);
      true_spectra.add(ensemble);
    }
    if (curves && stochastic) curve.add(model, p.members);
    if (keep) own.put(p.sample, loaded->normaliser(), p.initial, p.time, model, ensemble);
    if (curves && to_look_at(p.sample)) {
      const Seen<D> seen{loaded->normaliser(), grid, p.initial, channels, model, ensemble, drawn, p.members};
      const std::string title = mno::Text("Condition ", p.sample, " at t = ", p.time).str();
      if constexpr (D == 1) add_examples(result.examples, title, seen);
      if constexpr (D == 2) add_images(result.images, title, seen);
    }
  });
  if (several && !card.spread())
    io::refuse(file.name(), "expected members that differ, found zero variance in every sample");
  if (keep) own.write(request.fields);

  for (const metric::ScoreRow& row : card.rows()) {
    result.rows.push_back({.metric = row.metric, .value = row.value, .floor = row.floor});
    if (row.level) result.rows.back().at = {{"level", *row.level}};
  }
  if (curves && stochastic) result.calibration = {curve.levels(), curve.value()};
  if (curves && several) {
    result.spectra = {{}, spectra.mean(), true_spectra.mean(), spectra.variance(), true_spectra.variance()};
    for (std::size_t k = 0; k < result.spectra.mean.size(); ++k)
      result.spectra.wavenumber.push_back(double(k));
  }
  return result;
}

}  // namespace

template <int D>
void for_each_prediction(const Predictor<D>& model, io::EnsembleReader& file, const Selection& selection,
                         const std::function<void(const Prediction<D>&)>& sink) {
  using Field = mno::Field<float, D>;
  const Field known = file.known<float, D>();
  file.for_each<float, D>([&](Index sample, Field& initial, float time, Field& members) {
    if (selection.time && std::abs(double(time) - *selection.time) > 1e-6) return;
    if constexpr (D == 1)
      if (selection.points > 0 && selection.points != initial.points()) {
        Field coarse = mno::subsample(members, selection.points),
              start = mno::subsample(initial, selection.points);
        model.to_own_coordinates(start);
        model.to_own_coordinates(coarse);
        const mno::Condition<float, D> condition{std::as_const(start).view(), {&time, 1}};
        sink({sample, time, start, model.own_law(condition), metric::members(coarse)});
        return;
      }
    model.to_own_coordinates(initial);
    model.to_own_coordinates(members);
    mno::Condition<float, D> condition{std::as_const(initial).view(), {&time, 1}};
    if (known.size() > 0)
      condition.known = known.batch() == 1 ? known.view() : known.view().samples(sample, 1);
    sink({sample, time, initial, model.own_law(condition), metric::members(members)});
  });
}

template void for_each_prediction<1>(const Predictor<1>&, io::EnsembleReader&, const Selection&,
                                     const std::function<void(const Prediction<1>&)>&);

Index draws_of(const io::EnsembleReader& file, const EvaluateRequest& request) {
  return metric::ScorecardOptions{.draws = request.draws}.draws_for(file.least_members(),
                                                                    file.most_members());
}

Evaluation evaluate(io::EnsembleReader& file, const EvaluateRequest& request) {
  return in_dimension(of_model(request.model),
                      [&](const auto& one) { return evaluate_in(one, file, request); });
}

Cost cost(const Predictor<1>& model, io::EnsembleReader& file, Index draws) {
  using Clock = std::chrono::steady_clock;
  const auto seconds = [](Clock::time_point since) {
    return std::chrono::duration<double>(Clock::now() - since).count();
  };
  std::vector<double> laws, all;
  Cost result;
  file.for_each<float, 1>([&](Index sample, mno::Field<float, 1>& initial, float time,
                              mno::Field<float, 1>&) {
    model.to_own_coordinates(initial);
    const mno::Condition<float, 1> condition{std::as_const(initial).view(), {&time, 1}};
    const auto begin = Clock::now();
    const auto law = model.own_law(condition);
    laws.push_back(seconds(begin));
    const auto drawn = mno::sample(law, draws, std::uint64_t(sample));
    all.push_back(seconds(begin));
    result.law_bytes = double(law.mean.size() + law.factor.size()) * sizeof(float);
    result.peak_bytes = result.law_bytes + double(law.mean.size()) * sizeof(float) + double(model.memory());
  });
  // The median: the first call prepares, and others may be disturbed.
  const auto median = [](std::vector<double> values) {
    std::nth_element(values.begin(), values.begin() + Index(values.size() / 2), values.end());
    return values[values.size() / 2];
  };
  result.law_seconds = median(laws);
  result.draw_seconds = median(all) / double(draws);
  return result;
}

}  // namespace program
