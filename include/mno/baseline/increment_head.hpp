#pragma once
// The last part of every rival: u = u_0 + g(t) G, the increment G times the gate of the paper. At t = 0 every
// draw is u_0, bit for bit, as for the paper's operator, so no rival has to learn this. Every G has the path
// κ u_0 that `mno` has (layer/initial_path.hpp): without it the mean of any operator of this form is several
// times worse where little of u_0 is left. `fit` opens it.
#include "mno/layer/initial.hpp"
#include "mno/model/operators.hpp"

namespace mno::baseline {

/// Initial comes first: where g = 0 nothing is added to it.
template <Shape S, Layer Head = PathDriftHead<S>, class G = Gate>
struct IncrementHead : Sum<Initial<Head::inputs, S::channels>, Gated<Head, G>> {};

}  // namespace mno::baseline
