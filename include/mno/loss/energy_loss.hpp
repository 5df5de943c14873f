#pragma once
// Draws against members: whole fields by the energy score, every point by the CRPS. It asks nothing of a
// model but draws, so an operator with noise inside and one that gives a law can be trained by the same loss.
#include "mno/loss/fair_crps.hpp"
#include "mno/loss/fair_energy_score.hpp"
#include "mno/loss/loss.hpp"

namespace mno {

using EnergyLoss = Loss<OnDraws<FairEnergyScore, FairCrps>>;

/// With so many draws of every condition in every step, against so many of its members, others in every step.
inline EnergyLoss energy_loss(Index draws = 8, Index members = 16) {
  OnDraws<FairEnergyScore, FairCrps> term(draws, FairEnergyScore{}, FairCrps{});
  term.members = members;
  return EnergyLoss(std::move(term));
}

}  // namespace mno
