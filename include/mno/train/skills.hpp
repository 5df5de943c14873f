#pragma once
// How good is a surrogate? Its CRPS on data that it has not seen, against climatology and against its own
// mean with one variance per channel, both fitted on its training data (metric/references.hpp).
//
//   std::cout << metric::skill_sentence(skills(surrogate, test));
#include "mno/metric/crps.hpp"
#include "mno/metric/skill.hpp"
#include "mno/train/surrogate.hpp"

namespace mno {

/// The data is in the user's units and keeps its members; scores are compared in the model's own coordinates.
/// An operator with noise inside is judged by 64 draws of every condition: their fair CRPS, and their mean.
template <class M, class Device = Cpu>
std::vector<metric::NamedSkill> skills(const Surrogate<M>& surrogate,
                                       Ensemble<typename M::Scalar, M::dimension> data,
                                       Device& device = default_device()) {
  require(surrogate.references().has_value(), "skills", "surrogate",
          Text("one that knows its references, as fit gives and save keeps them"), Text("none"));
  require(data.members.size() > 0, "skills", "data",
          Text("an ensemble that keeps its members: make_ensemble(counts, …, {.members = true})"),
          Text("statistics"));
  data = in_law_coordinates(std::move(data), surrogate.warp());
  surrogate.normaliser().apply(data);
  constexpr bool by_draws = M::gives_draws;
  constexpr Index draws = by_draws ? 64 : 1;
  auto condition = data.condition();
  condition.draws = draws;
  const auto prediction = surrogate.own_prediction(condition, device);
  std::conditional_t<by_draws, metric::SampleCrps, metric::Crps> model;
  metric::Crps climatology, constant;
  for (Index s = 0; s < data.size(); ++s) {
    const metric::Members truth = metric::members(data.members_of(s));
    Field<typename M::Scalar, M::dimension> mean(1, data.grid(), data.channels());
    const auto score_with = [&](const auto* means) {
      std::transform(means, means + mean.size(), mean.data(), [](auto m) { return typename M::Scalar(m); });
      constant.add(surrogate.references()->constant_variance(mean), 0, truth);
    };
    if constexpr (M::stochastic) {
      model.add(prediction, s, truth);
      score_with(prediction.mean.data() + std::size_t(s) * mean.size());
    } else if constexpr (by_draws) {
      const metric::Members drawn = metric::members(std::as_const(prediction).view(), s, draws);
      model.add(drawn, truth);
      score_with(metric::moments(drawn).mean.data());
    } else {
      model.add(metric::point_mass(flat(prediction, s).template cast<double>()), truth);
      score_with(prediction.data() + std::size_t(s) * mean.size());
    }
    climatology.add(surrogate.references()->climatology(data.times[std::size_t(s)], data.grid()), 0, truth);
  }
  return {{metric::climatology_name,
           metric::skill(model.per_condition(), climatology.per_condition(), data.origins)},
          {metric::constant_variance_name,
           metric::skill(model.per_condition(), constant.per_condition(), data.origins)}};
}

}  // namespace mno
