// Expressions over several grids, against the oracle: the ways down and up of a U-Net, strides, modulation,
// and layers that are visited more than once.
#include "gradients.hpp"
#include "mno/expression/chain.hpp"
#include "mno/expression/concat.hpp"
#include "mno/expression/product.hpp"
#include "mno/expression/repeat.hpp"
#include "mno/expression/sum.hpp"
#include "mno/layer/activation.hpp"
#include "mno/layer/conv.hpp"
#include "mno/layer/factorised_spectral.hpp"
#include "mno/layer/film.hpp"
#include "mno/layer/group_norm.hpp"
#include "mno/layer/identity.hpp"
#include "mno/layer/nearest.hpp"
#include "mno/layer/pointwise.hpp"
#include "mno/layer/pooling.hpp"
#include "mno/layer/spectral_resample.hpp"

using namespace mno;
using namespace mno::test;

namespace {

template <int In, int Out, class Edge = Circular> constexpr auto block() {
  return Conv<In, Out, 2, 3, Edge>{} >> GroupNorm<Out, 2>{} >> Silu<Out>{};
}
constexpr auto bottom = AveragePool<4, 2>{} >> block<4, 6>() >> Nearest<6, 2>{};
constexpr auto middle = AveragePool<4, 2>{} >> block<4, 4>() >>
                        concat(Identity<4>{}, bottom) >> block<10, 4, Reflecting>() >> SpectralUp<4, 2>{};
constexpr auto unet = block<2, 4, Zero>() >> concat(Identity<4>{}, middle) >> Conv<8, 1, 2, 3>{};

}  // namespace

TEST_CASE("a U-Net on three grids") {
  using E = std::remove_const_t<decltype(unet)>;
  check_vjp<E>(Grid<2>{{12, 8}, {{2.0, 0.5}}});
  CHECK(output_grid<E>(Grid<2>{{12, 8}}) == Grid<2>{{12, 8}});
  CHECK_THROWS_WITH_AS(output_grid<E>(Grid<2>{{12, 6}}),
                       "mno::AveragePool: argument 'x': expected points that 2 divides, got 3 on axis 1.",
                       Error);
}

TEST_CASE("strides down, and waves up again, beside the straight way") {
  constexpr auto layer = skip(Conv<3, 3, 2, 3, Zero, 2>{} >> Tanh<3>{} >> SpectralUp<3, 2>{});
  check_vjp<std::remove_const_t<decltype(layer)>>(Grid<2>{{6, 8}});
  constexpr auto largest_of = Conv<2, 3, 1, 5, Reflecting>{} >> MaxPool<3, 3>{} >> Pointwise<3, 2>{};
  check_vjp<std::remove_const_t<decltype(largest_of)>>(Grid<1>{{9}});
}

TEST_CASE("modulation by the mean of the grid") {
  constexpr auto condition = GlobalMean<2>{} >> Pointwise<2, 8>{};
  constexpr auto layer = concat(Conv<2, 4, 2, 3>{}, condition) >> Film<4>{};
  check_vjp<std::remove_const_t<decltype(layer)>>(planes[2]);
}

TEST_CASE("layers that are visited twice") {
  constexpr auto step = FactorisedSpectralConv<3, 3, 2, 3>{} + Conv<3, 3, 2, 3, Reflecting>{};
  constexpr auto layer = tied<2>(step >> GroupNorm<3, 1>{} >> Tanh<3>{});
  check_vjp<std::remove_const_t<decltype(layer)>>(planes[2]);
}
