#pragma once
// A training step on a device: loss and gradient of a batch, then the weights moved. What a trainer decides
// does not depend on where this happens.
//
// Of several ranks each has a slice of the parameters: it sums their gradient, keeps the optimiser's state
// and the average of them, and moves them; then all get all weights.
#include <limits>
#include <optional>
#include <span>

#include "mno/loss/loss.hpp"
#include "mno/model/gradient.hpp"
#include "mno/train/adamw.hpp"
#include "mno/train/average.hpp"
#include "mno/train/batch.hpp"
#include "mno/train/clip.hpp"

namespace mno::detail {

/// What a step depends on besides the model's weights.
template <class T> struct EngineState {
  AdamWState<T> adamw;
  Buffer<T> average;  // of the weights, if one is kept
  std::int64_t average_updates = 0;
};

/// Loss of a batch and the norm of its gradient, before clipping.
struct StepValues {
  double loss = 0, gradient_norm = 0;
};

/// Specialised for every device.
template <class M, class Device> class Engine;

template <class M> class Engine<M, Cpu> {
 public:
  using T = typename M::Scalar;
  using Data = Ensemble<T, M::dimension>;

  Engine(M& model, const Data& train, Index batch, const AdamWOptions& adamw, double average, std::size_t,
         Cpu& device)
      : model_(model),
        train_(train),
        device_(device),
        adamw_(adamw),
        gradient_(model.zeros()),
        own_(parameter_slices(ranks(), M::parameters)[std::size_t(ranks().rank())]),
        optimiser_(own_.end - own_.begin, adamw),
        batch_(train, batch) {
    if (average > 0) average_.emplace(own_.end - own_.begin, average);
  }

  std::int64_t steps() const { return optimiser_.state().step; }

  /// The weights are the model's: before the first step of a run, and after the last.
  void begin() {}
  void end() {}

  /// Loss and gradient of these conditions, the gradient clipped; nothing moves yet. `next` will be asked for
  /// next, and `noise` names what layers with noise inside draw in this step.
  template <class L>
  StepValues gradient(std::span<const Index> conditions, std::span<const Index> next, const L& loss,
                      double largest, TermValues& values, std::uint64_t noise) {
    batch_.gather(train_, conditions);
    read_ahead(train_, next);
    Condition<T, M::dimension> condition = batch_.condition();
    condition.noise = noise;
    Target<T, M::dimension> target = batch_.target();
    target.step = std::uint64_t(steps());
    const double value =
        own_value_and_gradient(model_, condition, loss.on(target, values), gradient_, device_);
    return {value, clip_slices(gradient_.values(), largest, ranks(), squares_)};
  }
  void step(double learning_rate) {
    optimiser_.step(own(model_.values()), own(std::as_const(gradient_).values()), learning_rate, device_);
    if (average_) average_->update(own(std::as_const(model_).values()));
    gather_parameters(ranks(), model_.values());
  }

  /// Of all parameters: all ranks call it.
  EngineState<T> state() const {
    EngineState<T> s{
        {whole(optimiser_.state().first.span()), whole(optimiser_.state().second.span()), steps()}, {}, 0};
    if (average_) {
      s.average = Buffer<T>(M::parameters);
      average_values(s.average.span());
      s.average_updates = average_->updates();
    }
    return s;
  }
  void resume(EngineState<T> s) {
    optimiser_ = AdamW<T>({part(s.adamw.first), part(s.adamw.second), s.adamw.step}, adamw_);
    if (average_) average_.emplace(part(s.average), s.average_updates, average_->decay());
  }
  bool has_average() const { return average_.has_value(); }
  /// All ranks call it.
  void average_values(std::span<T> to) const { put_together(average_->values(), to); }

 private:
  Communicator& ranks() const { return device_.communicator(); }
  /// This rank's slice of values in the layout of the parameters.
  template <class U> std::span<U> own(std::span<U> all) const {
    return all.subspan(own_.begin, own_.end - own_.begin);
  }
  Buffer<T> part(const Buffer<T>& all) const {
    Buffer<T> slice(own_.end - own_.begin);
    std::ranges::copy(own(all.span()), slice.data());
    return slice;
  }
  void put_together(std::span<const T> slice, std::span<T> to) const {
    std::ranges::copy(slice, to.data() + own_.begin);
    gather_parameters(ranks(), to);
  }
  Buffer<T> whole(std::span<const T> slice) const {
    Buffer<T> all(M::parameters);
    put_together(slice, all.span());
    return all;
  }

  M& model_;
  const Data& train_;
  Cpu& device_;
  AdamWOptions adamw_;
  M gradient_;
  Communicator::Slice own_;
  std::vector<double> squares_;  // of the gradient, (chunk)
  AdamW<T> optimiser_;
  Batch<T, M::dimension> batch_;
  std::optional<WeightAverage<T>> average_;
};

}  // namespace mno::detail
