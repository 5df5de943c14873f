#pragma once
// The squared error of the mean against every member: what regression on the members minimises. Its gradient
// is that of Centring; its value also counts the ensemble's spread, which no mean can remove.
#include "mno/loss/entry.hpp"

namespace mno {

/// average over members and entries of (u − m)² = average over entries of (ū − m)² + (1−1/M) s²
struct MeanSquaredError {
  static constexpr const char* name = "mean_squared_error";
  double weight = 1;

  template <class T, int D> void need(const LawBlock<T, D>& law, const Target<T, D>& target) const {
    detail::require_variance(name, law, target, 1);
  }

  MNO_HOST_DEVICE detail::EntryTerm at(double m, double, const detail::EntryTarget& e) const {
    const double error = m - e.mean;
    return {error * error + e.biased_variance(), 2 * error, 0};
  }

  template <class T, int D>
  double operator()(const LawBlock<T, D>& law, const Target<T, D>& target, double scale) const {
    need(law, target);
    return detail::average_entries(detail::formula_of(*this), law, target, weight * scale);
  }
};

}  // namespace mno
