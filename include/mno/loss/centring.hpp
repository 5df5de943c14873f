#pragma once
// The paper's martingale term: the residual u_T − u_0 − A is centred, E[M_t | u_0] = 0.
#include "mno/loss/mean_difference.hpp"
#include "mno/loss/target.hpp"

namespace mno {

/// L_martingale = average over entries of (ū − m)², as m = u_0 + A;   m̄ = 2(m − ū)
struct Centring {
  static constexpr const char* name = "centring";
  double weight = 0.1;

  template <class T, int D> void need(const LawBlock<T, D>& law, const Target<T, D>& target) const {
    detail::require_mean(name, law, target);
  }

  template <class T, int D>
  double operator()(const LawBlock<T, D>& law, const Target<T, D>& target, double scale) const {
    need(law, target);
    double total = 0;
    for (Index b = 0; b < law.mean.batch; ++b) {
      total += weight * scale * detail::mean_square_difference(law, target, b);
      detail::add_mean_difference(law, target, b, 2 * weight * scale);
    }
    return total;
  }
};

}  // namespace mno
