#pragma once
// The negative log-likelihood of a Student t residual with the law's variance: outliers weigh less. It is not
// a function of the ensemble's mean and variance, so it needs the members.
#include <numbers>

#include "mno/core/student.hpp"
#include "mno/loss/member_average.hpp"

namespace mno {

/// average over members and entries of
///   ½ log v + (ν+1)/2 · log(1 + (u−m)²/((ν−2) v)) + log Γ(ν/2) − log Γ((ν+1)/2) + ½ log((ν−2)/2),
/// which is GaussianNll for ν → ∞ (½ log 2π is left out here as it is there). With e = m − u and
/// h = (ν+1)/((ν−2) v + e²):   m̄ = h e,   v̄ = ½(1 − h e²)/v
struct StudentNll {
  static constexpr const char* name = "student_nll";
  double weight = 1;
  double nu = 5;                       // degrees of freedom, above 2
  double floor = 1e-5, ceiling = 1e2;  // of the variance

  template <class T, int D> void need(const LawBlock<T, D>& law, const Target<T, D>& target) const {
    detail::require_factor(name, law);
    detail::require_members(name, law, target);
    require(nu > 2 && std::isfinite(nu), name, "nu", Text("finite degrees of freedom above 2"), Text(nu));
  }
  /// One member's share; v is clamped.
  struct Member {
    double nu, constant;
    MNO_HOST_DEVICE detail::EntryTerm operator()(double u, double m, double v) const {
      const double e = m - u, h = (nu + 1) / ((nu - 2) * v + e * e);
      return {constant + 0.5 * std::log(v) + 0.5 * (nu + 1) * std::log1p(e * e / ((nu - 2) * v)), h * e,
              0.5 * (1 - h * e * e) / v};
    }
  };
  Member member() const { return {nu, 0.5 * std::log((nu - 2) / 2) - std::log(detail::gamma_ratio(nu / 2))}; }

  template <class T, int D>
  double operator()(const LawBlock<T, D>& law, const Target<T, D>& target, double scale) const {
    need(law, target);
    return detail::average_members(*this, law, target, weight * scale);
  }
};

}  // namespace mno
