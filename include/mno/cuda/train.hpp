#pragma once
// Training on the GPU: weights, moments and gradient stay there, batches are fetched ahead through pinned
// memory on a stream of their own.
#include "mno/cuda/gradient.hpp"
#include "mno/train/trainer.hpp"

namespace mno {

namespace cuda {

/// A stream and an event that says how far it has come.
class CopyStream {
 public:
  explicit CopyStream(const Checks& check) : check_(check) {
    check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "cudaStreamCreate");
  }
  ~CopyStream() {
    if (!stream_) return;
    cudaStreamSynchronize(stream_);
    cudaStreamDestroy(stream_);
  }
  CopyStream(const CopyStream&) = delete;
  CopyStream& operator=(const CopyStream&) = delete;
  cudaStream_t stream() const { return stream_; }
  void wait() const { check_(cudaStreamSynchronize(stream_), "cudaStreamSynchronize"); }

 private:
  const Checks& check_;
  cudaStream_t stream_ = nullptr;
};

class Event {
 public:
  explicit Event(const Checks& check) {
    check(cudaEventCreateWithFlags(&event_, cudaEventDisableTiming), "cudaEventCreate");
  }
  ~Event() {
    if (event_) cudaEventDestroy(event_);
  }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  cudaEvent_t get() const { return event_; }

