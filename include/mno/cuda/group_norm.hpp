#pragma once
// Group normalisation on the GPU: y = γ r (x − μ) + β. Sums are made in double, the variance's of x − μ.
#include "mno/cuda/elementwise.hpp"
#include "mno/layer/group_norm.hpp"

namespace mno {

namespace cuda {

namespace detail {

/// (sample, μ|r, channel): what a channel of a sample is normalised by.
template <int Channels, class T> struct Moments {
  T* values;
  MNO_HOST_DEVICE T& mean(Index sample, Index channel) const {
    return values[sample * 2 * Channels + channel];
  }
  MNO_HOST_DEVICE T& scale(Index sample, Index channel) const {
    return values[(sample * 2 + 1) * Channels + channel];
  }
};

/// x, or (x − μ)², of a group: a segment is (sample, group), its numbers are (point, channel of the group).
template <class L, class T> struct GroupTerm {
  static constexpr Index groups = L::groups, size = L::outputs / L::groups;
  Rows<const T> x;
  Index points;
  Moments<L::outputs, T> moments;
  bool centred;
  MNO_HOST_DEVICE double operator()(Index segment, Index i) const {
    const Index sample = segment / groups, channel = segment % groups * size + i % size;
    const T value = x.data[(sample * points + i / size) * x.pitch + channel];
    if (!centred) return double(value);
    const T d = value - moments.mean(sample, channel);
    return double(d) * double(d);
  }
};
/// μ or r of every channel, from the sums of the groups.
template <class L, class T> struct SetMoments {
  static constexpr Index channels = L::outputs, size = channels / L::groups;
  const double* sums;  // (sample, group)
  Index points;
  Moments<L::outputs, T> moments;
  bool centred;
  MNO_HOST_DEVICE void operator()(Index i) const {
    const Index sample = i / channels, channel = i % channels;
    const double average = sums[sample * L::groups + channel / size] / double(size * points);
    if (centred)
      moments.scale(sample, channel) = T(L::inverse_deviation(average));
    else
      moments.mean(sample, channel) = T(average);
  }
};
/// y = γ r (x − μ) + β, or y += that
template <class L, class T> struct Normalise {
  Rows<const T> x;
  const T* w;  // γ, β
  Index points;
  Moments<L::outputs, T> moments;
  Rows<T> y;
  bool add;
  MNO_HOST_DEVICE void operator()(Index i) const {
    const Index channel = i % y.channels, sample = i / y.channels / points;
    const T value = (x(i) - moments.mean(sample, channel)) * (moments.scale(sample, channel) * w[channel]) +
                    w[L::outputs + channel];
    y(i) = add ? y(i) + value : value;
  }
};

/// ȳ (x − μ) and ȳ; a segment is (sample, channel).
template <class L, class T> struct NormaliseTerms {
  Rows<const T> x, ybar;
  Index points;
  Moments<L::outputs, T> moments;
  MNO_HOST_DEVICE Pair operator()(Index segment, Index point) const {
    const Index sample = segment / x.channels, channel = segment % x.channels;
    const Index row = sample * points + point;
    const T q = ybar.data[row * ybar.pitch + channel];
    const T d = x.data[row * x.pitch + channel] - moments.mean(sample, channel);
    return {double(q) * double(d), double(q)};
  }
};
/// γ̄ and β̄ of a sample: a segment is (γ|β, channel).
template <class L, class T> struct ScaleAndShiftTerm {
  const Pair* sums;  // (sample, channel)
  Moments<L::outputs, T> moments;
  MNO_HOST_DEVICE double operator()(Index segment, Index sample) const {
    const Index channel = segment % L::outputs;
    const Pair& sum = sums[sample * L::outputs + channel];
    return segment < L::outputs ? sum.first * double(moments.scale(sample, channel)) : sum.second;
  }
};
template <class T> struct AddDoubles {
  const double* from;
  T* to;
  MNO_HOST_DEVICE void operator()(Index i) const { to[i] += T(from[i]); }
};
/// ⟨q x̂⟩ and ⟨q⟩ of every channel's group.
template <class L, class T> struct GroupAverages {
  static constexpr Index channels = L::outputs, size = channels / L::groups;
  const Pair* sums;  // (sample, channel)
  const T* w;
  Index points;
  Moments<L::outputs, T> moments;
  Pair* to;
  MNO_HOST_DEVICE void operator()(Index i) const {
    const Index sample = i / channels, first = i % channels / size * size;
    Pair total;
    for (Index c = first; c < first + size; ++c) {
      const Pair& sum = sums[sample * channels + c];
      total += {double(w[c]) * sum.first * double(moments.scale(sample, c)), double(w[c]) * sum.second};
    }
    to[i] = {total.first / double(size * points), total.second / double(size * points)};
  }
};
/// x̄ = r (q − ⟨q⟩ − x̂ ⟨q x̂⟩), or x̄ += that
template <class L, class T> struct NormaliseAdjoint {
  Rows<const T> x, ybar;
  const T* w;
  Index points;
  Moments<L::outputs, T> moments;
  const Pair* averages;
  Rows<T> xbar;
  bool add;
  MNO_HOST_DEVICE void operator()(Index i) const {
    const Index channel = i % xbar.channels, sample = i / xbar.channels / points;
    const Pair& average = averages[sample * L::outputs + channel];
    const T r = moments.scale(sample, channel), normal = r * (x(i) - moments.mean(sample, channel));
    const T value = r * (w[channel] * ybar(i) - T(average.second) - normal * T(average.first));
    xbar(i) = add ? xbar(i) + value : value;
  }
};

}  // namespace detail

template <class L> struct GroupNormOnCuda {
  static constexpr Index channels = L::outputs, groups = L::groups;

  template <class Pass> struct Trace {
    In<Pass> x;
    typename Pass::Scalar* moments = nullptr;  // (sample, μ|r, channel)
  };

  template <class Pass>
  static void forward(Weights<Pass> w, In<Pass> x, Out<Pass> y, Trace<Pass>& trace, Pass& pass, Write write) {
    using T = typename Pass::Scalar;
    Cuda& device = pass.device();
    trace = {x, pass.keep_values(x.batch * 2 * channels)};
    const detail::Moments<L::outputs, T> moments{trace.moments};
    const auto scope = pass.scope();
    double* const sums = device.arena().template scratch<double>(std::size_t(x.batch * groups));
    for (const bool centred : {false, true}) {
      reduce<double>(device, x.batch * groups, x.points() * channels / groups,
                     detail::GroupTerm<L, T>{rows(x), x.points(), moments, centred}, sums);
      device.for_each(x.batch * channels, detail::SetMoments<L, T>{sums, x.points(), moments, centred});
    }
    device.for_each(numbers(y), detail::Normalise<L, T>{rows(x), w.data(), x.points(), moments, rows(y),
                                                        write == Write::add});
  }

  /// γ̄ = Σ ȳ x̂,   β̄ = Σ ȳ,   x̄ = r (q − ⟨q⟩ − x̂ ⟨q x̂⟩)   with q = γ ȳ and ⟨·⟩ the mean over the group.
  template <class Pass>
  static void vjp(Weights<Pass> w, In<Pass> ybar, const Trace<Pass>& trace, WeightsBar<Pass> wbar,
                  Out<Pass> xbar, Pass& pass, Write write) {
    using T = typename Pass::Scalar;
    Cuda& device = pass.device();
    const detail::Moments<L::outputs, T> moments{trace.moments};
    const Index points = ybar.points(), all = ybar.batch * channels;
    const auto scope = pass.scope();
    Pair* const sums = device.arena().template scratch<Pair>(std::size_t(all));  // (sample, channel)
    reduce<Pair>(device, all, points,
                 detail::NormaliseTerms<L, T>{rows(trace.x), rows(ybar), points, moments}, sums,
                 Neighbours::segments);
    double* const bars = device.arena().template scratch<double>(std::size_t(2 * channels));
    reduce<double>(device, 2 * channels, ybar.batch, detail::ScaleAndShiftTerm<L, T>{sums, moments}, bars,
                   Neighbours::segments);
    device.for_each(2 * channels, detail::AddDoubles<T>{bars, wbar.data()});
    if (!xbar) return;
    Pair* const averages = device.arena().template scratch<Pair>(std::size_t(all));
    device.for_each(all, detail::GroupAverages<L, T>{sums, w.data(), points, moments, averages});
    device.for_each(numbers(xbar),
                    detail::NormaliseAdjoint<L, T>{rows(trace.x), rows(ybar), w.data(), points, moments,
                                                   averages, rows(xbar), write == Write::add});
  }
};

}  // namespace cuda

template <int Channels, int Groups>
cuda::GroupNormOnCuda<GroupNorm<Channels, Groups>> on_cuda(const GroupNorm<Channels, Groups>*);

}  // namespace mno
