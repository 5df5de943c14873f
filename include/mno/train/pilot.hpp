#pragma once
// The size of the noise in data without ensembles: what a mean that was trained for a while leaves
// unexplained on conditions that it has not seen. E(u − m)² = E Var(u|u_0) + E(E(u|u_0) − m)², so it is an
// upper bound, and close to the variance once the mean is.
#include "mno/loss/mean_squared_error.hpp"
#include "mno/train/trainer.hpp"

namespace mno {

/// The mean of (u − m)² over conditions, members, points and channels of `held`, after a tenth of the epochs
/// on `train`. The model is a copy: nothing of the pilot stays but this number.
template <class M, class Device>
double pilot_noise(M model, const Ensemble<typename M::Scalar, M::dimension>& train,
                   const Ensemble<typename M::Scalar, M::dimension>& held, TrainingOptions options,
                   Device& device) {
  options.epochs = std::max<Index>(5, options.epochs / 10);
  options.average = 0;
  options.patience = 0;
  {
    Trainer trainer(model, train, nullptr, MeanSquaredError{}, options, device);
    while (!trainer.finished()) trainer.run_epoch();
  }
  const auto law = predict(model, held.condition(), device);
  double sum = 0;
  const Index n = held.mean.points() * held.channels();
  for (Index e = 0; e < held.size(); ++e) {
    const double members = double(held.counts[std::size_t(e)]);
    for (Index i = e * n; i < (e + 1) * n; ++i) {
      const double error = double(law.mean.data()[i]) - double(held.mean.data()[i]);
      sum += error * error + (members > 1 ? double(held.variance.data()[i]) * (members - 1) / members : 0);
    }
  }
  return sum / double(held.size() * n);
}

}  // namespace mno
