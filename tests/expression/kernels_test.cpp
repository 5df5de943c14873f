// Which kernels run: patterns are found inside longer chains, with summands in either order, and every
// operator of the library runs the ones that were written for it.
#include "mno/expression/kernels.hpp"

#include <doctest/doctest.h>

#include "mno/model/operators.hpp"

using namespace mno;

namespace {
struct Small {
  static constexpr int dimension = 1, channels = 1, rank = 2, width = 6, modes = 3, depth = 4;
};
struct Split : Small {
  static constexpr bool shared_backbone = false;
};
using Spectral = SpectralConv<6, 6, 1, 3>;
using Linear = Pointwise<6, 6>;
struct Mixing : Spectral {
  static constexpr const char* name = "mixing";
};
}  // namespace

TEST_CASE("patterns anywhere") {
  CHECK(kernels<decltype((Spectral{} + Linear{}) >> Gelu<6>{})>() == "fourier");
  CHECK(kernels<decltype((Linear{} + Spectral{}) >> Tanh<6>{})>() == "fourier");
  CHECK(kernels<decltype((Mixing{} + Linear{}) >> Gelu<6>{})>() == "fourier");
  CHECK(kernels<decltype(Linear{} >> (Linear{} + Spectral{}) >> Gelu<6>{} >> (Spectral{} + Linear{}) >>
                         Relu<6>{} >> Linear{} >> Gelu<6>{} >> Linear{} >> Tanh<6>{})>() ==
        "pointwise >> fourier >> fourier >> perceptron >> tanh");
  CHECK(kernels<decltype(skip(Linear{} >> Gelu<6>{} >> Linear{}))>() == "(perceptron + identity)");
  // No pattern: three summands, no activation, two links of three.
  CHECK(kernels<decltype((Spectral{} + Linear{} + Linear{}) >> Gelu<6>{})>() ==
        "(spectral + pointwise + pointwise) >> gelu");
  CHECK(kernels<decltype((Spectral{} + Linear{}) >> Linear{})>() == "(spectral + pointwise) >> pointwise");
  CHECK(kernels<decltype(Linear{} >> Gelu<6>{})>() == "pointwise >> gelu");
}

TEST_CASE("every operator of the library") {
  CHECK(kernels<MnoOperator<Small>>() == "lift >> 4 x fourier >> (perceptron, perceptron) * gate");
  CHECK(kernels<MnoOperator<Small, PathDriftHead<Small>>>() ==
        "lift >> 4 x fourier >> ((perceptron + path), perceptron) * gate");
  CHECK(kernels<MnoOperator<Small, DriftHead<Small>, FactorHead<Small>, PowerGate>>() ==
        "lift >> 4 x fourier >> (perceptron * gate, perceptron * gate)");
  CHECK(kernels<MnoOperator<Small, SeparableDriftHead<Small>, MercerHead<Small>>>() ==
        "lift >> 4 x fourier >> (perceptron >> separable, perceptron >> mercer) * gate");
  CHECK(kernels<MnoOperator<Split>>() ==
        "(lift >> 4 x fourier >> perceptron, lift >> 4 x fourier >> perceptron) * gate");
  CHECK(kernels<FnoOperator<Small>>() == "lift >> 4 x fourier >> perceptron");
}
