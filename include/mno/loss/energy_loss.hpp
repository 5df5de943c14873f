#pragma once
// Draws against members: whole fields by the energy score, every point by the CRPS. It needs only draws of a
// model, so the same loss trains an operator with noise inside and one that gives a law.
#include "mno/loss/fair_crps.hpp"
#include "mno/loss/fair_energy_score.hpp"
#include "mno/loss/loss.hpp"

namespace mno {

using EnergyLoss = Loss<OnDraws<FairEnergyScore, FairCrps>>;

/// Every step compares `draws` draws of every condition with `members` of its members, others in every step.
inline EnergyLoss energy_loss(Index draws = 8, Index members = 16) {
  OnDraws<FairEnergyScore, FairCrps> term(draws, FairEnergyScore{}, FairCrps{});
  term.members = members;
  return EnergyLoss(std::move(term));
}

}  // namespace mno
