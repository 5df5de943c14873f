#pragma once
// Our side of the comparison on a GPU: one model and one batch, and what is measured of them.
//
//   train    a training step as mno::Trainer makes it, the batch on the device: loss, gradient and its norm
//            (which come back to the host), AdamW
//   forward  mean and variance of the whole batch, from device memory to device memory
//   predict  the law of the whole batch as a user asks for it: u_0 from the host, mean and factor to the host
//   latency  the same for one sample
//   sample   256 draws from the law of one sample, from the host to the host
//
// All of them return when the device is done.
#include <functional>

#include "mno/cuda/sample.hpp"
#include "mno/cuda/train.hpp"
#include "setting.hpp"

namespace comparison {

template <int D> class GpuWorker {
 public:
  using M = Mno<Goal<D>>;
  static constexpr Index draws = 256;

  GpuWorker(Setting<D> setting, CudaOptions options)
      : device_(options),
        setting_(std::move(setting)),
        gradient_(setting_.model.zeros()),
        entries_(std::size_t(setting_.data.size())),
        engine_(setting_.model, setting_.data, setting_.data.size(), optimiser_options, 0, Recipe::size,
                device_),
        weights_(M::parameters, device_.check),
        initial_(setting_.data.initial.size(), device_.check),
        times_(setting_.data.times.size(), device_.check),
        law_(setting_.law(setting_.data.size())),
        one_(setting_.law(1)) {
    for (std::size_t i = 0; i < entries_.size(); ++i) entries_[i] = Index(i);
    device_.upload(std::as_const(setting_.model).values().data(), weights_.data(), weights_.size());
    device_.upload(setting_.data.initial.data(), initial_.data(), initial_.size());
    device_.upload(setting_.data.times.data(), times_.data(), times_.size());
    device_.wait();
    engine_.begin();
  }

  Cuda& device() { return device_; }

  double loss() {
    engine_.end();
    return value_and_gradient(setting_.model, setting_.data.condition(), recipe_.on(setting_.data.target()),
                              gradient_, device_);
  }
  void step() {
    engine_.gradient(entries_, {}, recipe_, std::numeric_limits<double>::max(), values_, 0);
    engine_.step(optimiser_options.learning_rate);
    device_.wait();
  }
  void check(const std::string& file) {
    const double value = loss();
    predict_into(setting_.model, setting_.data.condition(), law_, device_);
    write_check<D>(file, value, gradient_, law_.mean, variance(law_, device_));
  }

  std::function<void()> task(const std::string& name) {
    if (name == "train") return [this] { step(); };
    if (name == "forward") return [this] { forward(); };
    if (name == "predict")
      return [this] { predict_into(setting_.model, setting_.data.condition(), law_, device_); };
    if (name == "latency")
      return [this] {
        const Condition<float, D> first{setting_.data.initial.view().samples(0, 1),
                                        {setting_.data.times.data(), 1}};
        predict_into(setting_.model, first, one_, device_);
      };
    if (name == "sample") return [this] { drawn_ = sample(one_, draws, /*seed=*/7, device_); };
    return {};
  }

 private:
  /// Nothing leaves the device.
  void forward() {
    const auto& u = setting_.data.initial;
    device_.run(u.batch(), [&](Index samples) {
      const Condition<float, D> condition{{initial_.data(), samples, u.grid(), u.channels(), u.channels()},
                                          {times_.data(), std::size_t(samples)}};
      Pass<float, D, Cuda> pass(device_);
      const detail::Predicted<float, D> law{
          pass.keep_uninitialised(samples, u.grid(), u.channels()),
          pass.keep_uninitialised(samples, u.grid(), Goal<D>::rank * u.channels())};
      detail::predict_on(setting_.model, std::span<const float>(weights_.data(), weights_.size()),
                         static_cast<const PreparedWeights<float>*>(nullptr), condition,
                         View<const float, D>{}, 0, law, device_);
      const Index n = cuda::numbers(law.mean);
      float* const variance = device_.arena().template keep<float>(std::size_t(n));
      device_.for_each(n, cuda::detail::VarianceInto<float>{law.factor.data, nullptr, u.channels(),
                                                            Goal<D>::rank, variance});
    });
    device_.wait();
  }

  Cuda device_;
  Setting<D> setting_;
  M gradient_;
  std::vector<Index> entries_;
  detail::Engine<M, Cuda> engine_;
  cuda::DeviceBuffer<float> weights_, initial_, times_;
  Law<float, D> law_, one_;
  Field<float, D> drawn_;
  Recipe recipe_ = Recipe::decoupled();
  TermValues values_;
};

}  // namespace comparison
