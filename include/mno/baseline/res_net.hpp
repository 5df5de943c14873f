#pragma once
// A ResNet: convolutions with stencils of three points beside residual paths, all on the grid of the data,
// from [u_0, t, known fields] to u_t,
//
//     v ↦ v + K_2 gelu(norm(K_1 v)).
//
// Published: K. He, X. Zhang, S. Ren, J. Sun, "Deep Residual Learning for Image Recognition",
// arXiv:1512.03385. Our reading: group normalisation and gelu, and periodic edges, as the fields have them.
// The shape's depth is the number of residual layers; it has no modes. After n layers a value depends on
// 2n + 1 points in each direction and on none beyond: stencils belong to the grid that they were trained on.
#include "mno/baseline/u_net.hpp"

namespace mno {

namespace baseline {

template <Shape S, class Edge>
struct ResidualLayer
    : Sum<Identity<S::width>,
          Chain<Conv<S::width, S::width, S::dimension, 3, Edge>, GroupNorm<S::width, groups_of(S::width)>,
                Gelu<S::width>, Conv<S::width, S::width, S::dimension, 3, Edge>>> {
  static constexpr const char* name = "layer";
};

template <Shape S, class Edge>
struct ResNetOperator : Chain<Conv<input_channels<S>(), S::width, S::dimension, 3, Edge>,
                              Repeat<S::depth, ResidualLayer<S, Edge>>, DriftHead<S>> {};

}  // namespace baseline

template <class S, class T = float, class Edge = Circular>
using ResNet = Model<baseline::ResNetOperator<typename RequireShape<S>::type, Edge>, S, T>;

}  // namespace mno
