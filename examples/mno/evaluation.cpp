// Every metric of a model on a file of ensembles, and pictures of some conditions.
#include "evaluation.hpp"

#include <algorithm>
#include <bit>
#include <chrono>
#include <cmath>
#include <map>
#include <mno/data/fingerprint.hpp>
#include <mno/io/safetensors/references.hpp>
#include <mno/io/zip/npz.hpp>
#include <mno/law/empirical.hpp>
#include <mno/law/sample.hpp>
#include <mno/metric/scorecard.hpp>
#include <mno/metric/spectrum.hpp>
#include <mno/simulate/simulate.hpp>

#include "conditions.hpp"
#include "pictures.hpp"
#include "reference_cards.hpp"

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

/// One sample of a file whose known fields, if there are any, are these; its arguments must outlive it.
template <int D>
mno::Condition<float, D> condition_of(const mno::Field<float, D>& initial, const float& time,
                                      const mno::Field<float, D>& known, Index sample) {
  mno::Condition<float, D> condition{initial.view(), {&time, 1}};
  if (known.size() > 0) condition.known = known.batch() == 1 ? known.view() : known.view().samples(sample, 1);
  return condition;
}

/// Of the members of one condition; a single draw is seen as a point mass.
metric::Moments moments_of(const metric::Members& members) {
  return members.cols() > 1 ? metric::moments(members) : metric::point_mass(members.col(0));
}

/// The conditions to show, a typical one and the worst, with their titles.
std::vector<std::pair<Index, std::string>> to_look_at(const mno::report::Conditions& conditions,
                                                      Index worst) {
  const auto order = mno::report::worst_first(conditions);
  std::vector<std::pair<Index, std::string>> chosen;
  const auto choose = [&](std::size_t place, const std::string& what) {
    const auto& one = conditions.all[order[place]];
    if (std::ranges::any_of(chosen, [&](const auto& other) { return other.first == one.sample; })) return;
    chosen.emplace_back(one.sample,
                        mno::Text(what, ": condition ", one.sample, " at t = ", float(one.time), ", ",
                                  conditions.metrics[0], " ", mno::report::shown(one.scores[0], 3))
                            .str());
  };
  choose(order.size() / 2, "A typical one");
  for (std::size_t i = 0; i < std::min(order.size(), std::size_t(worst)); ++i)
    choose(i, i == 0 ? "The worst" : "Number " + std::to_string(i + 1) + " of the worst");
  return chosen;
}

