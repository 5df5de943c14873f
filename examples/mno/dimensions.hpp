#pragma once
// From an operator to the type that knows its dimension, for the files that are compiled with the list of
// dimensions that MNO_SHAPES has.
#include "operator.hpp"

namespace program {

/// f(operator) with the type that knows its dimension; only dimensions that are compiled are looked at.
template <class F> auto in_dimension(const Operator& one, F&& f) {
  const auto look = [&]<int D, int... rest>(auto& self, std::integer_sequence<int, D, rest...>) {
    const auto* found = dynamic_cast<const OperatorIn<D>*>(&one);
    if constexpr (sizeof...(rest) == 0)
      return f(*found);
    else
      return found ? f(*found) : self(self, std::integer_sequence<int, rest...>());
  };
  return look(look, std::integer_sequence<int, MNO_PROGRAM_DIMENSIONS>());
}

}  // namespace program
