#pragma once
// The relative Frobenius error of the covariance, ‖Γ − Γ̂‖_F / ‖Γ̂‖_F averaged over conditions, with
// Γ̂ = YᵀY the ensemble's covariance in factors: row j of Y is (u_j − ū)/√(M−1). No n × n matrix is made.
//
// Γ̂ has a sampling error of its own that no model can beat: E‖Γ − Γ̂‖² = (tr²Γ + ‖Γ‖²)/(M−1) for Gaussian
// members.
#include <cmath>

#include "mno/law/distance.hpp"
#include "mno/metric/moments.hpp"

namespace mno::metric {

/// Γ̂ of the members of one condition.
template <class Own = void> Covariance<double> ensemble_covariance(const Members& members) {
  const mno::detail::MatrixIn<Own>& ensemble = members;
  require(ensemble.cols() >= 2, "metric::ensemble_covariance", "ensemble", Text("at least two members"),
          Text(ensemble.cols()));
  const mno::detail::VectorIn<Own> mean = ensemble.rowwise().mean();
  return covariance((ensemble.colwise() - mean).transpose() / std::sqrt(double(ensemble.cols() - 1)));
}

/// √E‖Γ̂ − Γ‖² of the covariance Γ̂ of S draws: the root of (E‖y‖⁴ − ‖Γ‖²)/(S − 1) with y a centred draw,
/// whatever their law is.
template <class Own = void> double own_covariance_error(const Members& draws) {
  const mno::detail::MatrixIn<Own>& ensemble = draws;
  const mno::detail::VectorIn<Own> mean = ensemble.rowwise().mean();
  const double fourth = (ensemble.colwise() - mean).colwise().squaredNorm().array().square().mean();
  const double norm = ensemble_covariance(draws).frobenius_norm();
  return std::sqrt(std::max(0.0, fourth - norm * norm) / double(ensemble.cols() - 1));
}

class CovarianceError {
 public:
  template <class T> void add(const Covariance<T>& model, const Members& members) {
    detail::require_entries("metric::CovarianceError", "members", model.size(), members.rows());
    errors_.add(relative_distance(model, ensemble_covariance(members)));
  }
  template <class = void> void add(const Members& draws, const Members& members) {
    add(ensemble_covariance(draws), members);
  }
  double value() const { return errors_.value("metric::CovarianceError"); }

 private:
  detail::Average errors_;
};

}  // namespace mno::metric
