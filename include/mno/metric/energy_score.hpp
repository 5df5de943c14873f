#pragma once
// The energy score: the CRPS of whole fields. It sees dependence between points, which pointwise scores do
// not. Without bias in the number of draws K:
//
//   ES = 1/(KM) Σ_{i,j} ‖x_i − u_j‖ − 1/(K(K−1)) Σ_{i<i'} ‖x_i − x_i'‖,   ‖f‖² = cell Σ_{c,x} f(c,x)²
//
// per condition, then averaged; M may be one. The cell weight makes ‖·‖ the L² norm on every grid. One draw
// is a deterministic prediction and has no second term.
#include <cmath>

#include "mno/metric/moments.hpp"

namespace mno::metric {

class EnergyScore {
 public:
  template <int D> explicit EnergyScore(const Grid<D>& grid) : root_cell_(std::sqrt(grid.cell())) {}

  void add(const Members& draws, const Members& members) {
    detail::require_entries("metric::EnergyScore", "members", draws.rows(), members.rows());
    const double k = double(draws.cols()), m = double(members.cols());
    double error = 0, spread = 0;
    for (Index j = 0; j < members.cols(); ++j) error += distances(draws, members.col(j));
    for (Index i = 1; i < draws.cols(); ++i) spread += distances(draws.leftCols(i), draws.col(i));
    scores_.add(root_cell_ * (error / (k * m) - (k > 1 ? spread / (k * (k - 1)) : 0)));
  }
  double value() const { return scores_.value("metric::EnergyScore"); }

 private:
  static double distances(const Eigen::Ref<const Members>& fields,
                          const Eigen::Ref<const Eigen::VectorXd>& u) {
    return (fields.colwise() - u).colwise().norm().sum();
  }
  double root_cell_;
  detail::Average scores_;
};

}  // namespace mno::metric
