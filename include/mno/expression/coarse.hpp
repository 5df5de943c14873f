#pragma once
// coarse<k>(a): a on a grid with k times fewer points per axis, between a way down and a way up. Both ways
// are the trigonometric interpolant, so a means the same on every grid. Waves that the coarser grid does not
// carry are lost, unless something beside a lets them through: skip(coarse<2>(a)).
#include "mno/expression/chain.hpp"
#include "mno/layer/spectral_resample.hpp"

namespace mno {

template <int K, Layer A> constexpr auto coarse(A a) {
  static_assert(K >= 2, "mno: coarse<k>(a) needs k of at least 2");
  return SpectralDown<A::inputs, K>{} >> a >> SpectralUp<A::outputs, K>{};
}

}  // namespace mno
