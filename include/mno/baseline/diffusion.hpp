#pragma once
// Conditional diffusion of the standardised residual r = (u_t − m̂)/ŝ, ŝ = s√t. With φ = πτ/2,
//
//     x_τ = cos φ r + sin φ ε,   v = cos φ ε − sin φ r,   a network learns E[v | x_τ, u_0, t, τ];
//     DDIM, from x_1 = ε down in n steps of δ = π/2n:   x ← cos δ x − sin δ v(x, τ),   u = m̂ + ŝ x_0.
//
// Published (Ho et al. 2020; cosine schedule: Nichol, Dhariwal 2021; DDIM: Song et al. 2021; v: Salimans, Ho
// 2022): a U-Net on images of pixel noise. Our reading: an FNO that is given u_0, t and x_τ, noise per wave,
// and a mean m̂ that an FNO has learned before. See docs/baselines.md.
//
//   Denoiser<S> model;  DiffusionData data(train, mean, scale, seed);
//   Trainer trainer(model, data.ensemble, nullptr, MeanSquaredError{}, options);   // options.average = 0.999
//   while (!trainer.finished()) data.draw<S>(trainer.epoch()), trainer.run_epoch();
//   diffusion_draws(model, condition, mean, scale, draws, /*evaluations=*/50, seed);
#include <cmath>
#include <numbers>

#include "mno/baseline/increment_head.hpp"
#include "mno/data/ensemble.hpp"
#include "mno/layer/noise.hpp"
#include "mno/model/predict.hpp"

namespace mno {

namespace baseline {

/// The denoiser's problem: τ stands in the place of t, and [x_τ | t] come before the known fields.
template <Shape S> struct DiffusionShape : S {
  static constexpr int known = S::channels + 1 + known_fields<S>();
};

template <Shape S>
struct MeanOperator : Chain<Lift<S>, Repeat<S::depth, FourierLayer<S>>, IncrementHead<S>> {};

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

/// DDIM from x = ε; v(x, τ) is the field that a network or a formula says.
template <class T, int D, class Velocity>
Field<T, D> ddim(Field<T, D> x, Index evaluations, const Velocity& velocity) {
  require(evaluations >= 1, "ddim", "evaluations", Text("at least one"), Text(evaluations));
  const double delta = std::numbers::pi / (2 * double(evaluations));
  for (Index left = evaluations; left > 0; --left) {
    const Field<T, D> v = velocity(std::as_const(x), T(double(left) / double(evaluations)));
    for (std::size_t i = 0; i < x.size(); ++i)
      x.data()[i] = T(std::cos(delta) * x.data()[i] - std::sin(delta) * v.data()[i]);
  }
  return x;
}

}  // namespace baseline

/// m̂: a deterministic FNO, u_0 at t = 0.
template <class S, class T = float>
using MeanFno = Model<baseline::MeanOperator<typename RequireShape<S>::type>, S, T>;

/// [u_0, τ, x_τ, t, …] ↦ v
template <class S, class T = float>
using Denoiser = Model<FnoOperator<baseline::DiffusionShape<typename RequireShape<S>::type>>,
                       baseline::DiffusionShape<S>, T>;

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

/// What a denoiser is trained on: of every condition one random member at a random τ with other noise in
/// every epoch. `ensemble` is what a trainer reads; `draw` fills it anew.
template <class T, int D> class DiffusionData {
 public:
  DiffusionData(const Ensemble<T, D>& data, const Field<T, D>& mean, T scale, std::uint64_t seed)
      : ensemble(make_ensemble<T, D>(data.size(), data.grid(), data.channels())),
        data_(data),
        mean_(mean),
        scale_(scale),
        seed_(seed) {
    const Index own = data.known.size() > 0 ? data.known.channels() : 0;
    ensemble.initial = data.initial;
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
      ensemble.times[std::size_t(b)] = T(tau);
      for (Index p = 0; p < members.points(); ++p)
        for (Index c = 0; c < members.channels; ++c) {
          const double residual = size > 0 ? double(members(member, p, c) - mean_(b, p, c)) / size : 0.0;
          const double epsilon = double(noise(b, p, c));
          ensemble.known(b, p, c) = T(std::cos(phi) * residual + std::sin(phi) * epsilon);
          ensemble.mean(b, p, c) = T(std::cos(phi) * epsilon - std::sin(phi) * residual);
        }
    }
  }

 private:
  const Ensemble<T, D>& data_;
  const Field<T, D>& mean_;
  T scale_;
  std::uint64_t seed_;
};

/// Draws of every condition, (condition·draws + draw, grid…, C), by so many evaluations of the network; at
/// t = 0 they are m̂, bit for bit.
template <class M, class T, int D>
Field<T, D> diffusion_draws(const M& denoiser, const Condition<T, D>& condition, const Field<T, D>& mean,
                            T scale, Index draws, Index evaluations, std::uint64_t seed) {
  using S = typename M::ShapeType;
  const auto& u = condition.initial;
  const Index samples = u.batch * draws;
  Field<T, D> initial(samples, u.grid, u.channels), known(samples, u.grid, S::known);
  for (Index i = 0; i < samples; ++i)
    for (Index p = 0; p < u.points(); ++p) {
      for (Index c = 0; c < u.channels; ++c) initial(i, p, c) = u(i / draws, p, c);
      known(i, p, S::channels) = condition.time(i / draws);
      for (Index k = S::channels + 1; k < S::known; ++k)
        known(i, p, k) = condition.known(condition.known.batch == 1 ? 0 : i / draws, p, k - S::channels - 1);
    }
  const auto velocity = [&](const Field<T, D>& x, T tau) {
    for (Index i = 0; i < samples; ++i)
      for (Index p = 0; p < u.points(); ++p)
        for (Index c = 0; c < S::channels; ++c) known(i, p, c) = x(i, p, c);
    return predict(denoiser, Condition<T, D>{initial.view(), {&tau, 1}, known.view()});
  };
  Field<T, D> x = baseline::ddim(baseline::diffusion_noise<S, T, D>(u, draws, seed), evaluations, velocity);
  for (Index i = 0; i < samples; ++i) {
    const T size = scale * std::sqrt(condition.time(i / draws));
    for (Index p = 0; p < u.points(); ++p)
      for (Index c = 0; c < S::channels; ++c)
        x(i, p, c) = size == T(0) ? mean(i / draws, p, c) : mean(i / draws, p, c) + size * x(i, p, c);
  }
  return x;
}

}  // namespace mno
