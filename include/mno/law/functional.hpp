#pragma once
// The law of linear functionals of the field, ⟨w,u⟩ = ∫ Σ_c w_c u_c dx ≈ cell Σ_{c,x} w(c,x) u(c,x):
// averages, fluxes, coefficients. The quadrature weight makes one w mean the same functional on every grid.
//
//   ⟨w,u⟩ = ⟨w,m⟩ + (Bw)·ξ + (η∘w)·ζ,   Cov(⟨w_i,u⟩, ⟨w_j,u⟩) = (Bw_i)·(Bw_j) + (η∘w_i)·(η∘w_j)
#include <Eigen/Core>
#include <cmath>

#include "mno/law/law.hpp"
#include "mno/law/marginal.hpp"

namespace mno {

/// The joint law of q functionals: each is mean + factorᵀξ + what it sees of the nugget.
template <class R = Gaussian> struct Functionals {
  Eigen::VectorXd mean;    // q
  Eigen::MatrixXd factor;  // r × q
  Eigen::MatrixXd nugget;  // q × q, the nugget's share of the covariance; empty: none
  R residual{};

  Index count() const { return mean.size(); }
  template <class = void> Eigen::MatrixXd covariance() const {  // q × q
    Eigen::MatrixXd result = factor.transpose() * factor;
    if (nugget.size() > 0) result += nugget;
    return result;
  }

  /// One functional alone: its mean, sd, cdf, quantile and exceedance.
  Marginal<R> marginal(Index i) const {
    require(i >= 0 && i < count(), "marginal", "i", Text("an index below ", count()), Text(i));
    const double noise = nugget.size() > 0 ? nugget(i, i) : 0;
    const double sd = std::sqrt(factor.col(i).squaredNorm() + noise);
    return {mean[i], sd, detail::seen(residual, factor.rows() > 0 ? factor(0, i) : 0, sd)};
  }
};

/// The functionals ⟨w_i,u⟩ of one sample's law; each sample of `weights` is one w_i.
template <class T, int D, class R, class W>
Functionals<R> functionals(const Law<T, D, R, W>& law, Index sample, const Field<T, D>& weights) {
  static_assert(detail::MaybeUnwarped<W>,
                "mno: a linear functional of a warped law has no closed form: take that of unwarped(law), or "
                "the functional of samples");
  if constexpr (detail::MaybeUnwarped<W>) detail::require_unwarped("functionals", law.warp);
  detail::require_sample("functionals", law, sample);
  require(weights.batch() >= 1 && weights.grid() == law.grid() && weights.channels() == law.channels(),
          "functionals", "weights",
          Text("grid ", law.grid().str(), " and its domain, ", law.channels(), " channels"),
          Text("grid ", weights.grid().str(), ", ", weights.channels(), " channels"));
  const double cell = law.grid().cell();
  const auto m = flat(law.mean, sample).template cast<double>();
  Functionals<R> result{
      Eigen::VectorXd(weights.batch()), Eigen::MatrixXd(law.rank(), weights.batch()), {}, law.residual};
  for (Index i = 0; i < weights.batch(); ++i) {
    const auto w = flat(weights, i);
    result.mean[i] = cell * w.template cast<double>().dot(m);
    result.factor.col(i) = cell * factor_times(law, sample, w);
  }
  if (law.has_nugget()) {
    const Eigen::MatrixXd w = Eigen::Map<const Eigen::MatrixX<T>>(weights.data(), law.size(), weights.batch())
                                  .template cast<double>();
    const Eigen::MatrixXd seen = cell * flat(law.nugget, sample).template cast<double>().asDiagonal() * w;
    result.nugget = seen.transpose() * seen;
  }
  return result;
}

/// One functional, ⟨w,u⟩.
template <class T, int D, class R, class W>
Marginal<R> functional(const Law<T, D, R, W>& law, Index sample, const Field<T, D>& weight) {
  require(weight.batch() == 1, "functional", "weight", Text("one weight field"),
          Text("a batch of ", weight.batch()));
  return functionals(law, sample, weight).marginal(0);
}

}  // namespace mno
