#pragma once
// predict and predict_into with a GPU as the device: the same calls, the same results to rounding.
#include "mno/cuda/model.hpp"
#include "mno/cuda/upload.hpp"
#include "mno/model/predict.hpp"

namespace mno::detail {

/// As many samples at a time as there is room for.
template <> struct HostPrediction<Cuda> {
  template <class M, class T, int D>
  static void run(const M& model, const PreparedWeights<T>*, const Condition<T, D>& condition,
                  const Predicted<T, D>& to, Cuda& device) {
    const Index batch = condition.initial.batch, draws = condition.draws;
    Index first = 0;  // condition
    const auto body = [&](Index conditions) {
      const Index samples = conditions * draws;
      const auto weights = cuda::uploaded(device, model.values());
      const auto there = cuda::uploaded(device, condition, first, conditions);
      const auto stored =
          cuda::uploaded(device, condition.known ? View<const T, D>{} : model.stored_known_fields().view());
      const auto like = [&](View<T, D> host) {
        if (host)
          host.data = device.arena().template keep<T>(std::size_t(samples * host.points() * host.channels));
        return host;
      };
      const Predicted<T, D> law{like(to.mean), like(to.factor), like(to.nugget)};
      predict_on(model, weights, static_cast<const PreparedWeights<T>*>(nullptr), there, stored,
                 first * draws, law, device);
      const auto bring = [&](const View<T, D>& from, const View<T, D>& all) {
        if (from)
          device.download(from.data, all.samples(first * draws, samples).data,
                          std::size_t(samples * all.points() * all.channels));
      };
      bring(law.mean, to.mean);
      bring(law.factor, to.factor);
      bring(law.nugget, to.nugget);
      if (!device.measuring()) device.wait();
    };
    std::size_t free = 0, total = 0;
    device.check(cudaMemGetInfo(&free, &total), "cudaMemGetInfo");
    const std::size_t room = device.memory() + free / 2;
    Index most = batch;
    while (most > 1 && device.measure(most, body) > room) most = (most + 1) / 2;
    for (; first < batch; first += most) device.run(std::min(most, batch - first), body);
  }
};

}  // namespace mno::detail
