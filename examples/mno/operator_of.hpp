#pragma once
// Training and prediction for one operator: everything that depends on its shape at compile time is here.
#include <chrono>
#include <cmath>
#include <mno/data/noise_variance.hpp>
#include <mno/train/checkpoint.hpp>
#include <mno/train/open_path.hpp>
#ifdef MNO_PROGRAM_CUDA
#include <mno/cuda.hpp>
#endif

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

template <class M> class PredictorOf final : public Predictor<M::dimension> {
  static constexpr int D = M::dimension;
  using S = typename M::ShapeType;

 public:
  explicit PredictorOf(io::LoadedModel<M> loaded) : loaded_(std::move(loaded)) {}
  const mno::Normaliser& normaliser() const override { return loaded_.normaliser; }
  const mno::Domain<D>& domain() const override { return loaded_.model.domain(); }
  bool stochastic() const override { return M::stochastic; }
  mno::Law<float, D> predict(const mno::Condition<float, D>& condition, mno::Cpu& device) const override {
    auto prediction = mno::predict(loaded_.model, condition, device);
    if constexpr (M::stochastic) {
      return prediction;
    } else {
      mno::Field<float, D> none(prediction.batch(), prediction.grid(), S::channels);
      return {std::move(prediction), std::move(none)};
    }
  }

 private:
  io::LoadedModel<M> loaded_;
};

template <class M> class OperatorOf final : public OperatorIn<M::dimension> {
  using S = typename M::ShapeType;
  static constexpr int D = M::dimension;
  using Data = mno::Ensemble<float, D>;

 public:
  explicit OperatorOf(const char* kind) : kind_(kind) {}

  ShapeNumbers shape() const override {
    return {kind_, S::dimension, S::channels, S::rank, S::width, S::modes, S::depth, mno::known_fields<S>()};
  }
  std::string shape_text() const override { return io::shape_text<S>(); }
  std::string expression_text() const override { return mno::expression_text<typename M::Expression>(); }

  std::unique_ptr<Predictor<D>> load(const std::filesystem::path& model) const override {
    return std::make_unique<PredictorOf<M>>(io::read_model<M>(model));
  }

  /// The path from u_0, in the operator that has one.
  static void open_path(M& model, const Data& train, mno::Cpu& device) {
    if constexpr (M::stochastic) mno::open_path(model, train, device);
  }

  TrainResult train(Data train, Data validation, const TrainRequest& request) const override {
    mno::Cpu cpu(request.threads);
    if (request.device == "cpu") return train_on(cpu, cpu, std::move(train), std::move(validation), request);
#ifdef MNO_PROGRAM_CUDA
    mno::Cuda cuda(mno::CudaOptions{.device = request.gpu, .tf32 = request.tf32});
    return train_on(cuda, cpu, std::move(train), std::move(validation), request);
#else
    throw mno::Error(
        "This program was built without CUDA. Configure with -DMNO_CUDA_PROGRAMS=ON (preset cuda), or "
        "train with --device cpu.");
#endif
  }

 private:
  template <class Device>
  TrainResult train_on(Device& device, mno::Cpu& cpu, Data train, Data validation,
                       const TrainRequest& request) const {
    const mno::TrainingOptions& options = request.options;
    Fingerprint fingerprint;
    for (const Data* part : {&train, &validation}) {
      for (const auto* field : {&part->initial, &part->mean, &part->variance, &part->known})
        fingerprint.add(field->span());
      fingerprint.add(std::span<const float>(part->times));
    }
    const mno::Normaliser normaliser = mno::Normaliser::fit(train);
    normaliser.apply(train);
    normaliser.apply(validation);

    M model(options.seed, train.grid().domain);
    if (request.scaled_factor) model.set_factor_scale(float(4 * std::sqrt(mno::noise_variance(train))));
    model.set_least_points(request.least_points);
    if (train.known.batch() == 1) model.store_known_fields(train.known);
    if (std::string_view(kind_) == "mno-path") open_path(model, train, cpu);
    mno::Trainer<M, mno::Recipe, Device> trainer(model, train, validation.size() > 0 ? &validation : nullptr,
                                                 request.loss, options, device);
    io::Metadata about{{"kind", kind_},
                       {"data", fingerprint.str()},
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
      if (io::wanted(checkpoint.name(), io::model_metadata(checkpoint), "data") != about["data"])
        io::refuse(checkpoint.name(), "expected a run on the data of ", request.data,
                   ", found one on other data or with another split");
      mno::read_checkpoint(request.checkpoint, model, trainer);
      if (model.least_points() != request.least_points)
        io::refuse(checkpoint.name(), "expected a run with --least-points ", request.least_points,
                   ", found one with ", model.least_points());
      remember();
    }

    TrainResult result{false, trainer.epoch(), train.size(), validation.size(), M::parameters, {}};
    auto written = std::chrono::steady_clock::now();
    while (!trainer.finished()) {
      mno::EpochReport report;
      try {
        report = trainer.run_epoch([&](const mno::StepReport&) { return request.interrupted(); });
      } catch (const mno::NonFiniteLoss& error) {
        throw mno::NonFiniteLoss(error.what() + (" " + last_good));
#ifdef MNO_PROGRAM_CUDA
      } catch (const mno::CudaError&
                   error) {  // the weights of the last whole step are there, unless the device is gone
        try {
          mno::write_checkpoint(request.checkpoint, model, normaliser, trainer, about);
          remember();
        } catch (const mno::CudaError&) {
        }
        throw mno::CudaError(error.what() + (" " + last_good) +
                             " --resume goes on from it, with --device cpu too.");
#endif
      }
      request.report(report);
      result.epochs = report.epoch;
      result.interrupted = !report.finished || (request.interrupted() && !trainer.finished());
      const auto now = std::chrono::steady_clock::now();
      const bool due = std::chrono::duration<double>(now - written).count() >= request.checkpoint_seconds;
      // Weights that give no numbers on validation are nothing to go back to.
      const bool good = !report.validation || std::isfinite(report.validation->criterion());
      if (result.interrupted || (due && good && !trainer.finished())) {
        mno::write_checkpoint(request.checkpoint, model, normaliser, trainer, about);
        written = std::chrono::steady_clock::now();
        remember();
      }
      if (result.interrupted) return result;
    }
    trainer.take_best();
    about["training"] = mno::detail::training_text(options, request.loss, train.size());
    if (validation.size() > 0) {
      result.scores = mno::score(model, validation, device);
      for (const auto& [name, value] : result.scores->named())
        about["validation." + name] = io::detail::number(value);
    }
    io::write_model(request.model, model, normaliser, about);
    return result;
  }

  const char* kind_;
};

}  // namespace program
