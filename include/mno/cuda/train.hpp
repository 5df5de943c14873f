#pragma once
// Training on the GPU: weights, moments and gradient stay there, batches are fetched ahead through pinned
// memory on a stream of their own.
//
// A batch is cut into the shards of the device, whose gradients are summed in the tree of core/tree.hpp. Of
// several ranks each computes a run of shards, is sent its slice of the parameters' sums, keeps the
// optimiser's state of that slice and moves it; then all get all weights. The number of ranks does not change
// a bit.
#include "mno/cuda/batch.hpp"
#include "mno/cuda/optimiser.hpp"
#include "mno/cuda/rank_sums.hpp"
#include "mno/train/trainer.hpp"

namespace mno::detail {

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
        own_(parameter_slices(ranks(), M::parameters)[std::size_t(ranks().rank())]),
        weights_(M::parameters, device.check),
        gradient_(M::parameters, device.check),
        first_(own(), device.check),
        second_(own(), device.check),
        result_(chunks + std::size_t(device.options().shards) * terms, device.check) {
    detail::check_condition<typename M::ShapeType>("Trainer", train.condition(), model.domain(),
                                                   model.stored_known_fields().size() > 0);
    detail::check_target("Trainer", train.target());
    [[maybe_unused]] const AdamW<T> checked(std::size_t(0), adamw);  // its constructor checks the options
    if (average > 0) {
      [[maybe_unused]] const WeightAverage<T> checked_too(std::size_t(0), average);
      average_ = cuda::DeviceBuffer<T>(own(), device.check);
    }
    device.fill(first_.data(), Index(own()), T(0));
    device.fill(second_.data(), Index(own()), T(0));
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
    require(largest > 0, "clip", "largest", Text("a positive norm"), Text(largest));
    const Index samples = Index(conditions.size());
    const Shards shards = device_.shards(samples);
    cuda::DeviceBatch<T, D>* batch = nullptr;
    for (auto& slot : slots_)
      if (slot->holds(conditions)) batch = slot.get();
    if (!batch) {
      batch = slots_[0].get();
      fetch(*batch, conditions);
    }
    cuda::DeviceBatch<T, D>& other = batch == slots_[0].get() ? *slots_[1] : *slots_[0];
    batch->before(device_.stream(), device_.check);
    TreeStack nodes(shards.count());
    const ShardRange range = shards.part(ranks().rank(), ranks().size());
    for (Index shard = range.begin; shard < range.end; ++shard) {
      shard_gradient(*batch, shards, shard, given, noise, node(nodes.size()));
      nodes.push({shard, 1}, [&](Index left, Index right) {
        device_.for_each(Index(M::parameters), cuda::AddTo<T>{node(right), node(left)});
      });
    }
    if (!next.empty()) fetch(other, next);  // while the device computes
    if (ranks().size() > 1) {
      const T* sums[TreeStack::most];
      for (Index k = 0; k < nodes.size(); ++k) sums[k] = node(k);
      sums_.add(device_, shards, {sums, std::size_t(nodes.size())}, {gradient_.data(), M::parameters});
    }
    const Communicator::Slice slice = ranks().slice(chunks, ranks().rank());
    device_.run(1, [&](Index) {
      cuda::reduce<double>(
          device_, Index(slice.end - slice.begin), Index(parameter_chunk),
          cuda::SquareOf<T>{gradient_.data() + own_.begin, Index(own()), Index(parameter_chunk)},
          values_device_.data() + slice.begin);
      device_.download(values_device_.data(), result_.data(), chunks + std::size_t(shards.count()) * L::size);
    });
    device_.wait();

    double* const of_shards = result_.data() + chunks;  // (shard, term)
    if (ranks().size() > 1) gather_results(of_shards, L::size);
    values.start(samples, L::size);
    std::array<double, std::size_t(Shards::most)> losses{};
    for (Index shard = 0; shard < shards.count(); ++shard)
      for (std::size_t term = 0; term < L::size; ++term) {
        const double value = of_shards[std::size_t(shard) * L::size + term];
        values.set(shards.first_sample(shard), term, value);
        losses[std::size_t(shard)] += value;
      }
    StepValues step{tree_sum({losses.data(), std::size_t(shards.count())}),
                    std::sqrt(tree_sum({result_.data(), chunks}))};
    if (std::isfinite(step.gradient_norm) && step.gradient_norm > largest)
      device_.for_each(Index(own()),
                       cuda::ScaleBy<T>{gradient_.data() + own_.begin, T(largest / step.gradient_norm)});
    return step;
  }

  void step(double learning_rate) {
    const T rate = has_average() ? T(WeightAverage<T>::share(decay_, average_updates_ + 1)) : T(0);
    device_.for_each(Index(own()), cuda::AdamWNumber<T>{{adamw_, learning_rate, steps_ + 1},
                                                        weights_.data() + own_.begin,
                                                        first_.data(),
                                                        second_.data(),
                                                        gradient_.data() + own_.begin,
                                                        average_.data(),
                                                        rate});
    ++steps_;
    if (has_average()) ++average_updates_;
    if (ranks().size() > 1) sums_.gather(device_, {weights_.data(), M::parameters});
  }

