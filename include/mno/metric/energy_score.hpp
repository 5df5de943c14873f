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

  template <class Own = void> void add(const Members& draws, const Members& members) {
    detail::require_entries("metric::EnergyScore", "members", draws.rows(), members.rows());
    const double k = double(draws.cols()), m = double(members.cols());
    double error = 0, spread = 0;
    for (Index j = 0; j < members.cols(); ++j) error += distances<Own>(draws, draws.cols(), members, j);
    for (Index i = 1; i < draws.cols(); ++i) spread += distances<Own>(draws, i, draws, i);
    scores_.add(root_cell_ * (error / (k * m) - (k > 1 ? spread / (k * (k - 1)) : 0)));
  }
  double value() const { return scores_.value("metric::EnergyScore"); }

 private:
  /// Of the first so many fields from one of others.
  template <class Own>
  static double distances(const mno::detail::MatrixIn<Own>& fields, Index count,
                          const mno::detail::MatrixIn<Own>& others, Index one) {
    return (fields.leftCols(count).colwise() - others.col(one)).colwise().norm().sum();
  }
  double root_cell_;
  detail::Average scores_;
};

}  // namespace mno::metric
