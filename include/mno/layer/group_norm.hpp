#pragma once
// Group normalisation: over the points and the channels of a group, per sample,
//
//     x̂ = r (x − μ),   r = 1/√(v + ε),   y = γ x̂ + β   with μ and v the group's mean and variance.
//
// The variance is that of x − μ, in a second pass: nothing cancels however far from zero the field is.
#include <cmath>

#include "mno/core/host_device.hpp"
#include "mno/core/random.hpp"
#include "mno/layer/pass.hpp"
#include "mno/layer/point_sums.hpp"

namespace mno {

template <int Channels, int Groups> struct GroupNorm {
  static_assert(Groups >= 1 && Channels % Groups == 0,
                "mno: the channels of a GroupNorm are a multiple of its groups");
  static constexpr int inputs = Channels, outputs = Channels, groups = Groups;
  static constexpr const char* name = "norm";
  static constexpr std::array leaves{parameter("scale", Channels), parameter("shift", Channels)};
  static constexpr std::size_t parameters = total(leaves);
  static constexpr double epsilon = 1e-5;
  static constexpr std::array settings{setting("groups", Groups), setting("epsilon", epsilon)};

  template <class Pass> struct Trace {
    In<Pass> x;
    const typename Pass::Scalar* moments = nullptr;  // (sample, μ|r, channel)
  };

  /// r of the variance v
  MNO_HOST_DEVICE static double inverse_deviation(double v) { return 1 / std::sqrt(v + epsilon); }

  /// γ = 1, β = 0
  template <class T> static void initialise(std::span<T> w, Stream&) {
    for (std::size_t c = 0; c < std::size_t(Channels); ++c) w[c] = T(1), w[Channels + c] = T(0);
  }

  template <class Pass>
  static void forward(Weights<Pass> w, In<Pass> x, Out<Pass> y, Trace<Pass>& trace, Pass& pass, Write write) {
    using namespace packet;
    using T = typename Pass::Scalar;
    T* const moments = pass.keep_values(x.batch * 2 * Channels);
    trace = {x, moments};
    T factor[Channels];
    for (Index b = 0; b < x.batch; ++b) {
      T *const mean = moments + b * 2 * Channels, *const r = mean + Channels;
      const auto from = x.samples(b, 1);
      const auto to = y.samples(b, 1);
      double sum[1][Channels];
      detail::sum_over_points<T, Channels>(x.points(), sum,
                                           [&](Index p, auto load) { return std::array{load(from.row(p))}; });
      average(sum[0], x.points(), mean);
      detail::sum_over_points<T, Channels>(x.points(), sum, [&](Index p, auto load) {
        const Packet<T> d = psub(load(from.row(p)), load(mean));
        return std::array{Packet<T>(pmul(d, d))};
      });
      average(sum[0], x.points(), r);
      for (Index c = 0; c < Channels; ++c) {
        r[c] = T(inverse_deviation(double(r[c])));
        factor[c] = r[c] * w[std::size_t(c)];
      }
      for (Index p = 0; p < x.points(); ++p)
        for_each_packet<T>(Channels, [&](auto load, auto store) {
          const Packet<T> value =
              pmadd(Packet<T>(psub(load(from.row(p)), load(mean))), load(factor), load(w.data() + Channels));
          store(to.row(p), write == Write::add ? Packet<T>(padd(load(to.row(p)), value)) : value);
        });
    }
  }

  /// γ̄ = Σ ȳ x̂,   β̄ = Σ ȳ,   x̄ = r (q − ⟨q⟩ − x̂ ⟨q x̂⟩)   with q = γ ȳ and ⟨·⟩ the mean over the group.
  template <class Pass>
  static void vjp(Weights<Pass> w, In<Pass> ybar, const Trace<Pass>& trace, WeightsBar<Pass> wbar,
                  Out<Pass> xbar, Pass&, Write write) {
    using namespace packet;
    using T = typename Pass::Scalar;
    const Index points = ybar.points();
    for (Index b = 0; b < ybar.batch; ++b) {
      const T *const mean = trace.moments + b * 2 * Channels, *const r = mean + Channels;
      const auto x = trace.x.samples(b, 1), bar = ybar.samples(b, 1);
      const auto centred = [&](Index p, auto load) { return Packet<T>(psub(load(x.row(p)), load(mean))); };
      double sum[2][Channels];  // Σ ȳ x̂ and Σ ȳ over the points
      detail::sum_over_points<T, Channels>(points, sum, [&](Index p, auto load) {
        const Packet<T> q = load(bar.row(p));
        return std::array{Packet<T>(pmul(q, centred(p, load))), q};
      });
      for (Index c = 0; c < Channels; ++c) {
        sum[0][c] *= double(r[c]);
        for (Index i = 0; i < 2; ++i) wbar[std::size_t(i * Channels + c)] += T(sum[i][c]);
      }
      if (!xbar) continue;
      T factor[Channels], along[Channels], offset[Channels];  // x̄ = factor ȳ + along (x − μ) + offset
      for (Index i = 0; i < 2; ++i)
        for (Index c = 0; c < Channels; ++c) sum[i][c] *= double(w[std::size_t(c)]);
      average(sum[0], points, along);
      average(sum[1], points, offset);
      for (Index c = 0; c < Channels; ++c) {
        factor[c] = r[c] * w[std::size_t(c)];
        along[c] *= -r[c] * r[c];
        offset[c] *= -r[c];
      }
      const auto to = xbar.samples(b, 1);
      for (Index p = 0; p < points; ++p)
        for_each_packet<T>(Channels, [&](auto load, auto store) {
          const Packet<T> rest = pmadd(centred(p, load), load(along), load(offset));
          const Packet<T> value = pmadd(load(bar.row(p)), load(factor), rest);
          store(to.row(p), write == Write::add ? Packet<T>(padd(load(to.row(p)), value)) : value);
        });
    }
  }

 private:
  /// The mean over a group, in every one of its channels, from the channels' sums over the points.
  template <class T> static void average(const double (&sum)[Channels], Index points, T* mean) {
    constexpr Index size = Channels / Groups;
    for (Index g = 0; g < Groups; ++g) {
      double total = 0;
      for (Index c = 0; c < size; ++c) total += sum[g * size + c];
      std::fill_n(mean + g * size, size, T(total / double(size * points)));
    }
  }
};

}  // namespace mno
