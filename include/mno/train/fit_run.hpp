#pragma once
// A run of training with its checkpoints: to the end, until it is interrupted, or resumed. Of several ranks,
// rank 0 decides about interruptions, reports epochs and writes checkpoints.
#include <chrono>
#include <cmath>

#include "mno/train/checkpoint.hpp"
#include "mno/train/fit_options.hpp"

namespace mno::detail {

/// What a device throws when it fails, if it has an exception of its own.
struct NoDeviceError {};
template <class Device> struct DeviceErrorOf { using type = NoDeviceError; };
template <class Device>
requires requires { typename Device::Error; }
struct DeviceErrorOf<Device> {
  using type = typename Device::Error;
};

/// A run of training with its checkpoints.
template <class M, class L, class Device> class FitRun {
 public:
  FitRun(const FitOptions& options, M& model, const Normaliser& normaliser, Trainer<M, L, Device>& trainer,
         io::Metadata& about)
      : options_(options),
        model_(model),
        normaliser_(normaliser),
        trainer_(trainer),
        about_(about),
        law_(law_text(options.training.residual, options.warp)) {
    require(
        SaysText<L> || options.checkpoint.empty(), "fit", "checkpoint",
        Text("none, as checkpoints tell losses apart by their text: own_term(name, function, numbers) has "
             "one"),
        Text("one of a loss without a text"));
  }

  void resume() {
    require(!options_.checkpoint.empty(), "fit", "checkpoint", Text("the path of the run to resume"),
            Text("none"));
    const io::SafetensorsReader checkpoint(options_.checkpoint);
    if (io::wanted(checkpoint.name(), io::model_metadata(checkpoint), "data") != about_["data"])
      io::refuse(checkpoint.name(), "expected a run on the data of ", options_.data,
                 ", found one on other data or with another split");
    if constexpr (SaysText<L>) read_checkpoint(options_.checkpoint, model_, trainer_, law_);
    if (model_.least_points() != options_.least_points)
      io::refuse(checkpoint.name(), "expected a run with least points ", options_.least_points,
                 ", found one with ", model_.least_points());
    remember();
  }

  /// To the end, or until it is interrupted.
  void train(FitReport& report) {
    const auto asked = [&] { return first_ && options_.interrupted && options_.interrupted(); };
    using Clock = std::chrono::steady_clock;
    auto written = Clock::now();
    while (!trainer_.finished()) {
      const EpochReport epoch = run_epoch(asked);
      if (first_ && options_.after_epoch) options_.after_epoch(epoch);
      report.epochs.push_back(epoch);
      report.epochs_done = epoch.epoch;
      report.interrupted = !epoch.finished || (trainer_.ranks().decide(asked()) && !trainer_.finished());
      const bool due =
          std::chrono::duration<double>(Clock::now() - written).count() >= options_.checkpoint_seconds;
      // Weights whose validation scores are not finite are not worth going back to.
      const bool good = !epoch.validation || std::isfinite(epoch.validation->criterion());
      if (trainer_.ranks().decide(report.interrupted || (due && good && !trainer_.finished()))) {
        write();
        written = Clock::now();
      }
      if (report.interrupted) return;
    }
  }

 private:
  template <class Stop> EpochReport run_epoch(const Stop& stop) {
    using DeviceError = typename DeviceErrorOf<Device>::type;
    try {
      return trainer_.run_epoch([&](const StepReport&) { return stop(); });
    } catch (const NonFiniteLoss& error) {
      throw NonFiniteLoss(error.what() + (" " + last_good_));
    } catch (const DeviceError& error) {
      if constexpr (!std::is_same_v<DeviceError, NoDeviceError>) {
        try {  // the weights of the last whole step are there, unless the device is gone
          write();
        } catch (const DeviceError&) {
        }
        throw DeviceError(error.what() + (" " + last_good_) +
                          (resumable_ ? " A resumed run goes on from it, on another device too." : ""));
      }
      throw;
    }
  }
  void write() {
    if (options_.checkpoint.empty()) return;
    if constexpr (SaysText<L>) {
      io::Metadata about = about_;  // ranks and threads are recorded, but a resumed run may have others
      about["training.ranks"] = std::to_string(trainer_.ranks().size());
      about["training.threads"] = std::to_string(trainer_.threads());
      write_checkpoint(options_.checkpoint, model_, normaliser_, trainer_, std::move(about), law_);
    }
    remember();
  }
  void remember() {
    last_good_ = "The last good checkpoint is '" + options_.checkpoint.string() + "', of epoch " +
                 std::to_string(trainer_.epoch()) + ".";
    resumable_ = true;
  }

  const FitOptions& options_;
  M& model_;
  const Normaliser& normaliser_;
  Trainer<M, L, Device>& trainer_;
  io::Metadata& about_;
  io::LawText law_;
  const bool first_ = trainer_.ranks().rank() == 0;
  std::string last_good_ = "No checkpoint was written before it.";
  bool resumable_ = false;
};

}  // namespace mno::detail
