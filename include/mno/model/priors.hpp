#pragma once
// The paper's auxiliary priors as models; each replaces one head of NuggetMno:
//
//   SeparableMno   A = Σ_i α_i(u_0, t) φ_i ⟨ψ_i, u_0⟩     a drift of finite rank (layer/separable.hpp)
//   MercerMno      B_k = √λ_k ψ_k, ψ_k orthonormal        a factor of eigenpairs (layer/mercer.hpp)
//
// The second has no nugget.
#include "mno/model/model.hpp"

namespace mno {

template <class S, class T = float>
using SeparableMno =
    Model<MnoOperator<WithPlaces<typename RequireShape<S>::type>, SeparableDriftHead<S>, NuggetFactorHead<S>>,
          S, T>;
template <class S, class T = float>
using MercerMno =
    Model<MnoOperator<WithPlaces<typename RequireShape<S>::type>, PathDriftHead<S>, MercerHead<S>>, S, T>;

}  // namespace mno
