#pragma once
// The input of a loss: a model's output for some samples of a batch, and where the cotangents go.
#include "mno/core/field.hpp"

namespace mno {

/// The law of samples [first, first + mean.batch), and where its cotangents go (zeroed before). For several
/// terms, v = Σ_k B_k² + η² may be computed once and v̄ collected.
template <class T, int D> struct LawBlock {
  Index first = 0;
  View<const T, D> mean, factor;
  View<T, D> mean_bar, factor_bar;
  View<const T, D> nugget =
      {};  // η, the deviation of noise that is independent from entry to entry, or empty
  View<T, D> nugget_bar = {};
  View<const T, D> variance = {};  // v, or empty: then a term computes it from the factor
  View<T, D> variance_bar = {};    // v̄, or empty: then a term adds 2 v̄ B_k to B̄_k and 2 v̄ η to η̄
};
/// The same for an operator that gives a field.
template <class T, int D> struct FieldBlock {
  Index first = 0;
  View<const T, D> value;
  View<T, D> value_bar;
};

/// S draws for each of the conditions [first, first + conditions()).
template <class T, int D> struct DrawBlock {
  Index first = 0;         // condition
  Index draws = 1;         // S
  View<const T, D> value;  // (condition·S + draw, grid…, C)
  View<T, D> value_bar;
  Index members = 0;  // of every condition that the draws are compared with; 0: all

  MNO_HOST_DEVICE Index conditions() const { return value.batch / draws; }
};

namespace detail {
/// What an operator with noise inside gives in S visits of every condition.
template <class T, int D> DrawBlock<T, D> as_draws(const FieldBlock<T, D>& field, Index draws) {
  return {field.first / draws, draws, field.value, field.value_bar};
}
/// A field is a law without a factor: terms of the mean take it.
template <class T, int D> const LawBlock<T, D>& as_law(const LawBlock<T, D>& law) { return law; }
template <class T, int D> LawBlock<T, D> as_law(const FieldBlock<T, D>& field) {
  return {field.first, field.value, {}, field.value_bar, {}};
}
}  // namespace detail

}  // namespace mno
