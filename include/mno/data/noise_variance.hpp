#pragma once
// The size of the noise in one number, which scales a model's factor before training.
//
// Where conditions have several members it is the mean of their s². One draw has no s². There any guess f of
// u from u_0 gives an upper bound, since E(u − f(u_0))² = E Var(u|u_0) + E(E(u|u_0) − f)². The guess here is
// the climatological mean with the part of u_0 that is left in u, per channel and by least squares:
//
//   f(c,x) = ū(c,x) + a_c (u_0 − ū_0)(c,x),   ū, ū_0 the means over conditions
//
// So the bound is never above the climatological variance. It is too large by what u_0 tells beyond f, and is
// the climatological variance itself where u keeps nothing of u_0 at the same place.
#include "mno/data/ensemble.hpp"

namespace mno {

/// The average of s² over points, channels and those conditions that have several members.
template <class T, int D> T mean_variance(const Ensemble<T, D>& data) {
  double sum = 0;
  Index conditions = 0;
  const Index n = data.mean.points() * data.channels();
  for (Index e = 0; e < data.size(); ++e) {
    if (data.counts[std::size_t(e)] < 2) continue;
    ++conditions;
    for (Index i = 0; i < n; ++i) sum += double(data.variance.data()[e * n + i]);
  }
  require(conditions >= 1, "mean_variance", "data",
          Text("a condition with several members; noise_variance(data) bounds that of single draws"),
          Text("single draws"));
  return T(sum / double(conditions * n));
}

/// The mean of (u − f(u_0))² over conditions, points and channels; it bounds the variance of u given u_0 from
/// above. For a condition with several members, u is their mean.
template <class T, int D> T climatological_variance(const Ensemble<T, D>& data) {
  const Index points = data.mean.points(), conditions = data.size();
  require(conditions >= 2, "climatological_variance", "data", Text("at least two conditions"),
          Text(conditions));
  double total = 0;
  for (Index c = 0; c < data.channels(); ++c) {
    double uu = 0, u0 = 0, both = 0;  // sums of squares and products around the means over conditions
    for (Index p = 0; p < points; ++p) {
      double mean = 0, initial = 0;
      for (Index e = 0; e < conditions; ++e) {
        mean += double(data.mean(e, p, c)) / double(conditions);
        initial += double(data.initial(e, p, c)) / double(conditions);
      }
      for (Index e = 0; e < conditions; ++e) {
        const double u = double(data.mean(e, p, c)) - mean, v = double(data.initial(e, p, c)) - initial;
        uu += u * u;
        u0 += v * v;
        both += u * v;
      }
    }
    total += u0 > 0 ? std::max(0.0, uu - both * both / u0) : uu;
  }
  return T(total / double((conditions - 1) * points * data.channels()));
}

/// mean_variance where there are conditions with several members, else climatological_variance.
template <class T, int D> T noise_variance(const Ensemble<T, D>& data) {
  for (const Index m : data.counts)
    if (m > 1) return mean_variance(data);
  return climatological_variance(data);
}

}  // namespace mno
