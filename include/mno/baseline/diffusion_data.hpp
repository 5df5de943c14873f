#pragma once
// What a denoiser is trained on (diffusion.hpp): one random member of every condition at a random τ, with new
// noise in every epoch.
//
//   DiffusionData<float, 1> data(train, mean, residual_scale(train, mean), seed);
//   options.average = 0.999;
//   Trainer trainer(denoiser, data.ensemble, nullptr, MeanSquaredError{}, options);
//   while (!trainer.finished()) data.draw<S>(trainer.epoch()), trainer.run_epoch();
#include <cmath>
#include <numbers>

#include "mno/baseline/diffusion.hpp"
#include "mno/data/ensemble.hpp"
#include "mno/data/symmetry.hpp"
#include "mno/model/predict.hpp"

namespace mno {

namespace baseline {

/// Without known fields.
template <class S> struct PlainProblem {
  static constexpr int dimension = S::dimension, channels = S::channels;
};

/// ε of every sample: a field with equal variance in every wave, 1 at a point.
template <class S, class T, int D>
Field<T, D> diffusion_noise(const View<const T, D>& like, Index draws, std::uint64_t seed) {
  using Plain = PlainProblem<S>;
  const Model<Noise<input_channels<Plain>(), S::channels, D, S::modes>, Plain, T> noise(0, like.grid.domain);
  const T unused = 0;
  return predict(noise,
                 Condition<T, D>{.initial = like, .times = {&unused, 1}, .noise = seed, .draws = draws});
}

}  // namespace baseline

/// s: the root mean square of (u_t − m̂)/√t over all members of conditions with t > 0.
template <class T, int D> T residual_scale(const Ensemble<T, D>& data, const Field<T, D>& mean) {
  require(data.members.size() > 0, "residual_scale", "data", Text("an ensemble whose members are kept"),
          Text("one of statistics"));
  const Index each = mean.points() * mean.channels();
  double squares = 0, count = 0;
  for (Index b = 0; b < data.size(); ++b) {
    const double t = double(data.times[std::size_t(b)]);
    if (!(t > 0)) continue;
    const View<const T, D> members = data.members_of(b);
    for (Index m = 0; m < members.batch; ++m)
      for (Index i = 0; i < each; ++i)
        squares += std::pow(double(members.data[m * each + i] - mean.data()[b * each + i]), 2) / t;
    count += double(members.batch * each);
  }
  require(count > 0 && squares > 0, "residual_scale", "data", Text("residuals at a time t > 0"),
          Text("none"));
  return T(std::sqrt(squares / count));
}

/// `ensemble` is what a trainer reads; `draw` fills it anew. Conditions are moved by the symmetries of the
/// law, and their means with them.
template <class T, int D> class DiffusionData {
 public:
  DiffusionData(const Ensemble<T, D>& data, const Field<T, D>& mean, T scale, std::uint64_t seed,
                const Symmetries& symmetries = {})
      : ensemble(make_ensemble<T, D>(data.size(), data.grid(), data.channels())),
        data_(data),
        mean_(mean),
        scale_(scale),
        seed_(seed),
        symmetries_(symmetries) {
    require_movable("DiffusionData", symmetries, data);
    const Index own = data.known.size() > 0 ? data.known.channels() : 0;
    ensemble.known = Field<T, D>(data.size(), data.grid(), data.channels() + 1 + own);
    for (Index b = 0; b < data.size(); ++b)
      for (Index p = 0; p < ensemble.known.points(); ++p) {
        ensemble.known(b, p, data.channels()) = data.times[std::size_t(b)];
        for (Index k = 0; k < own; ++k)
          ensemble.known(b, p, data.channels() + 1 + k) = data.known(data.known.batch() == 1 ? 0 : b, p, k);
      }
  }

  Ensemble<T, D> ensemble;

  /// The data of an epoch, a function of the seed and the epoch alone. S has the modes of the noise.
  template <class S> void draw(Index epoch) {
    Stream seeds(seed_, std::uint64_t(epoch), 0x64696666);  // "diff": apart from other uses
    const std::uint64_t high = seeds.bits(), noise_seed = high << 32 | seeds.bits();
    const Field<T, D> noise = baseline::diffusion_noise<S, T, D>(data_.initial.view(), 1, noise_seed);
    for (Index b = 0; b < data_.size(); ++b) {
      const View<const T, D> members = data_.members_of(b);
      const auto member = Index(seeds.uniform() * double(members.batch));
      const double tau = seeds.uniform(), phi = std::numbers::pi * tau / 2;
      const double size = double(scale_) * std::sqrt(double(data_.times[std::size_t(b)]));
      const Move<D> move = Move<D>::random(symmetries_, data_.grid(), seeds);
      const double sign = move.negative ? -1 : 1;
      ensemble.times[std::size_t(b)] = T(tau);
      for (Index p = 0; p < members.points(); ++p) {
        const Index to = move.place(data_.grid(), p);
        for (Index c = 0; c < members.channels; ++c) {
          const double residual =
              size > 0 ? sign * double(members(member, p, c) - mean_(b, p, c)) / size : 0.0;
          const double epsilon = double(noise(b, to, c));
          ensemble.initial(b, to, c) = T(sign * double(data_.initial(b, p, c)));
          ensemble.known(b, to, c) = T(std::cos(phi) * residual + std::sin(phi) * epsilon);
          ensemble.mean(b, to, c) = T(std::cos(phi) * epsilon - std::sin(phi) * residual);
        }
      }
    }
  }

 private:
  const Ensemble<T, D>& data_;
  const Field<T, D>& mean_;
  T scale_;
  std::uint64_t seed_;
  Symmetries symmetries_;
};

}  // namespace mno
