#pragma once
// The law of one number: w(mean + sd·ζ), with ζ the residual law's standardised marginal. Without spread it
// is a point mass. A warp increases, so quantiles and probabilities pass through it exactly.
#include "mno/core/error.hpp"
#include "mno/law/law.hpp"

namespace mno {

template <class R = Gaussian, class W = Unwarped> struct Marginal {
  static_assert(EllipticalLaw<R>,
                "mno: quantiles, intervals and exceedance need a residual law with cdf(z) and quantile(p) of "
                "its standardised marginal; this one can only be sampled");

  double mean = 0;  // of mean + sd·ζ, in the law's own coordinates, as is sd
  double sd = 0;
  R residual{};  // whose marginal ζ has
  W warp{};
  Index channel = 0;  // whose warp it is

  double cdf(double a) const {
    const double z = warp.inverse(a, channel);
    if (sd > 0) return residual.cdf((z - mean) / sd);
    return mean <= z ? 1 : 0;
  }
  double exceedance(double a) const {  // P(· > a)
    const double z = warp.inverse(a, channel);
    if (sd > 0) return detail::exceedance(residual, (z - mean) / sd);
    return mean > z ? 1 : 0;
  }
  double quantile(double p) const {
    require(p > 0 && p < 1, "quantile", "p", Text("a probability strictly between 0 and 1"), Text(p));
    return warp.map(sd > 0 ? mean + sd * residual.quantile(p) : mean, channel);
  }
};

/// The law of u(channel, point) of one sample.
template <class T, int D, class R, class W>
Marginal<R, W> marginal(const Law<T, D, R, W>& law, Index sample, Index point, Index channel) {
  detail::require_sample("marginal", law, sample);
  require(point >= 0 && point < law.points(), "marginal", "point", Text("a point below ", law.points()),
          Text(point));
  require(channel >= 0 && channel < law.channels(), "marginal", "channel",
          Text("a channel below ", law.channels()), Text(channel));
  const Index entry = (sample * law.points() + point) * law.channels() + channel;
  return {double(law.mean(sample, point, channel)), std::sqrt(detail::own_variance(law, entry)),
          detail::residual_at(law, entry), law.warp, channel};
}

}  // namespace mno
