#pragma once
// A U-Net: convolutions with stencils of three points on a pyramid of grids, from [u_0, t, known fields] to
// u_t. Each scale has half the points per axis and twice the channels of the one above it, and joins its
// result to its input:
//
//     U_n(v) = block([v, up(U_{n−1}(block(pool(v))))]),   U_0(v) = v,   u_t = W U(block([u_0, t, …])).
//
// Published: O. Ronneberger, P. Fischer, T. Brox, "U-Net: Convolutional Networks for Biomedical Image
// Segmentation", arXiv:1505.04597. Our reading: means instead of maxima on the way down, repetition on the
// way up, group normalisation and gelu, and periodic edges, as the fields have them. The shape's width is the
// number of channels of the finest scale, its depth the number of scales; it has no modes. What it learns
// belongs to the grid that it was trained on, whose points per axis are a multiple of 2^(depth−1).
#include "mno/expression/concat.hpp"
#include "mno/layer/conv.hpp"
#include "mno/layer/group_norm.hpp"
#include "mno/layer/identity.hpp"
#include "mno/layer/nearest.hpp"
#include "mno/layer/pooling.hpp"
#include "mno/model/model.hpp"

namespace mno {

namespace baseline {

/// Channels of a group are at least four, groups at most eight.
constexpr int groups_of(int channels) {
  for (int groups = 8; groups > 1; groups /= 2)
    if (channels % groups == 0 && channels / groups >= 4) return groups;
  return 1;
}

/// Two convolutions, each followed by normalisation and gelu.
template <int In, int Out, int D, class Edge>
struct ConvBlock : Chain<Conv<In, Out, D, 3, Edge>, GroupNorm<Out, groups_of(Out)>, Gelu<Out>,
                         Conv<Out, Out, D, 3, Edge>, GroupNorm<Out, groups_of(Out)>, Gelu<Out>> {
  static constexpr const char* name = "block";
};

/// U_n, with `Below` scales below its own.
template <int Channels, int Below, int D, class Edge> struct Pyramid {
  struct Coarser
      : decltype(AveragePool<Channels, 2>{} >> ConvBlock<Channels, 2 * Channels, D, Edge>{} >>
                 typename Pyramid<2 * Channels, Below - 1, D, Edge>::type{} >> Nearest<2 * Channels, 2>{}) {
    static constexpr const char* name = "coarser";
  };
  using type = decltype(concat(Identity<Channels>{}, Coarser{}) >>
                        ConvBlock<3 * Channels, Channels, D, Edge>{});
};
template <int Channels, int D, class Edge> struct Pyramid<Channels, 0, D, Edge> {
  using type = Identity<Channels>;
};

template <Shape S, class Edge>
struct UNetOperator : decltype(ConvBlock<input_channels<S>(), S::width, S::dimension, Edge>{} >>
                               typename Pyramid<S::width, S::depth - 1, S::dimension, Edge>::type{} >>
                               Pointwise<S::width, S::channels>{}) {};

}  // namespace baseline

template <class S, class T = float, class Edge = Circular>
using UNet = Model<baseline::UNetOperator<typename RequireShape<S>::type, Edge>, S, T>;

}  // namespace mno