 private:
  cudaEvent_t event_ = nullptr;
};

/// Entries of an ensemble side by side: one piece of pinned memory, and the same piece on the device.
template <class T, int D> class DeviceBatch {
 public:
  DeviceBatch(const Ensemble<T, D>& data, const View<const T, D>& stored_known, Index capacity,
              const Checks& check)
      : data_(data), ready_(check) {
    parts_ = {Part{&data.initial, 1}, Part{&data.mean, 1}, Part{&data.variance, 1},
              Part{&data.covariance_factor, 1},
              Part{&data.members, data.members.size() > 0 ? data.members.batch() / data.size() : 0}};
    if (data.known.batch() > 1) parts_.push_back(Part{&data.known, 1});
    std::size_t bytes = 0;
    for (Part& part : parts_) {
      part.offset = bytes;
      bytes += rounded(part.numbers() * std::size_t(capacity) * sizeof(T));
    }
    times_ = bytes;
    bytes += rounded(std::size_t(capacity) * sizeof(T));
    counts_ = bytes;
    bytes += rounded(std::size_t(capacity) * sizeof(Index));
    pinned_ = PinnedBuffer<std::byte>(bytes, check);
    device_ = DeviceBuffer<std::byte>(bytes, check);
    known_ = stored_known;
  }

  bool holds(std::span<const Index> entries) const {
    return !entries.empty() && std::equal(entries.begin(), entries.end(), entries_.begin(), entries_.end());
  }

  /// Gathers the entries and begins to copy them. The copy before must be done.
  void fetch(std::span<const Index> entries, cudaStream_t stream, const Checks& check) {
    entries_.clear();
    const std::size_t count = entries.size();
    for (const Part& part : parts_) {
      const std::size_t n = part.numbers();
      T* const to = reinterpret_cast<T*>(pinned_.data() + part.offset);
      for (std::size_t i = 0; i < count; ++i)
        std::copy_n(part.field->data() + std::size_t(entries[i]) * n, n, to + i * n);
      copy(part.offset, count * n * sizeof(T), stream, check);
    }
    T* const times = reinterpret_cast<T*>(pinned_.data() + times_);
    Index* const counts = reinterpret_cast<Index*>(pinned_.data() + counts_);
    for (std::size_t i = 0; i < count; ++i) {
      times[i] = data_.times[std::size_t(entries[i])];
      counts[i] = data_.counts[std::size_t(entries[i])];
    }
    copy(times_, count * sizeof(T), stream, check);
    copy(counts_, count * sizeof(Index), stream, check);
    check(cudaEventRecord(ready_.get(), stream), "cudaEventRecord");
    entries_.assign(entries.begin(), entries.end());
  }
  /// What is queued on `stream` from here on finds the entries there.
  void before(cudaStream_t stream, const Checks& check) const {
    check(cudaStreamWaitEvent(stream, ready_.get(), 0), "cudaStreamWaitEvent");
  }

  DeviceCondition<T, D> condition(Index samples) const {
    DeviceCondition<T, D> c{view(parts_[0], samples), reinterpret_cast<const T*>(device_.data() + times_),
                            known_};
    if (parts_.size() > 5) c.known = view(parts_[5], samples);
    return c;
  }
  DeviceTarget<T, D> target(Index samples) const {
    return {view(parts_[1], samples),
            view(parts_[2], samples),
            view(parts_[3], samples),
            view(parts_[4], samples),
            reinterpret_cast<const Index*>(device_.data() + counts_),
            parts_[4].each};
  }
  /// The same target as the host sees it, for its shape and counts.
  Target<T, D> host_target(Index samples) const {
    const auto shape = [&](const Part& part) {
      View<const T, D> v = view(part, samples);
      if (v) v.data = reinterpret_cast<const T*>(pinned_.data() + part.offset);
      return v;
    };
    return {shape(parts_[1]),
            shape(parts_[2]),
            {reinterpret_cast<const Index*>(pinned_.data() + counts_), std::size_t(samples)},
            shape(parts_[3]),
            shape(parts_[4]),
            shape(parts_[0])};
  }

 private:
  struct Part {
    const Field<T, D>* field;
    Index each;  // fields per entry
    std::size_t offset = 0;
    std::size_t numbers() const {
      return field->size() == 0 ? 0 : std::size_t(each * field->points() * field->channels());
    }
  };
  static std::size_t rounded(std::size_t bytes) {
    return (bytes + DeviceArena::boundary - 1) / DeviceArena::boundary * DeviceArena::boundary;
  }
  void copy(std::size_t offset, std::size_t bytes, cudaStream_t stream, const Checks& check) {
    if (bytes > 0)
      check(cudaMemcpyAsync(device_.data() + offset, pinned_.data() + offset, bytes, cudaMemcpyHostToDevice,
                            stream),
            "cudaMemcpyAsync", readable(bytes));
  }
  View<const T, D> view(const Part& part, Index samples) const {
    if (part.numbers() == 0) return {};
    return {reinterpret_cast<const T*>(device_.data() + part.offset), samples * part.each, part.field->grid(),
            part.field->channels(), part.field->channels()};
  }

  const Ensemble<T, D>& data_;
  std::vector<Part> parts_;
  std::size_t times_ = 0, counts_ = 0;
  PinnedBuffer<std::byte> pinned_;
  DeviceBuffer<std::byte> device_;
  View<const T, D> known_{};
  std::vector<Index> entries_;
  Event ready_;
};

/// A step of one weight and of its moving average, in one launch: it happens as a whole or not at all.
template <class T> struct AdamWNumber {
  AdamWStep<T> step;
  T *weights, *first, *second;
  const T* gradient;
  T* average;  // or null
  T rate;      // what the new weight counts in it
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

  Engine(M& model, const Data& train, Index batch, const AdamWOptions& adamw, double average, Cuda& device)
      : model_(model),
        train_(train),
        device_(device),
        adamw_(adamw),
        decay_(average),
        copies_(device.check),
        weights_(M::parameters, device.check),
        gradient_(M::parameters, device.check),
        first_(M::parameters, device.check),
        second_(M::parameters, device.check),
        result_(Recipe::size + 1, device.check) {
    AdamW<T>(std::size_t(0), adamw);  // checks the options
    if (average > 0) {
      WeightAverage<T>(std::size_t(0), average);
      average_ = cuda::DeviceBuffer<T>(M::parameters, device.check);
    }
    device.fill(first_.data(), Index(M::parameters), T(0));
    device.fill(second_.data(), Index(M::parameters), T(0));
    const cuda::KnownFields<M> known(model, train.condition());
    View<const T, D> shared = known.view();
    if (shared && shared.batch == 1) {
      known_ = cuda::DeviceBuffer<T>(std::size_t(cuda::numbers(shared)), device.check);
      device.upload(shared.data, known_.data(), known_.size());
      shared.data = known_.data();
    } else {
      shared = {};
    }
    for (auto& slot : slots_)
      slot = std::make_unique<cuda::DeviceBatch<T, D>>(train, shared, batch, device.check);
    device.wait();
  }
  /// Nothing of this may be in use when its memory goes.
  ~Engine() {
    cudaStreamSynchronize(device_.stream());
    cudaStreamSynchronize(copies_.stream());
  }

  std::int64_t steps() const { return steps_; }

  void begin() {
    if (ahead_) return;  // the model has not got the weights back yet
    device_.upload(std::as_const(model_).values().data(), weights_.data(), M::parameters);
    device_.wait();
    ahead_ = true;
  }
  void end() {
    device_.download(weights_.data(), model_.values().data(), M::parameters);
    device_.wait();
    ahead_ = false;
  }

  StepValues gradient(std::span<const Index> entries, std::span<const Index> next, const Recipe& recipe,
                      double largest, TermValues& values) {
    const Index samples = Index(entries.size());
    cuda::DeviceBatch<T, D>* batch = nullptr;
    for (auto& slot : slots_)
      if (slot->holds(entries)) batch = slot.get();
    if (!batch) {
      batch = slots_[0].get();
      copies_.wait();
      batch->fetch(entries, copies_.stream(), device_.check);
    }
    cuda::DeviceBatch<T, D>& other = batch == slots_[0].get() ? *slots_[1] : *slots_[0];
    const Target<T, D> host = batch->host_target(samples);
    require(host.mean.grid == train_.grid(), "Trainer", "train", text("one grid"), text("another"));
    batch->before(device_.stream(), device_.check);
    device_.run(samples, [&](Index n) {
      // Measured for other sizes than the batch's own, this only looks at how many there are.
      const auto condition = batch->condition(n);
      const auto target = batch->target(n);
      cuda::DeviceModel<M>(weights_.data(), model_.factor_scale())
          .gradient(device_, condition,
                    [&](const cuda::DeviceLaw<T, D>& law) {
                      cuda::evaluate_loss<Recipe, T, D>(device_, recipe, law, target, batch->host_target(n),
                                                        result_device());
                    },
                    gradient_.data(), {});
      cuda::reduce<double>(device_, 1, Index(M::parameters), cuda::SquareOf<T>{gradient_.data()},
                           result_device() + Recipe::size);
      device_.download(result_device(), result_.data(), Recipe::size + 1);
    });
    if (!next.empty()) {  // while the device computes
      copies_.wait();
      other.fetch(next, copies_.stream(), device_.check);
    }
    device_.wait();

    values.start(samples, Recipe::size);
    StepValues step;
    for (std::size_t term = 0; term < Recipe::size; ++term) {
      values.set(0, term, result_[term]);
      step.loss += result_[term];
    }
    step.gradient_norm = std::sqrt(result_[Recipe::size]);
    require(largest > 0, "clip", "largest", text("a positive norm"), text(largest));
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
    device_.download(first_.data(), s.adamw.first.data(), M::parameters);
    device_.download(second_.data(), s.adamw.second.data(), M::parameters);
    if (has_average()) {
      s.average = Buffer<T>(M::parameters);
      device_.download(average_.data(), s.average.data(), M::parameters);
      s.average_updates = average_updates_;
    }
    device_.wait();
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
  double* result_device() { return values_device_.data(); }

  M& model_;
  const Data& train_;
  Cuda& device_;
  AdamWOptions adamw_;
  double decay_;
  cuda::CopyStream copies_;
  cuda::DeviceBuffer<T> weights_, gradient_, first_, second_, average_, known_;
  cuda::DeviceBuffer<double> values_device_{Recipe::size + 1, device_.check};
  cuda::PinnedBuffer<double> result_;  // the terms' values, and ‖g‖²
  std::array<std::unique_ptr<cuda::DeviceBatch<T, D>>, 2> slots_;
  std::int64_t steps_ = 0, average_updates_ = 0;
  bool ahead_ = false;  // the device's weights are newer than the model's
};

}  // namespace detail
}  // namespace mno
