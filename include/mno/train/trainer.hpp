#pragma once
// Training: batches in an order that depends on the seed alone, a loss, AdamW, and what an epoch came to.
//
//   Trainer trainer(model, train, &validation, options);
//   while (!trainer.finished()) print(trainer.run_epoch());
//   trainer.take_best();
//
// Everything that the next step depends on is in `state()` and the model, so that a run that goes on from a
// checkpoint equals one that was never interrupted, bit for bit.
#include <array>
#include <chrono>
#include <functional>
#include <limits>
#include <optional>
#include <string>

#include "mno/loss/recipe.hpp"
#include "mno/train/adamw.hpp"
#include "mno/train/average.hpp"
#include "mno/train/batch.hpp"
#include "mno/train/clip.hpp"
#include "mno/train/early_stopping.hpp"
#include "mno/train/schedule.hpp"
#include "mno/train/scores.hpp"
#include "mno/train/shuffle.hpp"

namespace mno {

struct TrainingOptions {
  Index epochs = 200;
  Index batch = 32;
  std::uint64_t seed = 0;
  Recipe recipe = Recipe::decoupled();
  AdamWOptions adamw{.learning_rate = 2e-3, .beta2 = 0.95, .weight_decay = 1e-4};
  Decay decay = Decay::cosine;
  Index warmup_steps = 0;
  double clip = 0;     // largest norm of a gradient; 0: any
  double average = 0;  // decay of the weights' moving average; 0: none is kept
  Index patience = 0;  // epochs without improvement on validation before training stops; 0: it does not
};

/// What an epoch came to.
struct EpochReport {
  Index epoch = 0, epochs = 0;                  // epochs done, and to do in all
  bool finished = true;                         // false: the epoch was interrupted
  double loss = 0;                              // mean over its samples
  std::array<double, Recipe::size> terms{};     // the share of each term
  double learning_rate = 0, gradient_norm = 0;  // of the last step
  std::optional<Scores> validation{};
  bool best = false;  // the best so far on validation
  double samples_per_second = 0, seconds_left = 0;
};

/// The loss was no number any more: which step, and which samples.
class NonFiniteLoss : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

template <class M> struct TrainingState {
  using T = typename M::Scalar;
  Index epoch = 0;     // the epoch that is under way
  Index position = 0;  // samples of it that are done
  AdamWState<T> adamw;
  Buffer<T> average;  // of the weights, if one is kept
  std::int64_t average_updates = 0;
  Buffer<T> best;  // weights of the best epoch on validation
  EarlyStopping stopping;
};

template <class M> class Trainer {
 public:
  using T = typename M::Scalar;
  static constexpr int D = M::dimension;
  using Data = Ensemble<T, D>;

  Trainer(M& model, const Data& train, const Data* validation, TrainingOptions options,
          Cpu& device = default_device())
      : model_(model),
        train_(train),
        validation_(validation),
        options_(std::move(options)),
        device_(device),
        gradient_(model.zeros()),
        optimiser_(M::parameters, options_.adamw),
        batch_(train, std::min(options_.batch, train.size())) {
    require(options_.epochs >= 1, "Trainer", "epochs", text("at least one"), text(options_.epochs));
    require(options_.batch >= 1, "Trainer", "batch", text("at least one sample"), text(options_.batch));
    if (options_.average > 0) average_.emplace(M::parameters, options_.average);
    stopping_.patience = options_.patience;
    const Index steps = options_.epochs * steps_per_epoch();
    schedule_ = {options_.adamw.learning_rate, options_.decay, steps,
                 std::min(options_.warmup_steps, steps - 1), 0};
  }

  bool finished() const {
    return epoch_ >= options_.epochs || (options_.patience > 0 && validation_ && stopping_.stop());
  }
  Index epoch() const { return epoch_; }
  Index samples() const { return train_.size(); }
  const TrainingOptions& options() const { return options_; }

  /// The rest of the epoch that is under way. Between steps `interrupted` is asked whether to stop.
  EpochReport run_epoch(const std::function<bool()>& interrupted = {}) {
    const auto start = std::chrono::steady_clock::now();
    const std::vector<Index> order = permutation(train_.size(), options_.seed, std::uint64_t(epoch_));
    Recipe recipe = options_.recipe.at(epoch_);
    EpochReport report;
    report.epochs = options_.epochs;
    Index seen = 0;
    while (position_ < train_.size()) {
      const Index count = std::min(batch_.capacity(), train_.size() - position_);
      const std::span<const Index> entries(order.data() + position_, std::size_t(count));
      recipe.hutchinson.step = std::uint64_t(optimiser_.state().step);
      batch_.gather(train_, entries);
      const double loss = value_and_gradient(model_, batch_.condition(), recipe.on(batch_.target(), values_),
                                             gradient_, device_);
      report.gradient_norm =
          clip(gradient_.values(), options_.clip > 0 ? options_.clip : std::numeric_limits<double>::max());
      if (!std::isfinite(loss) || !std::isfinite(report.gradient_norm)) fail(entries, loss);
      report.learning_rate = schedule_(Index(optimiser_.state().step));
      optimiser_.step(model_.values(), std::as_const(gradient_).values(), report.learning_rate, device_);
      if (average_) average_->update(std::as_const(model_).values());
      report.loss += loss * double(count);
      for (std::size_t term = 0; term < Recipe::size; ++term)
        report.terms[term] += values_[term] * double(count);
      position_ += count;
      seen += count;
      if (position_ < train_.size() && interrupted && interrupted()) break;
    }
    report.loss /= double(std::max<Index>(seen, 1));
    for (double& term : report.terms) term /= double(std::max<Index>(seen, 1));
    report.finished = position_ == train_.size();
    if (report.finished) {
      position_ = 0;
      ++epoch_;
      evaluate(report);
    }
    report.epoch = epoch_;
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    report.samples_per_second = double(seen) / std::max(seconds, 1e-9);
    report.seconds_left = seconds * double(options_.epochs - epoch_);
    return report;
  }

  /// Puts the weights to use into the model: those of the best epoch on validation, else the average, else
  /// the last.
  void take_best() {
    if (best_.size() > 0)
      std::copy_n(best_.data(), M::parameters, model_.values().data());
    else if (average_)
      std::copy_n(average_->values().data(), M::parameters, model_.values().data());
  }

  TrainingState<M> state() const {
    TrainingState<M> s{epoch_, position_, optimiser_.state(), {}, 0, best_, stopping_};
    if (average_) {
      s.average = Buffer<T>(M::parameters);
      std::copy_n(average_->values().data(), M::parameters, s.average.data());
      s.average_updates = average_->updates();
    }
    return s;
  }
  /// Goes on where another run stopped; its weights must be in the model already.
  void resume(TrainingState<M> s) {
    require(s.adamw.first.size() == M::parameters, "Trainer::resume", "state",
            text(M::parameters, " parameters"), text(s.adamw.first.size()));
    require((s.average.size() > 0) == average_.has_value(), "Trainer::resume", "state",
            text(average_ ? "an average of the weights" : "no average of the weights"),
            text(s.average.size() > 0 ? "one" : "none"));
    epoch_ = s.epoch;
    position_ = s.position;
    optimiser_ = AdamW<T>(std::move(s.adamw), options_.adamw);
    if (average_) average_.emplace(std::move(s.average), s.average_updates, options_.average);
    best_ = std::move(s.best);
    stopping_ = s.stopping;
    stopping_.patience = options_.patience;
  }

 private:
  Index steps_per_epoch() const { return (train_.size() + batch_.capacity() - 1) / batch_.capacity(); }

  void evaluate(EpochReport& report) {
    if (!validation_) return;
    if (average_) {  // scores are those of the weights that would be used
      std::copy_n(model_.values().data(), M::parameters, gradient_.values().data());
      std::copy_n(average_->values().data(), M::parameters, model_.values().data());
    }
    report.validation = score(model_, *validation_, device_);
    report.best = stopping_.update(report.validation->w2g);
    if (report.best) {
      if (best_.size() == 0) best_ = Buffer<T>(M::parameters);
      std::copy_n(model_.values().data(), M::parameters, best_.data());
    }
    if (average_) std::copy_n(gradient_.values().data(), M::parameters, model_.values().data());
  }

  [[noreturn]] void fail(std::span<const Index> entries, double loss) const {
    std::string list;
    for (std::size_t i = 0; i < entries.size() && i < 8; ++i)
      list += (i ? ", " : "") + std::to_string(entries[i]);
    if (entries.size() > 8) list += ", …";
    throw NonFiniteLoss(text("mno::Trainer: the loss is ", loss, " in epoch ", epoch_ + 1, ", step ",
                             optimiser_.state().step + 1, " (samples ", list,
                             "). A smaller learning rate, gradient clipping or a longer warm-up may help.")
                            .str());
  }

  M& model_;
  const Data& train_;
  const Data* validation_;
  TrainingOptions options_;
  Cpu& device_;
  M gradient_;
  AdamW<T> optimiser_;
  Batch<T, D> batch_;
  std::optional<WeightAverage<T>> average_;
  Schedule schedule_;
  EarlyStopping stopping_;
  Buffer<T> best_;
  TermValues values_;
  Index epoch_ = 0, position_ = 0;
};

}  // namespace mno
