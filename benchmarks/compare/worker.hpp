#pragma once
// Our side of the comparison with peers on processors.
//
//   compare_worker make <shape> <batch> FILE      writes weights and data, for both sides to read
//   compare_worker work <shape> <threads> FILE    reads them and answers the commands of protocol.hpp:
//       train    a training step
//       forward  mean and variance of the whole batch
//       latency  the same for one sample
#include "mno/law/moments.hpp"
#include "mno/model/gradient.hpp"
#include "mno/model/prepared.hpp"
#include "protocol.hpp"
#include "setting.hpp"

namespace comparison {

template <int D> void make(const std::string& shape, Index batch, const std::string& file) {
  Setting<D>::made_up(shape, batch).write(file);
}

template <int D> class Worker {
 public:
  using M = Mno<Goal<D>>;

  Worker(Setting<D> setting, int threads)
      : device_(threads),
        setting_(std::move(setting)),
        gradient_(setting_.model.zeros()),
        optimiser_(M::parameters, optimiser_options),
        law_(setting_.law(setting_.data.size())),
        one_(setting_.law(1)) {}

  double loss() {
    return value_and_gradient(setting_.model, setting_.data.condition(), recipe_.on(setting_.data.target()),
                              gradient_, device_);
  }
  void step() {
    loss();
    optimiser_.step(setting_.model.values(), std::as_const(gradient_).values(), device_);
  }
  void check(const std::string& file) {
    const double value = loss();
    forward(setting_.data.condition(), law_);
    write_check<D>(file, value, gradient_, law_.mean, asked_);
  }
  std::function<void()> task(const std::string& name) {
    if (name == "train") return [this] { step(); };
    if (name == "forward") return [this] { forward(setting_.data.condition(), law_); };
    if (name == "latency")
      return [this] {
        forward({setting_.data.initial.view().samples(0, 1), {setting_.data.times.data(), 1}}, one_);
      };
    return {};
  }

 private:
  /// Mean and variance, as a user asks for them.
  void forward(const Condition<float, D>& condition, Law<float, D>& law) {
    predict_into(setting_.model, condition, law, device_);
    asked_ = variance(law);
  }

  Cpu device_;
  Setting<D> setting_;
  M gradient_;
  AdamW<float> optimiser_;
  Recipe recipe_ = Recipe::decoupled();
  Field<float, D> asked_;
  Law<float, D> law_, one_;
};

template <int D> void work(const std::string& shape, int threads, const std::string& file) {
  Worker<D> worker(Setting<D>::read(shape, file), threads);
  answer_commands(worker);
}

// Each dimension is compiled in a file of its own.
extern template void make<1>(const std::string&, Index, const std::string&);
extern template void make<2>(const std::string&, Index, const std::string&);
extern template void work<1>(const std::string&, int, const std::string&);
extern template void work<2>(const std::string&, int, const std::string&);

}  // namespace comparison