template <int D>
Evaluation evaluate_in(const OperatorIn<D>& one, io::EnsembleReader& file, const EvaluateRequest& request) {
  const auto loaded = one.load(request.model, request.threads);
  mno::Grid<D> grid = file.grid<D>();
  if (request.selection.points > 0) grid.points.fill(request.selection.points);
  const Index channels = file.channels(), draws = draws_of(file, request),
              least = request.selection.members > 0
                          ? std::min(request.selection.members, file.least_members())
                          : file.least_members();

  metric::Scorecard<D> card(
      grid, least,
      {.metrics = request.metrics, .floors = request.floors, .draws = draws, .seed = request.seed});
  metric::Coverage curve(calibration_levels());
  metric::SampleCoverage curve_of_draws(calibration_levels());
  metric::Pit pit;
  metric::MomentSpectra<D> spectra(grid, channels), true_spectra(grid, channels);
  const bool pictures = loaded->warp().identity();  // pictures of a warped law would need quantiles
  const bool keep = !request.fields.empty(), by_draws = loaded->gives_draws(),
             stochastic = loaded->stochastic() || by_draws, look = request.examples > 0 && card.wants("crps"),
             curves = look && pictures, several = least > 1;
  if (keep && !pictures)
    io::refuse(request.model.string(),
               "expected a model without a warp, to write moments and pictures, found ",
               loaded->warp().text());
  Moments<D> own(keep ? file.samples() : 0, grid, channels);
  std::optional<ReferenceCards<D>> references;
  if (auto known =
          io::read_references<float, D>(io::SafetensorsReader(request.model), channels, loaded->domain());
      known && look)
    references.emplace(std::move(*known), grid, least, request.metrics);
  ConditionCard<D> conditions(grid, channels, least >= mno::least_ensemble, stochastic);
  mno::Fingerprint content;
  int count = 0;
  Selection selection = request.selection;
  selection.draws = draws;
  selection.seed = request.seed;
  const auto draws_from = [&](const Prediction<D>& p) {  // a point mass needs one
    if (by_draws) return p.draws;
    return metric::members(
        mno::sample(p.law, stochastic ? draws : 1, (request.seed << 32) + std::uint64_t(p.sample)));
  };

  for_each_prediction<D>(*loaded, file, selection, [&](const Prediction<D>& p) {
    content.add(std::span<const std::uint64_t>(&p.content, 1));
    ++count;
    if (by_draws && loaded->gives_law())
      card.add_draws(p.law, 0, p.draws, p.members);
    else if (by_draws)
      card.add(p.draws, p.members);
    else if (stochastic)
      card.add(p.law, 0, card.wants_draws() ? draws_from(p) : metric::Members(), p.members);
    else
      card.add(p.law.mean, 0, p.members);
    if (references) references->add(p);
    if (look)
      conditions.add(p.sample, p.origin, double(p.time), p.law, p.draws, p.members,
                     card.crps_per_condition().back());
    if (!curves && !keep) return;
    const metric::Moments model = metric::moments(p.law, 0), ensemble = moments_of(p.members);
    if (curves && several) {
      spectra.add(model);
      true_spectra.add(ensemble);
    }
    if (curves && by_draws) {
      curve_of_draws.add(p.draws, p.members);
    } else if (curves && stochastic) {
      curve.add(p.law, 0, p.members);
      pit.add(p.law, 0, p.members);
    }
    if (keep) own.put(p.sample, loaded->normaliser(), p.initial, p.time, model, ensemble);
  });
  if (several && !card.spread())
    io::refuse(file.name(), "expected members that differ, found zero variance in every sample");
  if (keep) own.write(request.fields);

  Evaluation result;
  result.rows = rows_of(card.rows());
  result.data = {.content = content.str(),
                 .members = members_text(file),
                 .conditions = count,
                 .scale = loaded->normaliser().scale};
  if (references) {
    references->put(result);
    result.verdict = references->verdict(card, conditions.origins());
  }
  if (curves && by_draws) {
    for (const auto& [level, inside] : curve_of_draws.value()) {
      result.calibration.nominal.push_back(level);
      result.calibration.covered.push_back(inside);
    }
  } else if (curves && stochastic) {
    result.calibration = {curve.levels(), curve.value()};
    result.pit = {pit.histogram()};
  }
  if (curves && several) {
    result.spectra = {{}, spectra.mean(), true_spectra.mean(), spectra.variance(), true_spectra.variance()};
    for (std::size_t k = 0; k < result.spectra.mean.size(); ++k)
      result.spectra.wavenumber.push_back(double(k));
  }
  if (!look) return result;
  result.conditions = conditions.value();
  if (!pictures) return result;

  const auto titles = to_look_at(*result.conditions, request.examples);
  Selection chosen = selection;
  for (const auto& [sample, title] : titles) chosen.samples.push_back(sample);
  std::map<Index, Evaluation> pictures_of;  // in the order of the file
  for_each_prediction<D>(*loaded, file, chosen, [&](const Prediction<D>& p) {
    const metric::Members drawn = draws_from(p);
    const metric::Moments model = metric::moments(p.law, 0);
    const Seen<D> seen{loaded->normaliser(), grid, p.initial, channels, stochastic, model, drawn, p.members};
    const std::string& title =
        std::ranges::find(titles, p.sample, &std::pair<Index, std::string>::first)->second;
    if constexpr (D == 1) add_pictures(pictures_of[p.sample].examples, title, seen);
    if constexpr (D == 2) add_pictures(pictures_of[p.sample].images, title, seen);
  });
  for (const auto& [sample, title] : titles) {  // the typical one first, then the worst
    const Evaluation& one = pictures_of[sample];
    result.examples.insert(result.examples.end(), one.examples.begin(), one.examples.end());
    result.images.insert(result.images.end(), one.images.begin(), one.images.end());
  }
  return result;
}

}  // namespace

template <int D>
void for_each_prediction(const Predictor<D>& model, io::EnsembleReader& file, const Selection& selection,
                         const std::function<void(const Prediction<D>&)>& sink) {
  using Field = mno::Field<float, D>;
  const auto asked = [&](const Field& whole) {  // on the points of the selection
    const bool all = selection.points == 0 ||
                     std::ranges::all_of(whole.grid().points, [&](Index n) { return n == selection.points; });
    return all ? whole : mno::subsample(whole, selection.points);
  };
  Field known = file.known<float, D>();
  if (known.size() > 0) known = asked(known);
  const auto predict = [&](mno::Condition<float, D> condition, Index sample, const Field& initial,
                           const metric::Members& members, const metric::Members& further,
                           std::uint64_t origin, std::uint64_t content) {
    const float time = condition.times[0];
    if (!model.gives_draws()) {
      sink({sample, time, initial, model.own_law(condition), {}, members, further, origin, content});
      return;
    }
    condition.draws = selection.draws;
    condition.noise = (selection.seed << 32) + std::uint64_t(sample);
    const Field draws = model.own_draws(condition);
    condition.draws = 1;
    sink({sample, time, initial,
          model.gives_law()
              ? model.own_law(condition)
              : mno::with_residual(mno::empirical_law(draws, selection.draws), mno::AnyResidual()),
          metric::members(draws), members, further, origin, content});
  };
  file.for_each<float, D>([&](Index sample, Field& whole_initial, float time, Field& whole_members) {
    if (selection.time && std::abs(double(time) - *selection.time) > 1e-6) return;
    if (!selection.samples.empty() && std::ranges::find(selection.samples, sample) == selection.samples.end())
      return;
    mno::Fingerprint of_content;
    of_content.add(std::as_const(whole_initial).span());
    const auto group = file.group(sample);
    const std::uint64_t origin = group ? std::bit_cast<std::uint64_t>(*group) : of_content.value();
    of_content.add(std::as_const(whole_members).span());
    of_content.add(std::span<const float>(&time, 1));
    Field initial = asked(whole_initial), members = asked(whole_members);
    model.to_own_coordinates(initial);
    model.to_own_coordinates(members);
    const mno::Condition<float, D> condition = condition_of<D>(initial, time, known, sample);
    metric::Members own = metric::members(members), further;
    if (const Index kept = selection.members; kept > 0 && kept < own.cols()) {
      further = own.rightCols(own.cols() - kept);
      own = own.leftCols(kept).eval();
    }
    predict(condition, sample, initial, own, further, origin, of_content.value());
  });
}

