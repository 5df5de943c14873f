#pragma once
// Training on the GPU: weights, moments and gradient stay there, batches are fetched ahead through pinned
// memory on a stream of their own.
#include "mno/cuda/batch.hpp"
#include "mno/train/trainer.hpp"

namespace mno {

namespace cuda {

/// A step of one weight and of its moving average, in one launch: it happens as a whole or not at all.
template <class T> struct AdamWNumber {
  AdamWStep<T> step;
  T *weights, *first, *second;
  const T* gradient;
  T* average;  // or null
  T rate;      // the share of the new weight in it
  MNO_HOST_DEVICE void operator()(Index i) const {
    step(weights[i], first[i], second[i], gradient[i]);
    if (average) average[i] = rate == T(1) ? weights[i] : average[i] + rate * (weights[i] - average[i]);
  }
};
template <class T> struct SquareOf {
  const T* values;
  MNO_HOST_DEVICE double operator()(Index, Index i) const { return double(values[i]) * double(values[i]); }
};
template <class T> struct ScaleBy {
  T* values;
  T factor;
  MNO_HOST_DEVICE void operator()(Index i) const { values[i] *= factor; }
};

}  // namespace cuda

namespace detail {

template <class M> class Engine<M, Cuda> {
 public:
  using T = typename M::Scalar;
  static constexpr int D = M::dimension;
  using Data = Ensemble<T, D>;

  Engine(M& model, const Data& train, Index batch, const AdamWOptions& adamw, double average,
         std::size_t terms, Cuda& device)
      : model_(model),
        device_(device),
        adamw_(adamw),
        decay_(average),
        copies_(device.check),
        weights_(M::parameters, device.check),
        gradient_(M::parameters, device.check),
        first_(M::parameters, device.check),
        second_(M::parameters, device.check),
        result_(terms + 1, device.check) {
    detail::check_condition<typename M::ShapeType>("Trainer", train.condition(), model.domain(),
                                                   model.stored_known_fields().size() > 0);
    detail::check_target("Trainer", train.target());
    [[maybe_unused]] const AdamW<T> checked(std::size_t(0), adamw);  // its constructor checks the options
    if (average > 0) {
      [[maybe_unused]] const WeightAverage<T> checked_too(std::size_t(0), average);
      average_ = cuda::DeviceBuffer<T>(M::parameters, device.check);
    }
    device.fill(first_.data(), Index(M::parameters), T(0));
    device.fill(second_.data(), Index(M::parameters), T(0));
    // Known fields that all conditions share: the ensemble's, or the model's, on the grid that layers work
    // on.
    const Field<T, D>& stored = model.stored_known_fields();
    const Grid<D> fine = working_grid(train.grid(), model.least_points());
    const bool given = train.known.size() > 0,
               resampled = !given && stored.size() > 0 && !(stored.grid() == fine);
    if (resampled) require_same_box("Trainer", "known", box_of(stored.grid()), fine);
    const Field<T, D> on_fine = resampled ? resample<T, D>(in_box(stored), fine.points) : Field<T, D>();
    View<const T, D> shared = given ? train.known.view() : resampled ? on_fine.view() : stored.view();
    if (shared.batch == 1) {
      known_ = cuda::DeviceBuffer<T>(std::size_t(cuda::numbers(shared)), device.check);
      device.upload(shared.data, known_.data(), known_.size());
      shared.data = known_.data();
      if (!given) stored_ = std::exchange(shared, {});
    } else {
      shared = {};
    }
    for (auto& slot : slots_)
      slot = std::make_unique<cuda::DeviceBatch<T, D>>(train, shared, batch, device.check);
    device.wait();
  }
  std::int64_t steps() const { return steps_; }

  void begin() {
    for (auto& slot : slots_) slot->forget();
    if (ahead_) return;  // the model does not have the weights back yet
    device_.upload(std::as_const(model_).values().data(), weights_.data(), M::parameters);
    device_.wait();
    ahead_ = true;
  }
  void end() {
    device_.download(weights_.data(), model_.values().data(), M::parameters);
    device_.wait();
    ahead_ = false;
  }

  template <class L>
  StepValues gradient(std::span<const Index> conditions, std::span<const Index> next, const L& given,
                      double largest, TermValues& values, std::uint64_t noise) {
    const Index samples = Index(conditions.size());
    cuda::DeviceBatch<T, D>* batch = nullptr;
    for (auto& slot : slots_)
      if (slot->holds(conditions)) batch = slot.get();
    if (!batch) {
      batch = slots_[0].get();
      copies_.wait();
      batch->fetch(conditions, copies_.stream(), device_.check);
    }
    cuda::DeviceBatch<T, D>& other = batch == slots_[0].get() ? *slots_[1] : *slots_[0];
    batch->before(device_.stream(), device_.check);
    device_.run(samples, [&](Index n) {
      // When memory is measured for other sizes than the batch's own, only the number of samples matters
      // here.
      const auto loss = [&](const auto& block) {
        Target<T, D> target = batch->target(n);
        target.step = std::uint64_t(steps_);
        cuda::evaluate_loss(device_, given, block, target, batch->host_target(n), result_device());
        return 0.0;  // known when the device is done
      };
      Condition<T, D> condition = batch->condition(n);
      condition.noise = noise;
      if constexpr (OfDraws<L>) condition = visited<M>(condition, draws_of(given));
      gradient_on(model_, std::span<const T>(weights_.data(), M::parameters), condition, stored_, loss,
                  std::span<T>(gradient_.data(), M::parameters), device_, ConditionBar<T, D>{});
      cuda::reduce<double>(device_, 1, Index(M::parameters), cuda::SquareOf<T>{gradient_.data()},
                           result_device() + L::size);
      device_.download(result_device(), result_.data(), L::size + 1);
    });
    if (!next.empty()) {  // while the device computes
      copies_.wait();
      other.fetch(next, copies_.stream(), device_.check);
    }
    device_.wait();

    values.start(samples, L::size);
    StepValues step;
    for (std::size_t term = 0; term < L::size; ++term) {
      values.set(0, term, result_[term]);
      step.loss += result_[term];
    }
    step.gradient_norm = std::sqrt(result_[L::size]);
    require(largest > 0, "clip", "largest", Text("a positive norm"), Text(largest));
    if (std::isfinite(step.gradient_norm) && step.gradient_norm > largest)
      device_.for_each(Index(M::parameters),
                       cuda::ScaleBy<T>{gradient_.data(), T(largest / step.gradient_norm)});
    return step;
  }

  void step(double learning_rate) {
    const T rate = has_average() ? T(WeightAverage<T>::share(decay_, average_updates_ + 1)) : T(0);
    device_.for_each(Index(M::parameters), cuda::AdamWNumber<T>{{adamw_, learning_rate, steps_ + 1},
                                                                weights_.data(),
                                                                first_.data(),
                                                                second_.data(),
                                                                gradient_.data(),
                                                                average_.data(),
                                                                rate});
    ++steps_;
    if (has_average()) ++average_updates_;
  }

  EngineState<T> state() {
    if (ahead_) end();
    EngineState<T> s{{Buffer<T>(M::parameters), Buffer<T>(M::parameters), steps_}, {}, 0};
    if (has_average()) {
      s.average = Buffer<T>(M::parameters);
      s.average_updates = average_updates_;
    }
    try {
      device_.download(first_.data(), s.adamw.first.data(), M::parameters);
      device_.download(second_.data(), s.adamw.second.data(), M::parameters);
      if (has_average()) device_.download(average_.data(), s.average.data(), M::parameters);
      device_.wait();
    } catch (...) {
      device_.settle();
      throw;
    }
    return s;
  }
  void resume(EngineState<T> s) {
    device_.upload(s.adamw.first.data(), first_.data(), M::parameters);
    device_.upload(s.adamw.second.data(), second_.data(), M::parameters);
    steps_ = s.adamw.step;
    if (has_average()) device_.upload(s.average.data(), average_.data(), M::parameters);
    average_updates_ = s.average_updates;
    device_.wait();
    ahead_ = false;
  }
  bool has_average() const { return average_.size() > 0; }
  void average_values(std::span<T> to) const {
    device_.download(average_.data(), to.data(), to.size());
    device_.wait();
  }

 private:
  /// No memory may be in use when it is freed, even if a constructor fails half-way.
  struct Settle {
    cudaStream_t one, other;
    Settle(cudaStream_t a, cudaStream_t b) : one(a), other(b) {}
    Settle(const Settle&) = delete;
    Settle& operator=(const Settle&) = delete;
    ~Settle() {
      cudaStreamSynchronize(one);
      cudaStreamSynchronize(other);
    }
  };
  double* result_device() { return values_device_.data(); }

  M& model_;
  Cuda& device_;
  AdamWOptions adamw_;
  double decay_;
  cuda::CopyStream copies_;
  cuda::DeviceBuffer<T> weights_, gradient_, first_, second_, average_, known_;
  View<const T, D> stored_{};          // known fields of the model, in the device's memory
  cuda::PinnedBuffer<double> result_;  // the terms' values, and ‖g‖²
  cuda::DeviceBuffer<double> values_device_{result_.size(), device_.check};
  std::array<std::unique_ptr<cuda::DeviceBatch<T, D>>, 2> slots_;
  std::int64_t steps_ = 0, average_updates_ = 0;
  bool ahead_ = false;                                 // the device's weights are newer than the model's
  Settle settle_{device_.stream(), copies_.stream()};  // the last member is destroyed first
};

}  // namespace detail
}  // namespace mno
