#pragma once
// Mean and variance of every u(c,x) in the user's units. Without a warp they are m and Σ_k B_k² + η².
//
// A warp has them in closed form (law/warp/), or they are integrals over the standardised marginal
// (law/quadrature.hpp).
#include <cmath>

#include "mno/law/law.hpp"
#include "mno/law/quadrature.hpp"

namespace mno {

namespace detail {

/// Of one entry, counted over the whole batch.
template <class T, int D, class R, class W>
MeanAndVariance entry_moments(const Law<T, D, R, W>& law, Index entry) {
  const double m = double(law.mean.data()[entry]), v = own_variance(law, entry);
  if constexpr (std::is_same_v<W, Unwarped>) {
    return {m, v};
  } else {
    const Index channel = entry % law.channels();
    if (!(v > 0)) return {law.warp.map(m, channel), 0};  // a point mass
    const R residual = residual_at(law, entry);
    if constexpr (requires { law.warp.moments(m, std::sqrt(v), channel, residual); }) {
      return law.warp.moments(m, std::sqrt(v), channel, residual);
    } else {
      static_assert(EllipticalLaw<R>,
                    "mno: mean and variance of this warped law are integrals over the quantiles of its "
                    "residual law, which can only be sampled: take them from samples");
      return integrated_moments([&](double z) { return law.warp.map(m + std::sqrt(v) * z, channel); },
                                residual);
    }
  }
}

}  // namespace detail

/// E[u(c,x)]; law.mean is E[z], which differs from it for a warped law.
template <class T, int D, class R, class W> Field<T, D> mean(const Law<T, D, R, W>& law) {
  Field<T, D> result = law.mean;
  if constexpr (!std::is_same_v<W, Unwarped>)
    for (std::size_t i = 0; i < result.size(); ++i)
      result.data()[i] = T(detail::entry_moments(law, Index(i)).mean);
  return result;
}

/// Var[u(c,x)]
template <class T, int D, class R, class W> Field<T, D> variance(const Law<T, D, R, W>& law) {
  Field<T, D> result(law.batch(), law.grid(), law.channels());
  for (std::size_t i = 0; i < result.size(); ++i)
    result.data()[i] = T(detail::entry_moments(law, Index(i)).variance);
  return result;
}

}  // namespace mno
