// expect: quantiles, intervals and exceedance need a residual law with cdf(z) and quantile(p)
#include <mno/law/quantile.hpp>
#include <mno/law/sample.hpp>

struct Rademacher {
  void draw(mno::Stream& stream, std::span<double> xi) const {
    for (double& x : xi) x = stream.uniform() < 0.5 ? -1 : 1;
  }
};
mno::Field<double, 1> ask(const mno::Law<double, 1, Rademacher>& law) {
#ifdef MNO_CONTROL
  return mno::sample(law, 10, 1);
#else
  return mno::quantile(law, 0.9);
#endif
}