  /// Of all parameters: all ranks call it.
  EngineState<T> state() {
    if (ahead_) end();
    EngineState<T> s{{Buffer<T>(M::parameters), Buffer<T>(M::parameters), steps_}, {}, 0};
    if (has_average()) {
      s.average = Buffer<T>(M::parameters);
      s.average_updates = average_updates_;
    }
    try {
      device_.download(first_.data(), s.adamw.first.data() + own_.begin, own());
      device_.download(second_.data(), s.adamw.second.data() + own_.begin, own());
      if (has_average()) device_.download(average_.data(), s.average.data() + own_.begin, own());
      device_.wait();
    } catch (...) {
      device_.settle();
      throw;
    }
    gather_parameters(ranks(), s.adamw.first.span());
    gather_parameters(ranks(), s.adamw.second.span());
    if (has_average()) gather_parameters(ranks(), s.average.span());
    return s;
  }
  void resume(EngineState<T> s) {
    device_.upload(s.adamw.first.data() + own_.begin, first_.data(), own());
    device_.upload(s.adamw.second.data() + own_.begin, second_.data(), own());
    steps_ = s.adamw.step;
    if (has_average()) device_.upload(s.average.data() + own_.begin, average_.data(), own());
    average_updates_ = s.average_updates;
    device_.wait();
    ahead_ = false;
  }
  bool has_average() const { return decay_ > 0; }
  /// All ranks call it.
  void average_values(std::span<T> to) const {
    device_.download(average_.data(), to.data() + own_.begin, own());
    device_.wait();
    gather_parameters(ranks(), to);
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
  static constexpr std::size_t chunks = (M::parameters + parameter_chunk - 1) / parameter_chunk;

  Communicator& ranks() const { return device_.communicator(); }
  /// Parameters of this rank's slice.
  std::size_t own() const { return own_.end - own_.begin; }
  /// The gradient of a node of the tree, by its position in a stack: the first is where the whole sum goes.
  T* node(Index position) {
    if (position == 0) return gradient_.data();
    while (nodes_.size() < std::size_t(position)) nodes_.emplace_back(M::parameters, device_.check);
    return nodes_[std::size_t(position - 1)].data();
  }

  /// This rank's conditions of a batch, on their way to the device.
  void fetch(cuda::DeviceBatch<T, D>& batch, std::span<const Index> conditions) {
    const Shards shards = device_.shards(Index(conditions.size()));
    const ShardRange range = shards.part(ranks().rank(), ranks().size());
    copies_.wait();
    batch.fetch(conditions, std::size_t(shards.first_sample(range.begin)),
                std::size_t(shards.first_sample(range.end)), copies_.stream(), device_.check);
  }

  /// The share of one shard in the gradient of the batch, and in the terms of its loss.
  template <class L>
  void shard_gradient(const cuda::DeviceBatch<T, D>& batch, const Shards& shards, Index shard, const L& given,
                      std::uint64_t noise, T* gradient) {
    const Index first = shards.first_sample(shard);
    double* const values = values_device_.data() + chunks + std::size_t(shard) * L::size;
    device_.run(shards.first_sample(shard + 1) - first, [&](Index n) {
      // When memory is measured for other sizes than the shard's own, only the number of samples matters
      // here.
      const auto loss = [&](const auto& block) {
        Target<T, D> target = batch.target(shards.batch);
        target.step = std::uint64_t(steps_);
        cuda::evaluate_loss(device_, given, block, target, batch.host_target(shards.batch), values);
        return 0.0;  // known when the device is done
      };
      Condition<T, D> condition = some_of<T, D>(batch.condition(shards.batch), first, n);
      condition.noise = noise;
      if constexpr (OfDraws<L>) condition = visited<M>(condition, draws_of(given));
      gradient_on(model_, std::span<const T>(weights_.data(), M::parameters), condition, stored_, loss,
                  std::span<T>(gradient, M::parameters), device_, ConditionBar<T, D>{},
                  first * condition.draws);
    });
  }

  /// Squares of the gradient's chunks and values of terms, from the ranks that have them to all.
  void gather_results(double* of_shards, std::size_t terms) {
    std::vector<Communicator::Slice> parts;
    for (Index rank = 0; rank < ranks().size(); ++rank) parts.push_back(ranks().slice(chunks, rank));
    ranks().all_gather(std::span(result_.data(), chunks), std::span<const Communicator::Slice>(parts));
    parts.clear();
    for (const Communicator::Slice& s : sums_.shards()) parts.push_back({s.begin * terms, s.end * terms});
    ranks().all_gather(std::span(of_shards, parts.back().end), std::span<const Communicator::Slice>(parts));
  }

  M& model_;
  Cuda& device_;
  AdamWOptions adamw_;
  double decay_;
  cuda::CopyStream copies_;
  Communicator::Slice own_;                           // of the parameters
  cuda::DeviceBuffer<T> weights_, gradient_, known_;  // of all
  cuda::DeviceBuffer<T> first_, second_, average_;    // of the slice
  std::vector<cuda::DeviceBuffer<T>> nodes_;          // sums over nodes of the tree, from the second on
  cuda::DeviceRankSums<T> sums_;
  View<const T, D> stored_{};          // known fields of the model, in the device's memory
  cuda::PinnedBuffer<double> result_;  // ‖g‖² of every chunk, and the values of terms: (shard, term)
  cuda::DeviceBuffer<double> values_device_{result_.size(), device_.check};
  std::array<std::unique_ptr<cuda::DeviceBatch<T, D>>, 2> slots_;
  std::int64_t steps_ = 0, average_updates_ = 0;
  bool ahead_ = false;                                 // the device's weights are newer than the model's
  Settle settle_{device_.stream(), copies_.stream()};  // the last member is destroyed first
};

}  // namespace mno::detail
