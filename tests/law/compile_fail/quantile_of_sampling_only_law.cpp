// Must not compile: quantiles of a residual law that can only be sampled.
// Expected: "quantiles, intervals and exceedance need a residual law with cdf(z) and quantile(p)"
#include "mno/law/quantile.hpp"

struct Rademacher {
  void draw(mno::Stream& stream, std::span<double> xi) const {
    for (double& x : xi) x = stream.uniform() < 0.5 ? -1 : 1;
  }
};

mno::Field<double, 1> upper(const mno::Law<double, 1>& law) { return mno::quantile(law, 0.9, Rademacher{}); }
