#pragma once
// The law of linear functionals of the field, ⟨w,u⟩ = ∫ Σ_c w_c u_c dx ≈ cell Σ_{c,x} w(c,x) u(c,x):
// averages, fluxes, coefficients. The quadrature weight makes one w mean the same functional on every grid.
//
//   ⟨w,u⟩ = ⟨w,m⟩ + (Bw)·ξ,   Cov(⟨w_i,u⟩, ⟨w_j,u⟩) = (Bw_i)·(Bw_j)
#include <Eigen/Core>

#include "mno/law/law.hpp"
#include "mno/law/marginal.hpp"

namespace mno {

/// The joint law of q functionals: mean + factorᵀξ.
struct Functionals {
  Eigen::VectorXd mean;    // q
  Eigen::MatrixXd factor;  // r × q

  Index count() const { return mean.size(); }
  template <class = void> Eigen::MatrixXd covariance() const {  // q × q
    return factor.transpose() * factor;
  }

  /// One functional alone: its mean, sd, cdf, quantile and exceedance.
  template <class R = Gaussian> Marginal<R> marginal(Index i, const R& residual = {}) const {
    require(i >= 0 && i < count(), "marginal", "i", Text("an index below ", count()), Text(i));
    return {mean[i], factor.col(i).norm(), residual};
  }
};

/// The functionals ⟨w_i,u⟩ of one sample's law; each sample of `weights` is one w_i.
template <class T, int D>
Functionals functionals(const Law<T, D>& law, Index sample, const Field<T, D>& weights) {
  detail::require_sample("functionals", law, sample);
  require(weights.batch() >= 1 && weights.grid() == law.grid() && weights.channels() == law.channels(),
          "functionals", "weights",
          Text("grid ", law.grid().str(), " and its domain, ", law.channels(), " channels"),
          Text("grid ", weights.grid().str(), ", ", weights.channels(), " channels"));
  const double cell = law.grid().cell();
  const auto m = flat(law.mean, sample).template cast<double>();
  Functionals result{Eigen::VectorXd(weights.batch()), Eigen::MatrixXd(law.rank(), weights.batch())};
  for (Index i = 0; i < weights.batch(); ++i) {
    const auto w = flat(weights, i);
    result.mean[i] = cell * w.template cast<double>().dot(m);
    result.factor.col(i) = cell * factor_times(law, sample, w);
  }
  return result;
}

/// One functional, ⟨w,u⟩, under a residual law.
template <class T, int D, class R = Gaussian>
Marginal<R> functional(const Law<T, D>& law, Index sample, const Field<T, D>& weight,
                       const R& residual = {}) {
  require(weight.batch() == 1, "functional", "weight", Text("one weight field"),
          Text("a batch of ", weight.batch()));
  return functionals(law, sample, weight).marginal(0, residual);
}

}  // namespace mno
