#pragma once
// The paper's martingale term: the residual u_T − u_0 − A is centred, E[M_t | u_0] = 0.
#include "mno/loss/entry.hpp"

namespace mno {

/// L_martingale = average over entries of (ū − m)², as m = u_0 + A;   m̄ = 2(m − ū)
struct Centring {
  static constexpr const char* name = "centring";
  double weight = 0.1;

  template <class T, int D> void need(const LawBlock<T, D>& law, const Target<T, D>& target) const {
    detail::require_mean(name, law, target);
  }

  MNO_HOST_DEVICE detail::EntryTerm at(double m, double, const detail::EntryTarget& e) const {
    const double error = m - e.mean;
    return {error * error, 2 * error, 0};
  }

  template <class T, int D>
  double operator()(const LawBlock<T, D>& law, const Target<T, D>& target, double scale) const {
    need(law, target);
    return detail::average_entries(detail::formula_of(*this), law, target, weight * scale);
  }
};

}  // namespace mno
