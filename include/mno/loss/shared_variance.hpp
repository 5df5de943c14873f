#pragma once
// v = Σ_k B_k² + η² of a block, computed once for all terms of a loss; their v̄ is collected and handed on
// once:
//
//   B̄_k += 2 v̄ B_k,   η̄ += 2 v̄ η
#include <Eigen/Core>

#include "mno/loss/entry.hpp"
#include "mno/loss/factor_columns.hpp"

namespace mno::detail {

template <class T, int D> class SharedVariance {
 public:
  /// A law without a factor stays as it is.
  explicit SharedVariance(const LawBlock<T, D>& law) : scope_(loss_scratch()), law_(law) {
    if (!law.factor || !law.factor_bar) return;
    const auto& m = law.mean;
    const std::size_t n = std::size_t(m.rows() * m.channels);
    T *const v = loss_scratch().take<T>(n), *const v_bar = loss_scratch().take<T>(n);
    if (m.channels == 1 && !law.nugget)
      for (Index r = 0; r < m.rows(); ++r) v[r] = ranks(law.factor, r).squaredNorm();
    else
      for (Index r = 0; r < m.rows(); ++r)
        for (Index c = 0; c < m.channels; ++c) v[r * m.channels + c] = T(variance_at(law, r, c));
    std::fill_n(v_bar, n, T(0));
    law_.variance = {v, m.batch, m.grid, m.channels, m.channels};
    law_.variance_bar = {v_bar, m.batch, m.grid, m.channels, m.channels};
  }

  const LawBlock<T, D>& law() const { return law_; }

  /// v̄ → B̄, when all terms have added theirs.
  void hand_on() {
    if (!law_.variance_bar) return;
    const View<T, D> collected = std::exchange(law_.variance_bar, {});
    if (collected.channels == 1 && !law_.nugget)
      for (Index r = 0; r < collected.rows(); ++r)
        ranks(law_.factor_bar, r) += T(2) * *collected.row(r) * ranks(law_.factor, r);
    else
      for (Index r = 0; r < collected.rows(); ++r)
        for (Index c = 0; c < collected.channels; ++c)
          add_variance_bar(law_, r, c, double(collected.row(r)[c]));
  }

 private:
  /// B_k(x) of the only channel, for all k.
  template <class U> static auto ranks(const View<U, D>& factor, Index row) {
    using Column = Eigen::VectorX<T>;
    return Eigen::Map<std::conditional_t<std::is_const_v<U>, const Column, Column>>(factor.row(row),
                                                                                    factor.channels);
  }

  ArenaScope scope_;
  LawBlock<T, D> law_;
};

}  // namespace mno::detail