std::string members_text(const io::EnsembleReader& file) {
  const Index least = file.least_members(), most = file.most_members();
  return least < most ? mno::Text(least, " to ", most, " members each").str()
         : most == 1  ? "one draw each"
                      : mno::Text(most, " members each").str();
}

Index draws_of(const io::EnsembleReader& file, const EvaluateRequest& request) {
  const auto seen = [&](Index members) {
    return request.selection.members > 0 ? std::min(request.selection.members, members) : members;
  };
  return metric::ScorecardOptions{.draws = request.draws}.draws_for(seen(file.least_members()),
                                                                    seen(file.most_members()));
}

Evaluation evaluate(io::EnsembleReader& file, const EvaluateRequest& request) {
  return in_dimension(of_model(request.model),
                      [&](const auto& one) { return evaluate_in(one, file, request); });
}

template <int D> Cost cost(const Predictor<D>& model, io::EnsembleReader& file, Index draws) {
  using Clock = std::chrono::steady_clock;
  const auto seconds = [](Clock::time_point since) {
    return std::chrono::duration<double>(Clock::now() - since).count();
  };
  std::vector<double> laws, all;
  Cost result;
  const mno::Field<float, D> known = file.known<float, D>();
  file.for_each<float, D>([&](Index sample, mno::Field<float, D>& initial, float time,
                              mno::Field<float, D>&) {
    model.to_own_coordinates(initial);
    const auto condition = condition_of<D>(initial, time, known, sample);
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

template <int D>
std::vector<Times> times(const std::vector<std::unique_ptr<Predictor<D>>>& models, io::EnsembleReader& file,
                         Index draws) {
  constexpr Index turns = 25;
  using Clock = std::chrono::steady_clock;
  const auto ask = [&](const Predictor<D>& model, mno::Condition<float, D> condition) {
    if (draws > 0 ? !model.gives_draws() : model.gives_law()) {
      const auto law = model.own_law(condition);
      return double(draws > 0 ? mno::sample(law, draws, 1).data()[0] : mno::variance(law).data()[0]);
    }
    condition.draws = draws > 0 ? draws : 100;
    const mno::Field<float, D> drawn = model.own_draws(condition);
    return draws > 0 ? double(drawn.data()[0]) : metric::moments(metric::members(drawn)).variance[0];
  };
  std::vector<std::vector<double>> seconds(models.size());
  const mno::Field<float, D> known = file.known<float, D>();
  file.for_each<float, D>([&](Index sample, mno::Field<float, D>& initial, float time,
                              mno::Field<float, D>&) {
    if (sample >= turns) return;
    for (std::size_t m = 0; m < models.size(); ++m) {
      mno::Field<float, D> own = initial;
      models[m]->to_own_coordinates(own);
      const auto condition = condition_of<D>(own, time, known, sample);
      if (sample == 0) ask(*models[m], condition);  // the first call prepares
      const auto begin = Clock::now();
      const double seen = ask(*models[m], condition);
      seconds[m].push_back(std::chrono::duration<double>(Clock::now() - begin).count());
      mno::require(std::isfinite(seen), "times", "model", mno::Text("finite predictions"), mno::Text(seen));
    }
  });
  std::vector<Times> result;
  for (std::vector<double>& all : seconds) {
    std::ranges::sort(all);
    const auto at = [&](double share) { return all[std::size_t(share * double(all.size() - 1))]; };
    result.push_back({at(0.5), at(0.25), at(0.75)});
  }
  return result;
}

// What the experiments ask for.
#define MNO_INSTANTIATE(D)                                                                         \
  template void for_each_prediction<D>(const Predictor<D>&, io::EnsembleReader&, const Selection&, \
                                       const std::function<void(const Prediction<D>&)>&);          \
  template Cost cost<D>(const Predictor<D>&, io::EnsembleReader&, Index);                          \
  template std::vector<Times> times<D>(const std::vector<std::unique_ptr<Predictor<D>>>&,          \
                                       io::EnsembleReader&, Index);
MNO_INSTANTIATE(1)
MNO_INSTANTIATE(2)
MNO_INSTANTIATE(3)
#undef MNO_INSTANTIATE

}  // namespace program
