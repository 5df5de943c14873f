#pragma once
// A truncated Wiener chaos expansion with an FNO for its coefficients:
//
//     u = Σ_{|α| ≤ K} u_α(u_0, t) ξ_α,    ξ_α = Π_i h_{α_i}(ξ_i),   ξ_1, …, ξ_r ~ N(0,1) independent,
//
// with the normalised Hermite products of layer/hermite.hpp. They are centred and uncorrelated, so mean and
// covariance have a closed form: E u = u_(0,…,0), Cov u = Σ_{α≠0} u_α u_αᵀ. So the expansion is a law of this
// library, with the u_α as rows of its factor and the ξ_α as residuals: for K = 1 it is the paper's, for
// K ≥ 2 it has more rows than Gaussians and is not Gaussian.
//
// Published: A. Neufeld, P. Schmocker, "Solving stochastic partial differential equations using neural
// networks in the Wiener chaos expansion", arXiv:2411.03384: the u_α are networks of (t, x) for one equation
// and one u_0. Ours are the outputs of an FNO of u_0 and t.
//
//   WienerChaos<Shape> model;                     a law: trained by any loss of laws
//   sample(chaos_law<Shape>(predict(model, u_0, t)), 64, seed);
//   WienerChaosDraws<Shape> model;                the same parameters, giving draws: trained by their scores
//   closed_form(model);                           its law
//
// Mean and covariance do not tell which rows are linear in ξ and which are not: to learn a law that is not
// Gaussian, train the draws.
#include "mno/baseline/increment_head.hpp"
#include "mno/law/law.hpp"
#include "mno/layer/hermite.hpp"
#include "mno/layer/noise.hpp"
#include "mno/layer/superposition.hpp"
#include "mno/model/model.hpp"

namespace mno {

/// The residuals ξ_α, 1 ≤ |α| ≤ Order, of some Gaussians.
template <int Gaussians, int Order> struct ChaosResidual {
  static constexpr int terms = Hermite<Gaussians, Order>::outputs;

  void draw(Stream& stream, std::span<double> xi) const {
    require(xi.size() == std::size_t(terms), "ChaosResidual", "law",
            Text("a factor of ", terms, " rows, one for every product, and no nugget"), Text(xi.size()));
    double x[Gaussians];
    for (double& value : x) value = stream.normal();
    double* to = xi.data();
    Hermite<Gaussians, Order>::products(x, [&](double value) { *to++ = value; });
  }
};

namespace baseline {

/// A shape of r Gaussians, with a row of the factor for every α ≠ 0.
template <Shape S, int Order> struct ChaosShape : S {
  static constexpr int gaussians = S::rank, order = Order, rank = Hermite<S::rank, Order>::outputs;
};

/// Σ_α u_α ξ_α of the heads' fields: drift and factor, as PathMno has them.
template <Shape S, int Order, class Chaos = ChaosShape<S, Order>>
struct ChaosHead : Sum<PathDriftHead<S>,
                       Chain<Concat<Chain<Noise<S::width, S::rank, S::dimension, 1>, Hermite<S::rank, Order>>,
                                    FactorHead<Chaos>>,
                             Superposition<Chaos::rank, S::channels>>> {};

template <Shape S, int Order>
struct WienerChaosOperator
    : Chain<Lift<S>, Repeat<S::depth, FourierLayer<S>>, IncrementHead<S, ChaosHead<S, Order>>> {};

}  // namespace baseline

/// Gives the law: mean u_0, and a factor of the u_α.
template <class S, int Order = 2, class T = float>
using WienerChaos = PathMno<baseline::ChaosShape<typename RequireShape<S>::type, Order>, T>;
/// Gives draws.
template <class S, int Order = 2, class T = float>
using WienerChaosDraws = Model<baseline::WienerChaosOperator<typename RequireShape<S>::type, Order>, S, T>;

/// What WienerChaos<S, Order> predicts, with the residuals that belong to it: for draws.
template <class S, int Order = 2, class T, int D>
Law<T, D, ChaosResidual<S::rank, Order>> chaos_law(Law<T, D> law) {
  return with_residual(std::move(law), ChaosResidual<S::rank, Order>{});
}

/// The law that a model's draws have.
template <class S, int Order, class T>
WienerChaos<S, Order, T> closed_form(const Model<baseline::WienerChaosOperator<S, Order>, S, T>& draws) {
  WienerChaos<S, Order, T> law(0, draws.domain());
  static_assert(decltype(law)::parameters ==
                Model<baseline::WienerChaosOperator<S, Order>, S, T>::parameters);
  std::ranges::copy(draws.values(), law.values().begin());
  if (draws.stored_known_fields().size() > 0) law.store_known_fields(draws.stored_known_fields());
  const auto& units = draws.input_units();
  law.set_input_units({units.shift, units.scale, units.known_shift, units.known_scale});
  law.set_least_points(draws.least_points());
  return law;
}

}  // namespace mno
