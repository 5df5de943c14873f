#pragma once
// The log density of a field under a law. BᵀB alone is singular: the law has a density if it has a nugget η,
// or if white noise of variance ε is added here.
//
// In the law's own coordinates, with e = z − m, D = diag(η² + ε) and Γ = BᵀB + D, all algebra is r × r. With
// rows divided by their deviation, W = [D^{−½}Bᵀ; I_r], (n+r) × r,
//   eᵀΓ⁻¹e = min_μ (‖D^{−½}(e − Bᵀμ)‖² + ‖μ‖²) = min_μ ‖[D^{−½}e; 0] − Wμ‖²            (Woodbury)
//   log det Γ = log det D + log det(I + B D⁻¹Bᵀ) = log det D + 2 Σ log|R_kk|,  W = QR.
// The quadratic form comes out as a squared residual, so nothing cancels however small D is; the textbook
// eᵀD⁻¹e − eᵀD⁻¹Bᵀ(…)⁻¹B D⁻¹e would. The density of an elliptical law depends on these two alone, and a warp
// divides it by its slopes:
//   log p(u) = log f_n(eᵀΓ⁻¹e) − ½ log det Γ − Σ log w'(z)
// A law that singles out ξ_1 is a mixture of normal laws that differ in their means and in the size of B_1.
#include <Eigen/Core>
#include <cmath>
#include <limits>

#include "mno/core/in_double.hpp"
#include "mno/law/law.hpp"
#include "mno/law/normal_mixture.hpp"
#include "mno/law/triangularise.hpp"

namespace mno {

/// log p(u) of one flattened field under one sample's law, with white noise of variance ε ≥ 0 added to the
/// nugget.
template <class T, int D, class R, class W, class V>
double log_density(const Law<T, D, R, W>& law, Index sample, const Eigen::MatrixBase<V>& u,
                   double epsilon = 0) {
  static_assert(
      requires(const R& residual) { residual.log_density(1.0, 1.0); } ||
          requires(const R& residual) { residual.parts(); },
      "mno: a log density needs a residual law with log_density(q, n); a compound Poisson law has "
      "none, because it has an atom");
  detail::require_sample("log_density", law, sample);
  require(epsilon >= 0 && std::isfinite(epsilon), "log_density", "epsilon",
          Text("a finite noise variance, zero or more"), Text(epsilon));
  require(law.has_nugget() || epsilon > 0, "log_density", "epsilon",
          Text("a positive noise variance: without a nugget the low-rank covariance is singular"),
          Text(epsilon));
  const Index n = law.size(), r = law.rank();
  require(u.size() == n, "log_density", "u", Text("points x channels = ", n, " entries"), Text(u.size()));

  double log_det = 0, log_slopes = 0;
  detail::MatrixIn<T> given = detail::MatrixIn<T>::Zero(n + r, r + 1);  // [W D^{−½}e]
  for (Index k = 0; k < r; ++k) given(n + k, k) = 1;
  for (Index i = 0; i < n; ++i) {
    const Index channel = i % law.channels();
    const double eta = law.has_nugget() ? double(flat(law.nugget, sample)[i]) : 0, d = eta * eta + epsilon;
    require(d > 0, "log_density", "law", Text("a nugget without zeros, or epsilon above zero"),
            Text("no noise at entry ", i));
    const double z = law.warp.inverse(double(u[i]), channel);
    if (std::isinf(z)) return -std::numeric_limits<double>::infinity();  // the warp does not reach u
    const double deviation = std::sqrt(d);
    const T* const b = &law.factor(sample, i / law.channels(), 0);
    for (Index k = 0; k < r; ++k)
      given(i, k) = double(b[detail::factor_channel(k, channel, law.channels())]) / deviation;
    given(i, r) = (z - double(flat(law.mean, sample)[i])) / deviation;
    log_det += std::log(d);
    if constexpr (!std::is_same_v<W, Unwarped>) log_slopes += std::log(law.warp.slope(z, channel));
  }
  const auto log_density_of = [&](detail::MatrixIn<T> w, const auto& residual) {
    detail::triangularise(w, r);
    double all = log_det, rest = 0;
    for (Index k = 0; k < r; ++k) all += 2 * std::log(std::abs(w(k, k)));
    for (Index i = r; i < n + r; ++i) rest += w(i, r) * w(i, r);
    return residual.log_density(rest, double(n)) - 0.5 * all - log_slopes;
  };
  if constexpr (requires { law.residual.parts(); })
    if (law.residual.leans() && r > 0)  // given which way ξ_1 goes, the law is normal
      return detail::mixture_log_sum(law.residual.parts(), [&](const detail::NormalPart& part) {
        detail::MatrixIn<T> w = given;
        for (Index i = 0; i < n; ++i) {
          w(i, r) -= part.mean * given(i, 0);
          w(i, 0) *= part.deviation;
        }
        return log_density_of(std::move(w), Gaussian{});
      });
  if constexpr (requires { law.residual.log_density(1.0, 1.0); })
    return log_density_of(std::move(given), law.residual);
  else
    return -std::numeric_limits<double>::infinity();
}

/// log p(u) per sample.
template <class T, int D, class R, class W>
Eigen::VectorXd log_density(const Law<T, D, R, W>& law, const Field<T, D>& u, double epsilon = 0) {
  require(u.batch() == law.batch() && u.grid() == law.grid() && u.channels() == law.channels(), "log_density",
          "u",
          Text("batch ", law.batch(), ", grid ", law.grid().str(), " and its domain, ", law.channels(),
               " channels"),
          Text("batch ", u.batch(), ", grid ", u.grid().str(), ", ", u.channels(), " channels"));
  Eigen::VectorXd result(law.batch());
  for (Index s = 0; s < law.batch(); ++s) result[s] = log_density(law, s, flat(u, s), epsilon);
  return result;
}

}  // namespace mno
