#pragma once
// The commands for one shape. Everything that depends on a shape at compile time is here.
#include <chrono>
#include <cmath>
#include <mno/data/split.hpp>
#include <mno/io/npz.hpp>
#include <mno/law/sample.hpp>
#include <mno/metric/covariance_error.hpp>
#include <mno/metric/coverage.hpp>
#include <mno/metric/crps.hpp>
#include <mno/metric/energy_score.hpp>
#include <mno/metric/floor.hpp>
#include <mno/metric/spectrum.hpp>
#include <mno/train/checkpoint.hpp>

#include "operator.hpp"

namespace program {

using mno::Index;
namespace io = mno::io;

/// FNV-1a: tells whether a resumed run has the data that it began with.
class Fingerprint {
 public:
  template <class T> void add(std::span<const T> values) {
    for (const std::byte b : std::as_bytes(values)) state_ = (state_ ^ std::uint64_t(b)) * 0x100000001B3;
  }
  std::string str() const { return std::to_string(state_); }

 private:
  std::uint64_t state_ = 0xCBF29CE484222325;
};

template <class S> class OperatorOf final : public Operator {
  using M = mno::Mno<S>;
  static constexpr int D = S::dimension;
  using Field = mno::Field<float, D>;
  using Data = mno::Ensemble<float, D>;

 public:
  ShapeNumbers shape() const override {
    return {S::dimension, S::channels, S::rank, S::width, S::modes, S::depth, mno::known_fields<S>()};
  }
  std::string shape_text() const override { return io::shape_text<S>(); }

  TrainResult train(io::EnsembleReader& file, const TrainRequest& request) const override {
    const mno::TrainingOptions& options = request.options;
    Data train = file.read<float, D>({.keep = needed(options.recipe, file.members())}), validation;
    Fingerprint fingerprint;
    for (const Field* field : {&train.initial, &train.mean, &train.variance, &train.known})
      fingerprint.add(field->span());
    fingerprint.add(std::span<const float>(train.times));
    const mno::Split split = mno::split_by_origin(train.origins, request.validation, 0, options.seed);
    if (!split.validation.empty()) {
      validation = mno::take(train, split.validation);
      train = mno::take(train, split.train);
    }
    const mno::Normaliser normaliser = mno::Normaliser::fit(train);
    normaliser.apply(train);
    normaliser.apply(validation);

    M model(options.seed, train.grid().domain);
    if (request.recipe == "decoupled")
      model.set_factor_scale(float(4 * std::sqrt(mno::mean_variance(train))));
    if (train.known.batch() == 1) model.store_known_fields(train.known);
    mno::Cpu device(request.threads);
    mno::Trainer<M> trainer(model, train, split.validation.empty() ? nullptr : &validation, options, device);
    io::Metadata about{{"data", fingerprint.str()},
                       {"data.samples", std::to_string(train.size()) + " train, " +
                                            std::to_string(validation.size()) + " validation"},
                       {"recipe", request.recipe}};
    std::string last_good = "No checkpoint was written before it.";
    const auto remember = [&] {
      last_good = "The last good checkpoint is '" + request.checkpoint.string() + "', of epoch " +
                  std::to_string(trainer.epoch()) + ".";
    };
    if (request.resume) {
      const io::SafetensorsReader checkpoint(request.checkpoint);
      if (io::wanted(checkpoint.name(), checkpoint.metadata(), "data") != about["data"])
        io::refuse(checkpoint.name(), "expected a run on the data of ", file.name(),
                   ", found one on other data or with another split");
      mno::read_checkpoint(request.checkpoint, model, trainer);
      remember();
    }

    TrainResult result{false, trainer.epoch(), train.size(), validation.size(), M::parameters, {}};
    auto written = std::chrono::steady_clock::now();
    while (!trainer.finished()) {
      mno::EpochReport report;
      try {
        report = trainer.run_epoch(request.interrupted);
      } catch (const mno::NonFiniteLoss& error) {
        throw mno::NonFiniteLoss(error.what() + (" " + last_good));
      }
      request.report(report);
      result.epochs = report.epoch;
      result.interrupted = !report.finished || (request.interrupted() && !trainer.finished());
      const auto now = std::chrono::steady_clock::now();
      const bool due = std::chrono::duration<double>(now - written).count() >= request.checkpoint_seconds;
      // Weights that give no numbers on validation are nothing to go back to.
      const bool good = !report.validation || std::isfinite(report.validation->w2g);
      if (result.interrupted || (due && good && !trainer.finished())) {
        mno::write_checkpoint(request.checkpoint, model, normaliser, trainer, about);
        written = std::chrono::steady_clock::now();
        remember();
      }
      if (result.interrupted) return result;
    }
    trainer.take_best();
    about["training"] = mno::detail::training_text(options, train.size());
    if (validation.size() > 0) {
      result.scores = mno::score(model, validation, device);
      about["validation.mean_rmse"] = io::detail::number(result.scores->mean_rmse);
      about["validation.variance_rmse"] = io::detail::number(result.scores->variance_rmse);
      about["validation.w2g"] = io::detail::number(result.scores->w2g);
    }
    io::write_model(request.model, model, normaliser, about);
    return result;
  }

  void predict(const PredictRequest& request) const override {
    const auto loaded = io::read_model<M>(request.model);
    Field initial = field("input", *request.input, S::channels, loaded.model.domain());
    loaded.normaliser.apply(initial);
    const float time = float(request.time);
    mno::Condition<float, D> condition{std::as_const(initial).view(), {&time, 1}};
    Field known;
    if (request.fields) {
      known = field("fields", *request.fields, mno::known_fields<S>(), loaded.model.domain());
      condition.known = std::as_const(known).view();
    }
    mno::Cpu device(request.threads);
    mno::Law<float, D> law = mno::predict(loaded.model, condition, device);
    loaded.normaliser.undo(law);

    io::NpzWriter file(request.output);
    const auto write = [&](const char* name, const Field& what, io::Extents first) {
      const auto points = what.grid().points;
      first.insert(first.end(), points.begin(), points.end());
      const auto values = io::to_channel_first<float, D>(what.view());
      file.begin(name, {io::Type::f32, std::move(first)});
      file.append(std::span<const float>(values));
      file.end();
    };
    write("mean", law.mean, {law.batch(), S::channels});
    write("variance", mno::variance(law), {law.batch(), S::channels});
    write("factor", law.factor, {law.batch(), S::rank, S::channels});
    if (request.samples > 0)
      write("samples", mno::sample(law, request.samples, request.seed),
            {law.batch(), request.samples, S::channels});
    write_numbers(file, "t", {request.time});
    const auto& length = loaded.model.domain().length;
    write_numbers(file, "length", {length.begin(), length.end()});
    file.commit();
  }

  Evaluation evaluate(io::EnsembleReader& file, const EvaluateRequest& request) const override {
    namespace metric = mno::metric;
    if (file.members() < 4)
      io::refuse(file.name(), "expected at least four members per sample, for the floors, found ",
                 file.members());
    const auto loaded = io::read_model<M>(request.model);
    const mno::Grid<D> grid = file.grid<D>();
    const Field known = file.known<float, D>();
    mno::Cpu device(request.threads);
    const Index draws = request.draws > 0 ? request.draws : file.members();

    metric::MeanRmse mean;
    metric::VarianceRmse variance;
    metric::W2s w2s;
    metric::W2g w2g;
    metric::Crps crps;
    metric::EnergyScore energy(grid), energy_floor(grid);
    metric::CovarianceError covariance, covariance_floor;
    metric::Coverage<> coverage, curve(calibration_levels());
    metric::MomentSpectra<D> spectra(grid, S::channels), true_spectra(grid, S::channels);
    metric::ExactModelFloor exact;
    metric::EnsembleFloor halves;
    metric::SampleCrps crps_floor;
    bool spread = false;
    const bool keep = !request.fields.empty();
    Moments own(keep ? file.samples() : 0, grid);
    Evaluation result;
    // Conditions to look at: the first, and others at equal distances.
    const Index looked_at = std::min(request.examples, file.samples());
    const auto to_look_at = [&](Index sample) {
      for (Index i = 0; i < looked_at; ++i)
        if (sample == i * file.samples() / looked_at) return true;
      return false;
    };

    file.for_each<float, D>([&](Index sample, Field& initial, float time, Field& members) {
      loaded.normaliser.apply(initial);
      loaded.normaliser.apply(members);
      mno::Condition<float, D> condition{std::as_const(initial).view(), {&time, 1}};
      if (known.size() > 0)
        condition.known = known.batch() == 1 ? known.view() : known.view().samples(sample, 1);
      const mno::Law<float, D> law = mno::predict(loaded.model, condition, device);
      const metric::Members truth = metric::members(members);
      const metric::Members drawn =
          metric::members(mno::sample(law, draws, (request.seed << 32) + std::uint64_t(sample)));
      const metric::Moments model = metric::moments(law, 0), ensemble = metric::moments(truth);
      const Index half = truth.cols() / 2;
      const metric::Members first = truth.leftCols(half), second = truth.middleCols(half, half);
      mean.add(model, ensemble);
      variance.add(model, ensemble);
      w2g.add(model, ensemble);
      w2s.add(drawn, truth);
      crps.add(model, truth);
      coverage.add(model, truth);
      curve.add(model, truth);
      spectra.add(model);
      true_spectra.add(ensemble);
      energy.add(drawn, truth);
      exact.add(truth);
      halves.add(first, second);
      crps_floor.add(first, second);
      energy_floor.add(first, second);
      if (ensemble.variance.maxCoeff() > 0) {  // at t = 0 there is no covariance to compare with
        spread = true;
        covariance.add(mno::covariance(law, 0), truth);
        covariance_floor.add(first, second);
      }
      if (keep) own.put(sample, loaded.normaliser, initial, time, model, ensemble);
      if (to_look_at(sample)) {
        const Seen seen{loaded.normaliser, grid, initial, model, ensemble, drawn, truth};
        const std::string title = mno::text("Condition ", sample, " at t = ", time).str();
        if constexpr (D == 1) add_examples(result.examples, title, seen);
        if constexpr (D == 2) add_images(result.images, title, seen);
      }
    });
    if (!spread) io::refuse(file.name(), "expected members that differ, found zero variance in every sample");
    if (keep) own.write(request.fields);

    // Halves have M/2 members, so what falls like 1/√M comes out √2 times too large.
    const double to_all = 1 / std::sqrt(2.0);
    const auto row = [&](const char* name, double value, double floor,
                         std::map<std::string, double> at = {}) {
      result.rows.push_back({.metric = name, .value = value, .at = std::move(at), .floor = floor});
    };
    row("mean_rmse", mean.value(), exact.mean_rmse());
    row("var_rmse", variance.value(), exact.variance_rmse());
    row("w2s", w2s.value(), halves.w2s() * to_all);
    row("w2g", w2g.value(), exact.w2g());
    row("crps", crps.value(), crps_floor.value());
    row("energy_score", energy.value(), energy_floor.value());
    row("cov_frobenius_rel", covariance.value(), covariance_floor.value() / 2);
    const auto inside = coverage.value();
    for (std::size_t l = 0; l < inside.size(); ++l)  // what it should be is its level, which is no floor
      result.rows.push_back(
          {.metric = "coverage", .value = inside[l], .at = {{"level", coverage.levels()[l]}}});
    result.calibration = {curve.levels(), curve.value()};
    result.spectra = {{}, spectra.mean(), true_spectra.mean(), spectra.variance(), true_spectra.variance()};
    for (std::size_t k = 0; k < result.spectra.mean.size(); ++k)
      result.spectra.wavenumber.push_back(double(k));
    return result;
  }

 private:
  /// What the terms of a recipe want to know of the members, beside mean and variance.
  static mno::EnsembleOptions needed(const mno::Recipe& recipe, Index members) {
    mno::EnsembleOptions keep;
    if (recipe.hilbert_schmidt.weight > 0 || recipe.hutchinson.weight > 0) keep.factors = S::rank;
    if (recipe.student_nll.weight > 0 || recipe.crps.weight > 0) keep.kept_members = members;
    return keep;
  }

  static std::vector<double> calibration_levels() {
    std::vector<double> levels;
    for (int i = 1; i < 20; ++i) levels.push_back(0.05 * i);
    return levels;
  }

  /// One condition, normalised, and how to go back.
  struct Seen {
    const mno::Normaliser& normaliser;
    const mno::Grid<D>& grid;
    const Field& initial;
    const mno::metric::Moments &model, &truth;
    const mno::metric::Members &draws, &members;

    /// Channel c of a flattened field, in the coordinates of the data.
    template <class V> mno::report::Numbers channel(const V& field, Index c) const {
      mno::report::Numbers values;
      for (Index x = 0; x < grid.size(); ++x)
        values.push_back(double(field[x * S::channels + c]) * scale(c) + normaliser.shift[std::size_t(c)]);
      return values;
    }
    mno::report::Numbers deviation(const mno::metric::Moments& moments, Index c) const {
      mno::report::Numbers values;
      for (Index x = 0; x < grid.size(); ++x)
        values.push_back(std::sqrt(moments.variance[x * S::channels + c]) * scale(c));
      return values;
    }
    double scale(Index c) const { return normaliser.scale[std::size_t(c)]; }
    std::string named(const std::string& title, Index c) const {
      return S::channels == 1 ? title : title + ", channel " + std::to_string(c);
    }
  };

  static void add_examples(std::vector<mno::report::Example>& examples, const std::string& title,
                           const Seen& seen) {
    constexpr Index most = 12;
    for (Index c = 0; c < S::channels; ++c) {
      mno::report::Example e;
      e.title = seen.named(title, c);
      const Index points = seen.grid.points[0];
      for (Index x = 0; x < points; ++x)
        e.x.push_back(seen.grid.domain.length[0] * double(x) / double(points));
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
        e.marginal_members.push_back(seen.members(points / 2 * S::channels + c, j) * seen.scale(c) +
                                     seen.normaliser.shift[std::size_t(c)]);
      examples.push_back(std::move(e));
    }
  }

  /// Fields as images: rows are the first axis.
  static void add_images(std::vector<mno::report::Image>& images, const std::string& title,
                         const Seen& seen) {
    const auto add = [&](const char* what, mno::report::Numbers values, Index c) {
      images.push_back({seen.named(title, c) + ": " + what, int(seen.grid.points[1]),
                        int(seen.grid.points[0]), std::move(values)});
    };
    for (Index c = 0; c < S::channels; ++c) {
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
  struct Moments {
    Field initial, mean, variance, ensemble_mean, ensemble_variance;
    std::vector<double> times;

    Moments(Index samples, const mno::Grid<D>& grid) : times(std::size_t(samples)) {
      if (samples == 0) return;
      for (Field* field : {&initial, &mean, &variance, &ensemble_mean, &ensemble_variance})
        *field = Field(samples, grid, S::channels);
    }
    void put(Index sample, const mno::Normaliser& normaliser, const Field& u0, float time,
             const mno::metric::Moments& model, const mno::metric::Moments& truth) {
      times[std::size_t(sample)] = double(time);
      for (Index i = 0; i < model.size(); ++i) {
        const auto c = std::size_t(i % S::channels);
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
        file.write(name, io::Array::of(shape, io::to_channel_first<float, D>(field.view())));
      };
      put_field("u0", initial);
      put_field("mean", mean);
      put_field("variance", variance);
      put_field("ensemble_mean", ensemble_mean);
      put_field("ensemble_variance", ensemble_variance);
      write_numbers(file, "t", times);
      const auto& length = mean.grid().domain.length;
      write_numbers(file, "length", {length.begin(), length.end()});
      file.commit();
    }
  };

  static void write_numbers(io::NpzWriter& file, const char* name, const std::vector<double>& values) {
    file.write(name, io::Array::of({Index(values.size())}, values));
  }

  /// (sample, channel, x…), (channel, x…), or (x…) where there is one channel.
  static Field field(const char* name, const io::Array& array, Index channels, const mno::Domain<D>& domain) {
    const io::Extents& shape = array.shape();
    const std::size_t axes = shape.size();
    const bool plain = axes == D && channels == 1, one = axes == D + 1, many = axes == D + 2;
    mno::require((plain || one || many) && (plain || shape[axes - D - 1] == channels) && array.size() > 0,
                 "predict", name,
                 mno::text("(sample, channel, x…) with ", channels, " channel(s) in dimension ", D),
                 mno::text(array.layout().str()));
    mno::Grid<D> grid{{}, domain};
    std::copy(shape.end() - D, shape.end(), grid.points.begin());
    Field result(many ? shape[0] : 1, grid, channels);
    mno::require(array.type() == io::Type::f32 || array.type() == io::Type::f64, "predict", name,
                 mno::text("elements of type f32 or f64"), mno::text(array.layout().str()));
    const io::Array values = array.as<float>();
    io::from_channel_first<float, D>(values.values<float>(), result.view());
    return result;
  }
};

}  // namespace program
