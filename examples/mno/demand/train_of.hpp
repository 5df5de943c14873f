#pragma once
// Training of one model behind the boundary.
#ifdef MNO_PROGRAM_CUDA
#include <mno/cuda.hpp>
#endif
#ifdef MNO_PROGRAM_NCCL
#include <mno/cuda/nccl.hpp>
#endif
#include <mno/io/disk_memory.hpp>

#include "guarded.hpp"
#include "options.hpp"

namespace demand {

/// Ranks on the other side of the boundary.
class BoundaryRanks final : public mno::Communicator {
 public:
  explicit BoundaryRanks(const boundary::Ranks* ranks) : ranks_(ranks) {}
  mno::Index rank() const override { return ranks_ ? mno::Index(ranks_->rank) : 0; }
  mno::Index size() const override { return ranks_ ? mno::Index(ranks_->size) : 1; }
  void exchange(std::span<const std::span<const std::byte>> send,
                std::span<const std::span<std::byte>> receive) override {
    send_.clear();
    receive_.clear();
    for (const auto& part : send) send_.push_back({const_cast<std::byte*>(part.data()), part.size()});
    for (const auto& part : receive) receive_.push_back({part.data(), part.size()});
    ranks_->exchange(ranks_->context, send_.data(), receive_.data());
  }

 private:
  const boundary::Ranks* ranks_;
  std::vector<boundary::Bytes> send_, receive_;
};

/// Has a kind its own way from data to a surrogate? Then its header says so (baseline/fit_diffusion.hpp).
template <class M, class Device>
concept FitByDiffusion = requires(mno::FitData<float, M::dimension> data, mno::FitOptions options,
                                  Device& device) {
  fit_diffusion<M>(data, options, device);
};

/// By the loss that is asked for, if the operator can be trained by it.
template <class M, class Device>
mno::Fit<M> fit_by_loss(const LossChoice& loss, mno::FitData<float, M::dimension> data,
                        mno::FitOptions options, Device& device) {
  if (const auto* recipe = std::get_if<mno::Recipe>(&loss)) {
    if constexpr (M::gives_draws)
      throw mno::Error(
          "This kind of operator gives draws, which a recipe has no terms for: train it with --recipe energy "
          "or auto.");
    else
      return mno::fit<M>(std::move(data), *recipe, std::move(options), device);
  }
  if (const auto* energy = std::get_if<mno::EnergyLoss>(&loss)) {
    if constexpr (M::stochastic || M::gives_draws)
      return mno::fit<M>(std::move(data), *energy, std::move(options), device);
    else
      throw mno::Error(
          "This kind of operator gives one field, which has no spread to score: train it with another recipe "
          "than energy.");
  }
  return mno::fit<M>(std::move(data), std::move(options), device);
}
/// As the kind is trained.
template <class M, class Device>
mno::Fit<M> fit_by(const LossChoice& loss, mno::FitData<float, M::dimension> data, mno::FitOptions options,
                   Device& device) {
  if constexpr (FitByDiffusion<M, Device>) {
    if (!std::holds_alternative<ChosenByFit>(loss))
      throw mno::Error("This kind of operator has a loss of its own: train it with --recipe auto.");
    return fit_diffusion<M>(std::move(data), std::move(options), device);
  } else {
    return fit_by_loss<M>(loss, std::move(data), std::move(options), device);
  }
}

template <class M, class Device>
void train_on(Device& device, const char* kind, const boundary::Training& training,
              boundary::TrainingReport& report) {
  constexpr int D = M::dimension;
  mno::FitOptions options;
  LossChoice loss;
  read_numbers(NumberReader(training.options), options, loss);
  options.training.residual = mno::AnyResidual::parse(training.residual);
  options.warp = mno::AnyWarp::parse(training.warp);
  options.data = training.data;
  options.checkpoint = training.checkpoint;
  for (std::size_t i = 0; i < training.about_count; ++i)
    options.about[training.about[i].key] = training.about[i].value;
  options.about["kind"] = kind;
  options.after_epoch = [&training](const mno::EpochReport& epoch) {
    const PlainEpoch plain(epoch);
    training.after_epoch(training.context, &plain.data);
  };
  options.interrupted = [&training] { return training.interrupted(training.context) != 0; };
  constexpr auto channels = std::size_t(M::ShapeType::channels);
  mno::io::use_disk_memory({.folder = training.disk, .resident = std::size_t(training.resident)});
  mno::FitData<float, D> data{
      ensemble_of<D>(training.train),
      ensemble_of<D>(training.validation),
      {{training.shift, training.shift + channels}, {training.scale, training.scale + channels}},
      training.fingerprint};
  training.copied(training.context);

  const mno::Fit<M> fit = fit_by<M>(loss, std::move(data), std::move(options), device);
  report.interrupted = fit.report.interrupted;
  report.epochs_done = fit.report.epochs_done;
  report.train = fit.report.train;
  report.validation = fit.report.validation;
  report.factor_scale = fit.report.factor_scale;
  report.has_scores = fit.report.scores.has_value();
  if (fit.report.scores) report.scores = plain(*fit.report.scores);
  put(report.loss, fit.report.loss.c_str());
  if (!fit.report.interrupted && mno::ranks_of(device).rank() == 0) fit.surrogate.save(training.model);
}

template <class M>
void train_of(const char* kind, const boundary::Training& training, boundary::TrainingReport& report) {
  BoundaryRanks ranks(training.ranks);
  if (std::strcmp(training.device, "cpu") == 0) {
    mno::Cpu cpu(training.threads, ranks);
    return train_on<M>(cpu, kind, training, report);
  }
#ifdef MNO_PROGRAM_CUDA
  mno::CudaOptions options{.device = training.gpu, .tf32 = training.tf32 != 0, .shards = training.shards};
  int seen = 0;  // a launcher may show every rank its own GPU alone
  if (ranks.size() > 1 && cudaGetDeviceCount(&seen) == cudaSuccess && seen > 0) options.device %= seen;
#ifdef MNO_PROGRAM_NCCL
  mno::NcclWorld world(ranks, options.device);
  mno::Cuda cuda(options, world);
#else
  mno::Cuda cuda(options, ranks);
#endif
  train_on<M>(cuda, kind, training, report);
#else
  throw mno::Error(
      "This operator was compiled without CUDA. Configure with -DMNO_CUDA_PROGRAMS=ON (preset cuda) and the "
      "shape in MNO_SHAPES, or train with --device cpu.");
#endif
}

}  // namespace demand
