#pragma once
// Training data straight from a simulator: statistics are taken while members are drawn, so that members
// do not stay in memory unless they are few or asked for. Where an equation has known(), a force say, it
// becomes a known field.
//
//   Ensemble<float, 1> data = simulate_ensemble<float>(spde::Burgers{}, {.samples = 256, .members = 64});
#include "mno/data/ensemble.hpp"
#include "mno/simulate/simulate.hpp"

namespace mno {

template <class T, class Equation>
Ensemble<T, Equation::dimension> simulate_ensemble(const Equation& equation, const Sampling& sampling,
                                                   EnsembleOptions options = {},
                                                   Cpu& device = default_device()) {
  constexpr int D = Equation::dimension;
  detail::check_sampling(sampling);
  equation.check();
  const std::vector<Index> counts(std::size_t(sampling.samples * sampling.queries()), sampling.members);
  auto ensemble =
      make_ensemble<T, D>(std::span<const Index>(counts), equation.grid(), Equation::channels, options);
  simulate<T>(
      equation, sampling,
      [&](const SimulatedCondition<T, D>& condition, View<const T, D> members) {
        set_condition<T, D>(ensemble, condition.index, condition.initial, T(condition.time), condition.sample,
                            members);
      },
      device);
  if constexpr (requires { equation.template known<T>(); }) ensemble.known = equation.template known<T>();
  return ensemble;
}

}  // namespace mno
