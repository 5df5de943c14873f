#pragma once
// A mild L² penalty on the learned factor.
#include "mno/loss/target.hpp"

namespace mno {

/// L_reg = average over points, channels and ranks of B²;   B̄ = 2B
struct FactorRegularisation {
  static constexpr const char* name = "factor_regularisation";
  double weight = 0.01;

  template <class T, int D>
  double operator()(const LawBlock<T, D>& law, const Target<T, D>&, double scale) const {
    detail::require_factor(name, law);
    const double share = weight * scale / double(law.factor.points() * law.factor.channels);
    const T twice = T(2 * share);
    double sum = 0;
    for (Index r = 0; r < law.factor.rows(); ++r) {
      const Eigen::Map<const Eigen::VectorX<T>> b(law.factor.row(r), law.factor.channels);
      sum += b.template cast<double>().squaredNorm();
      Eigen::Map<Eigen::VectorX<T>>(law.factor_bar.row(r), law.factor.channels) += twice * b;
    }
    return share * sum;
  }
};

}  // namespace mno
