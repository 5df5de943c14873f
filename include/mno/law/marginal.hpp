#pragma once
// The law of one number that depends linearly on the field: mean + sd·ζ, with ζ the residual law's
// standardised marginal. Without spread it is a point mass.
#include "mno/core/error.hpp"
#include "mno/law/residual.hpp"
#include "mno/law/residual/gaussian.hpp"

namespace mno {

template <class R = Gaussian> struct Marginal {
  static_assert(EllipticalLaw<R>,
                "mno: quantiles, intervals and exceedance need a residual law with cdf(z) and quantile(p) of "
                "its standardised marginal; this one can only be sampled");

  double mean = 0;
  double sd = 0;
  R residual{};

  double cdf(double a) const {
    if (sd > 0) return residual.cdf((a - mean) / sd);
    return mean <= a ? 1 : 0;
  }
  double exceedance(double a) const {  // P(· > a)
    if (sd > 0) return detail::exceedance(residual, (a - mean) / sd);
    return mean > a ? 1 : 0;
  }
  double quantile(double p) const {
    require(p > 0 && p < 1, "quantile", "p", Text("a probability strictly between 0 and 1"), Text(p));
    return sd > 0 ? mean + sd * residual.quantile(p) : mean;
  }
};

}  // namespace mno
