#pragma once
// A semigroup of learned rates on the GPU: every wave of every sample and channel by a thread of its own.
#include "mno/cuda/elementwise.hpp"
#include "mno/cuda/reduce.hpp"
#include "mno/cuda/transform.hpp"
#include "mno/layer/semigroup.hpp"

namespace mno {

namespace cuda {

namespace detail {

/// What the kernels below share; coefficients are (mode, sample, channel).
template <class L, class T, int D> struct SemigroupAt {
  Wavenumbers<D> waves;
  const T *w, *times;
  Index batch;
  const Complex<T>*x, *ybar;  // x̂ and Ȳ

  MNO_HOST_DEVICE auto wave(Index mode, Index sample, Index c) const {
    return L::template wave<T>(waves, w, mode, c, times[sample] / T(L::steps));
  }
  MNO_HOST_DEVICE auto bars(Index mode, Index sample, Index c) const {
    const Index i = (mode * batch + sample) * L::outputs + c;
    return L::template bars<T>(wave(mode, sample, c), x[i].x, x[i].y, ybar[i].x, ybar[i].y);
  }
};
/// z = E x̂, or z = E* Ȳ
template <class L, class T, int D> struct TurnWaves {
  SemigroupAt<L, T, D> all;
  const Complex<T>* from;
  bool adjoint;
  Complex<T>* to;
  MNO_HOST_DEVICE void operator()(Index i) const {
    const Index c = i % L::outputs, sample = i / L::outputs % all.batch, mode = i / L::outputs / all.batch;
    const auto e = all.wave(mode, sample, c);
    const T imaginary = adjoint ? -e.imaginary : e.imaginary;
    const Complex<T> z = from[i];
    to[i] = {e.real * z.x - imaginary * z.y, e.real * z.y + imaginary * z.x};
  }
};
/// θ̄ and ω̄ of one wave of one channel, of all samples; t̄ of a sample, of all waves and channels.
template <class L, class T, int D> struct RateTerm {
  SemigroupAt<L, T, D> all;
  MNO_HOST_DEVICE Pair operator()(Index segment, Index sample) const {
    const auto bars = all.bars(segment / L::outputs, sample, segment % L::outputs);
    return {double(bars.rate), double(bars.frequency)};
  }
};
template <class L, class T, int D> struct TimeTerm {
  SemigroupAt<L, T, D> all;
  MNO_HOST_DEVICE T operator()(Index sample, Index i) const {
    return all.bars(i / L::outputs, sample, i % L::outputs).time;
  }
};
/// Two waves may share a rate: the one that owns it also adds its partner's share.
template <class L, class T, int D> struct AddRates {
  Wavenumbers<D> waves;
  const Pair* total;
  T* wbar;
  MNO_HOST_DEVICE void operator()(Index i) const {
    const Index mode = i / L::outputs, c = i % L::outputs, own = waves.weight_index(mode);
    for (Index k = 0; k < waves.size(); ++k) {
      if (L::owner(waves.weight_index(k)) != own) continue;
      wbar[own * L::outputs + c] += T(total[k * L::outputs + c].first);
      wbar[(L::modes + own) * L::outputs + c] += T(total[k * L::outputs + c].second);
    }
  }
};

}  // namespace detail

template <class L, int D> struct SemigroupOnCuda {
  template <class Pass> struct Trace { Coefficients<typename Pass::Scalar> x; };

  template <class Pass>
  static void forward(Weights<Pass> w, In<Pass> x, Out<Pass> y, Trace<Pass>& trace, Pass& pass, Write write) {
    using T = typename Pass::Scalar;
    Cuda& device = pass.device();
    const auto waves = waves_of<D>(x.grid, L::kept);
    trace.x = {reinterpret_cast<Complex<T>*>(pass.keep_values(2 * waves.size() * x.batch * L::outputs)),
               waves.size(), x.batch, L::outputs};
    project<T, D>(device, x, waves, Weight::analysis, trace.x);
    const auto scope = pass.scope();
    const auto z = scratch_coefficients<T>(device, waves.size(), x.batch, L::outputs);
    const detail::SemigroupAt<L, T, D> all{waves,   w.data(),     pass.times.data(),
                                           x.batch, trace.x.data, nullptr};
    device.for_each(z.size(), detail::TurnWaves<L, T, D>{all, trace.x.data, false, z.data});
    expand<T, D>(device, z, waves, Weight::multiplicity, y, write);
  }

  template <class Pass>
  static void vjp(Weights<Pass> w, In<Pass> ybar, const Trace<Pass>& trace, WeightsBar<Pass> wbar,
                  Out<Pass> xbar, Pass& pass, Write write) {
    using T = typename Pass::Scalar;
    Cuda& device = pass.device();
    const auto waves = waves_of<D>(ybar.grid, L::kept);
    const auto scope = pass.scope();
    const auto z = scratch_coefficients<T>(device, waves.size(), ybar.batch, L::outputs);
    project<T, D>(device, ybar, waves, Weight::multiplicity, z);
    const detail::SemigroupAt<L, T, D> all{waves,      w.data(),     pass.times.data(),
                                           ybar.batch, trace.x.data, z.data};
    const Index segments = waves.size() * L::outputs;
    Pair* const total = device.arena().template scratch<Pair>(std::size_t(segments));
    reduce<Pair>(device, segments, ybar.batch, detail::RateTerm<L, T, D>{all}, total, Neighbours::segments);
    device.for_each(segments, detail::AddRates<L, T, D>{waves, total, wbar.data()});
    if (!pass.times_bar.empty()) {
      T* const times = pass.scratch_values(ybar.batch);
      reduce<T>(device, ybar.batch, segments, detail::TimeTerm<L, T, D>{all}, times);
      device.for_each(ybar.batch, AddTo<T>{times, pass.times_bar.data()});
    }
    if (!xbar) return;
    const auto turned = scratch_coefficients<T>(device, waves.size(), ybar.batch, L::outputs);
    device.for_each(z.size(), detail::TurnWaves<L, T, D>{all, z.data, true, turned.data});
    expand<T, D>(device, turned, waves, Weight::analysis, xbar, write);
  }
};

}  // namespace cuda

template <int Channels, int D, int Modes, int Steps>
cuda::SemigroupOnCuda<Semigroup<Channels, D, Modes, Steps>, D> on_cuda(
    const Semigroup<Channels, D, Modes, Steps>*);

}  // namespace mno
