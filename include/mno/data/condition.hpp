#pragma once
// What a law is conditioned on: u_0, t and known fields.
#include <cstdint>
#include <span>

#include "mno/core/field.hpp"

namespace mno {

template <class T, int D> struct Condition {
  View<const T, D> initial;  // u_0: (sample, grid…, channel)
  std::span<const T> times;  // t: one per sample, or one for all
  View<const T, D> known{};  // (sample or 1, grid…, known field); empty: those stored with the model, if any
  std::uint64_t noise = 0;   // names the noise that an operator with noise inside is given
  Index draws = 1;  // visits of every condition, each with noise of its own: (condition·draws + draw)

  Index samples() const { return initial.batch * draws; }

  T time(Index sample) const { return times[times.size() == 1 ? 0 : std::size_t(sample)]; }
};

/// Where the gradient with respect to the condition goes: ū_0, t̄ (one per sample) and the known fields'
/// cotangent (one set per sample). Empty members are not computed.
template <class T, int D> struct ConditionBar {
  View<T, D> initial{};
  std::span<T> times{};
  View<T, D> known{};
  bool wanted() const { return initial || !times.empty() || known; }
};

}  // namespace mno
