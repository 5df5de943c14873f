#pragma once
// The paper's operators as expressions.
#include "mno/expression/gated.hpp"
#include "mno/model/gate.hpp"
#include "mno/model/heads.hpp"

namespace mno {

namespace detail {

template <class Drift, class Factor, class G> struct GatedHeads {
  using type = Gated<Concat<Drift, Factor>, G>;
};
/// The variance may grow like t^{2h} while the drift grows like t: each head has its own gate.
template <class Drift, class Factor> struct GatedHeads<Drift, Factor, PowerGate> {
  struct GatedDrift : Gated<Drift, Gate> {
    static constexpr const char* name = "mean";
  };
  struct GatedFactor : Gated<Factor, PowerGate> {
    static constexpr const char* name = "residual";
  };
  using type = Concat<GatedDrift, GatedFactor>;
};

/// shared:  lift >> layers >> concat(drift, factor) * gate
template <class S, class Drift, class Factor, class G, class Inner, bool Shared> struct MnoExpression {
  using type = Chained<Chain<Lift<S>, Repeat<S::depth, Inner>>, typename GatedHeads<Drift, Factor, G>::type>;
};
/// split:   concat(lift >> layers >> drift, lift >> layers >> factor) * gate
template <class S, class Drift, class Factor, class G, class Inner>
struct MnoExpression<S, Drift, Factor, G, Inner, false> {
  struct DriftOperator : Chain<Lift<S>, Repeat<S::depth, Inner>, Drift> {
    static constexpr const char* name = "drift_operator";
  };
  struct FactorOperator : Chain<Lift<S>, Repeat<S::depth, Inner>, Factor> {
    static constexpr const char* name = "factor_operator";
  };
  using type = typename GatedHeads<DriftOperator, FactorOperator, G>::type;
};

}  // namespace detail

/// [u_0, t, …] ↦ [g·A | g·B]: the Martingale Neural Operator, with one backbone or two (`shared_backbone` of
/// the shape), and with the heads, the gate and the inner layer of your choice.
template <Shape S, Layer Drift = DriftHead<S>, Layer Factor = FactorHead<S>, class G = Gate,
          Layer Inner = FourierLayer<S>>
struct MnoOperator : detail::MnoExpression<S, Drift, Factor, G, Inner, shared_backbone<S>()>::type {};

/// [u_0, t, …] ↦ u_t: the deterministic Fourier Neural Operator, from the same parts.
template <Shape S, Layer Inner = FourierLayer<S>>
struct FnoOperator : Chain<Lift<S>, Repeat<S::depth, Inner>, DriftHead<S>> {};

}  // namespace mno
