#pragma once
// A law that keeps the mass: the mean of u over the grid, channel by channel, is that of u_0 in every draw.
//
// Drift and factor lose their own mean over the grid by P v = v − mean(v), which is linear and its own
// adjoint:
//
//     m = u_0 + g·P A,   B_k = g·P B'_k,   so   mean(m) = mean(u_0),   mean(B_k) = 0,   Γ 1 = 0.
//
// Rounding apart, this holds for any weights and at every time, on every periodic grid, and in the units of
// the data too unless there is a warp. The mean is that over the grid that the layers work on. Between walls,
// and with set_least_points(), the law is read at some points of a larger grid, and keeps the mass only as
// nearly as these points give the mean. There is no nugget: independent noise at every point would not keep
// the mass.
#include "mno/layer/identity.hpp"
#include "mno/layer/pooling.hpp"
#include "mno/layer/scale.hpp"
#include "mno/model/model.hpp"

namespace mno {

namespace detail {
struct MinusOne {
  static constexpr double value = -1;
};
/// P
template <int Channels>
using WithoutMean = Sum<Identity<Channels>, Chain<GlobalMean<Channels>, Scale<Channels, MinusOne>>>;
}  // namespace detail

/// Drop-in for a drift or factor head: the same without its mean over the grid.
template <Layer Head> struct Conserving : detail::Chained<Head, detail::WithoutMean<Head::outputs>> {
  static constexpr const char* name = Head::name;
};

template <class S, class T = float>
using ConservingMno = Model<
    MnoOperator<typename RequireShape<S>::type, Conserving<PathDriftHead<S>>, Conserving<FactorHead<S>>>, S,
    T>;

}  // namespace mno
