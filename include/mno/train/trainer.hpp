#pragma once
// Training: batches in an order that depends on the seed alone, a loss, AdamW, and a report of every epoch.
//
//   Trainer trainer(model, train, &validation, Recipe::decoupled(), options);
//   while (!trainer.finished()) print(trainer.run_epoch());
//   trainer.take_best();
//
// The loss may be any: a recipe, Loss{…} of terms, one term, or a function of (law, target, scale); see
// loss/loss.hpp.
//
// Everything that the next step depends on is in `state()` and the model, so that a run that goes on from a
// checkpoint equals one that was never interrupted, bit for bit.
//
// On a device of several ranks (device/communicator.hpp) all of them train alike, with the same bits as one
// rank alone. A listener to steps must be there on all ranks; the answer of rank 0 counts.
#include <chrono>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "mno/data/symmetry.hpp"
#include "mno/loss/recipe.hpp"
#include "mno/train/early_stopping.hpp"
#include "mno/train/engine.hpp"
#include "mno/train/schedule.hpp"
#include "mno/train/scores.hpp"
#include "mno/train/shuffle.hpp"

namespace mno {

struct TrainingOptions {
  Index epochs = 200;
  Index batch = 32;
  std::uint64_t seed = 0;
  AdamWOptions adamw{.learning_rate = 2e-3, .beta2 = 0.95, .weight_decay = 1e-4};
  Decay decay = Decay::cosine;
  Index warmup_steps = 0;
  double clip = 0;     // largest norm of a gradient; 0: any
  double average = 0;  // decay of the weights' moving average; 0: none is kept
  Index patience = 0;  // epochs without improvement on validation before training stops; 0: it does not
  Index validation_draws = 16;  // of every condition, where the operator has noise inside
  AnyResidual residual{};   // the law of ξ and ζ: of what is drawn from laws in a loss, and of validation
  Symmetries symmetries{};  // of the law: in every epoch conditions are moved by them at random
};

/// The result of an epoch.
struct EpochReport {
  Index epoch = 0, epochs = 0;                  // epochs done, and to do in all
  bool finished = true;                         // false: the epoch was interrupted
  double loss = 0;                              // mean over its samples
  std::vector<double> terms{};                  // the share of each term, in the order of the loss's names()
  double learning_rate = 0, gradient_norm = 0;  // of the last step
  std::optional<Scores> validation{};
  bool best = false;  // the best so far on validation
  double conditions_per_second = 0, seconds_left = 0;
};

/// The result of a step, for a listener.
struct StepReport {
  Index epoch = 0;                              // the epoch that is under way, counted from 0
  std::int64_t step = 0;                        // steps done, this one included
  double loss = 0;                              // mean over the batch
  std::vector<double> terms{};                  // the share of each term
  double learning_rate = 0, gradient_norm = 0;  // the norm before clipping
  std::span<const Index> conditions{};          // of the batch
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

namespace detail {
/// Data that a trainer refers to for as long as it lives: a temporary is refused by the compiler.
template <class Data> struct Lasting {
  const Data& data;
  Lasting(const Data& lasting) : data(lasting) {}
  Lasting(const Data&&) = delete;
};
template <class M> using DataOf = Ensemble<typename M::Scalar, M::dimension>;
/// A listener that does nothing.
struct Nobody {
  void operator()(const StepReport&) const {}
};
}  // namespace detail

template <class M, class L = Recipe, class Device = Cpu> class Trainer {
 public:
  using T = typename M::Scalar;
  static constexpr int D = M::dimension;
  using Data = detail::DataOf<M>;
  static_assert(detail::WholeLoss<L>,
                "mno: Trainer<Model, Loss, Device>: the loss is a Recipe or a Loss<Terms…>; "
                "as_loss makes one of a term or a function");

  Trainer(M& model, detail::Lasting<detail::DataOf<M>> train, const detail::DataOf<M>* validation, L loss,
          const TrainingOptions& options, Device& device)
      : model_(model),
        train_(train.data),
        validation_(validation),
        loss_(detail::drawn_from(std::move(loss), options.residual)),
        options_(checked(options)),
        device_(device),
        moved_(options_.symmetries.any() ? train_ : Data{}),
        batch_(std::min(options_.batch, train_.size())),
        engine_(model, options_.symmetries.any() ? moved_ : train_, batch_, options_.adamw, options_.average,
                L::size, device) {
    require_movable("Trainer", options_.symmetries, train_);
    stopping_.patience = options_.patience;
    const Index steps = options_.epochs * steps_per_epoch();
    schedule_ = {options_.adamw.learning_rate, options_.decay, steps,
                 std::min(options_.warmup_steps, steps - 1), 0};
  }

  Trainer(M& model, detail::Lasting<detail::DataOf<M>> train, const detail::DataOf<M>* validation, L loss,
          const TrainingOptions& options) requires(std::is_same_v<Device, Cpu>)
      : Trainer(model, train, validation, std::move(loss), options, default_device()) {}

  /// A term or a function becomes a loss.
  template <class Given, class... Rest>
  requires(!std::is_same_v<Given, L> && std::is_same_v<LossOf<Given>, L>)
      Trainer(M& model, detail::Lasting<detail::DataOf<M>> train, const detail::DataOf<M>* validation,
              Given loss, const TrainingOptions& options, Rest&... device)
      : Trainer(model, train, validation, as_loss(std::move(loss)), options, device...) {}

  bool finished() const {
    return epoch_ >= options_.epochs || (options_.patience > 0 && validation_ && stopping_.stop());
  }
  Index epoch() const { return epoch_; }
  Index samples() const { return train_.size(); }
  const TrainingOptions& options() const { return options_; }
  const L& loss() const { return loss_; }
  Communicator& ranks() const { return ranks_of(device_); }
  int threads() const {
    if constexpr (requires { device_.threads(); })
      return device_.threads();
    else
      return 1;
  }

  /// The rest of the epoch that is under way. After every step `after_step` gets its report. If it returns
  /// true, the epoch stops there, and the next call goes on with it.
  template <class Hook> EpochReport run_epoch(Hook&& after_step) {
    const auto start = std::chrono::steady_clock::now();
    const std::vector<Index> order = epoch_order(train_.size(), options_.seed, std::uint64_t(epoch_));
    const L loss = loss_of_epoch();
    move_data();
    EpochReport report;
    report.epochs = options_.epochs;
    report.terms.assign(L::size, 0.0);
    Index seen = 0;
    const auto conditions_at = [&](Index position) {
      const Index count = std::min(batch_, train_.size() - position);
      return std::span<const Index>(order.data() + position, std::size_t(std::max<Index>(count, 0)));
    };
    engine_.begin();
    try {
      while (position_ < train_.size()) {
        const auto conditions = conditions_at(position_);
        const Index count = Index(conditions.size());
        const detail::StepValues step = engine_.gradient(conditions, conditions_at(position_ + count), loss,
                                                         largest(), values_, noise_of_step());
        report.gradient_norm = step.gradient_norm;
        if (!std::isfinite(step.loss) || !std::isfinite(step.gradient_norm)) fail(conditions, step.loss);
        report.learning_rate = schedule_(Index(engine_.steps()));
        engine_.step(report.learning_rate);
        report.loss += step.loss * double(count);
        for (std::size_t term = 0; term < L::size; ++term)
          report.terms[term] += values_[term] * double(count);
        position_ += count;
        seen += count;
        if (told(after_step, step, report.learning_rate, conditions) && position_ < train_.size()) break;
      }
    } catch (...) {
      leave_engine();
      throw;
    }
    engine_.end();
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
    report.conditions_per_second = double(seen) / std::max(seconds, 1e-9);
    report.seconds_left = seconds * double(options_.epochs - epoch_);
    return report;
  }

  EpochReport run_epoch() { return run_epoch(detail::Nobody{}); }

  /// Puts the weights to use into the model: those of the best epoch on validation, else the average, else
  /// the last.
  void take_best() {
    if (best_.size() > 0)
      std::copy_n(best_.data(), M::parameters, model_.values().data());
    else if (engine_.has_average())
      engine_.average_values(model_.values());
  }

  /// All that the next step depends on; the model has the weights that belong to it. Of several ranks, which
  /// have a slice of it each, all call this.
  TrainingState<M> state() const {
    detail::EngineState<T> e = engine_.state();
    return {epoch_, position_, std::move(e.adamw), std::move(e.average), e.average_updates, best_, stopping_};
  }
  /// Goes on where another run stopped; its weights must be in the model already.
  void resume(TrainingState<M> s) {
    require(s.adamw.first.size() == M::parameters, "Trainer::resume", "state",
            Text(M::parameters, " parameters"), Text(s.adamw.first.size()));
    require((s.average.size() > 0) == engine_.has_average(), "Trainer::resume", "state",
            Text(engine_.has_average() ? "an average of the weights" : "no average of the weights"),
            Text(s.average.size() > 0 ? "one" : "none"));
    epoch_ = s.epoch;
    position_ = s.position;
    engine_.resume({std::move(s.adamw), std::move(s.average), s.average_updates});
    best_ = std::move(s.best);
    stopping_ = s.stopping;
    stopping_.patience = options_.patience;
  }

 private:
  L loss_of_epoch() const {
    if constexpr (requires { loss_.at(epoch_); })
      return loss_.at(epoch_);
    else
      return loss_;
  }
  /// Moves the conditions by random symmetries: a function of the seed and the epoch alone.
  void move_data() {
    if (!options_.symmetries.any()) return;
    Stream random(options_.seed, std::uint64_t(epoch_), 0x6D6F7665);  // "move": apart from other uses
    for (Index condition = 0; condition < train_.size(); ++condition)
      move_condition<T, D>(train_, condition, Move<D>::random(options_.symmetries, train_.grid(), random),
                           moved_);
  }
  /// Does the listener want to stop?
  template <class Hook>
  bool told([[maybe_unused]] Hook& hook, const detail::StepValues& step, double rate,
            std::span<const Index> conditions) const {
    if constexpr (std::is_same_v<std::remove_const_t<Hook>, detail::Nobody>) return false;
    StepReport report{epoch_, engine_.steps(),    step.loss, std::vector<double>(L::size),
                      rate,   step.gradient_norm, conditions};
    for (std::size_t term = 0; term < L::size; ++term) report.terms[term] = values_[term];
    if constexpr (std::is_void_v<std::invoke_result_t<Hook&, const StepReport&>>) {
      hook(report);
      return false;
    } else {
      return ranks().decide(hook(report));
    }
  }
  /// The noise of every step is its own, and a function of the seed and the step alone.
  std::uint64_t noise_of_step() const {
    Stream random(options_.seed, std::uint64_t(engine_.steps()),
                  0x6E6F6973);  // "nois": apart from other uses
    const std::uint64_t high = random.bits(), low = random.bits();
    return high << 32 | low;
  }
  Index steps_per_epoch() const { return (train_.size() + batch_ - 1) / batch_; }
  double largest() const { return options_.clip > 0 ? options_.clip : std::numeric_limits<double>::max(); }

  static const TrainingOptions& checked(const TrainingOptions& options) {
    require(options.epochs >= 1, "Trainer", "epochs", Text("at least one"), Text(options.epochs));
    require(options.batch >= 1, "Trainer", "batch", Text("at least one sample"), Text(options.batch));
    require(M::stochastic || options.residual.gaussian(), "Trainer", "residual",
            Text("that of a law; this operator gives ", M::gives_draws ? "draws" : "a field"),
            Text(options.residual.text()));
    return options;
  }

  /// After an error the model has the weights of the last whole step. If the device can no longer give them
  /// back, the first error is the one that is reported.
  void leave_engine() noexcept {
    try {
      engine_.end();
    } catch (...) {
    }
  }

  void evaluate(EpochReport& report) {
    if (!validation_) return;
    if (engine_.has_average()) {  // scores are those of the weights that would be used
      if (spare_.size() == 0) spare_ = Buffer<T>(M::parameters);
      std::copy_n(model_.values().data(), M::parameters, spare_.data());
      engine_.average_values(model_.values());
    }
    report.validation = score(model_, *validation_, device_, options_.validation_draws, options_.residual);
    report.best = stopping_.update(report.validation->criterion());
    if (report.best) {
      if (best_.size() == 0) best_ = Buffer<T>(M::parameters);
      std::copy_n(model_.values().data(), M::parameters, best_.data());
    }
    if (engine_.has_average()) std::copy_n(spare_.data(), M::parameters, model_.values().data());
  }

  [[noreturn]] void fail(std::span<const Index> conditions, double loss) const {
    std::string list;
    for (std::size_t i = 0; i < conditions.size() && i < 8; ++i)
      list += (i ? ", " : "") + std::to_string(conditions[i]);
    if (conditions.size() > 8) list += ", …";
    throw NonFiniteLoss(Text("mno::Trainer: the loss is ", loss, " in epoch ", epoch_ + 1, ", step ",
                             engine_.steps() + 1, " (samples ", list,
                             "). A smaller learning rate, gradient clipping or a longer warm-up may help.")
                            .str());
  }

  M& model_;
  const Data& train_;
  const Data* validation_;
  L loss_;
  TrainingOptions options_;
  Device& device_;
  Data moved_;                                // the conditions of this epoch, where there are symmetries
  Index batch_;                               // conditions of a step
  mutable detail::Engine<M, Device> engine_;  // state() may have to fetch weights
  Schedule schedule_;
  EarlyStopping stopping_;
  Buffer<T> best_, spare_;
  TermValues values_;
  Index epoch_ = 0, position_ = 0;
};

template <class M, class Data, class Validation, class L>
Trainer(M&, const Data&, Validation, L, const TrainingOptions&) -> Trainer<M, LossOf<L>, Cpu>;
template <class M, class Data, class Validation, class L, class Device>
Trainer(M&, const Data&, Validation, L, const TrainingOptions&, Device&) -> Trainer<M, LossOf<L>, Device>;

}  // namespace mno
