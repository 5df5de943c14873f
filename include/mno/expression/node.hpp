#pragma once
// What every node of an expression shares: its parts, and where their parameters lie.
#include <cstddef>
#include <tuple>
#include <type_traits>

#include "mno/core/layer.hpp"
#include "mno/core/random.hpp"
#include "mno/device/product.hpp"

namespace mno {

namespace detail {
/// values[0] + … + values[i−1]: where the i-th of several pieces begins.
template <class T, std::size_t N> constexpr T sum_before(const T (&values)[N], std::size_t i) {
  T sum = 0;
  for (std::size_t j = 0; j < i; ++j) sum += values[j];
  return sum;
}

/// y += L(x), or y = L(x) into memory that nobody has zeroed. A layer that can do either at the same cost has
/// `evaluate`, which is forward with this choice; for the others y is zeroed first.
template <class L, class Pass>
void evaluate(Weights<Pass> w, In<Pass> x, Out<Pass> y, TraceOf<L, Pass>& trace, Pass& pass, Write write) {
  using Own = typename OnDevice<L, Pass>::type;
  if constexpr (requires { Own::template evaluate<Pass>(w, x, y, trace, pass, write); }) {
    Own::template evaluate<Pass>(w, x, y, trace, pass, write);
  } else {
    if (write == Write::set)
      for (Index r = 0; r < y.rows(); ++r) std::fill_n(y.row(r), y.channels, typename Pass::Scalar(0));
    Own::template forward<Pass>(w, x, y, trace, pass);
  }
}

/// The same for x̄: a layer that can add to it or set it at the same cost has `adjoint`, which is vjp with
/// this choice; for the others x̄ is zeroed first.
template <class L, class Pass>
void adjoint(Weights<Pass> w, In<Pass> ybar, const TraceOf<L, Pass>& trace, WeightsBar<Pass> wbar,
             Out<Pass> xbar, Pass& pass, Write write) {
  using Own = typename OnDevice<L, Pass>::type;
  if constexpr (requires { Own::template adjoint<Pass>(w, ybar, trace, wbar, xbar, pass, write); }) {
    Own::template adjoint<Pass>(w, ybar, trace, wbar, xbar, pass, write);
  } else {
    if (write == Write::set && xbar)
      for (Index r = 0; r < xbar.rows(); ++r)
        std::fill_n(xbar.row(r), xbar.channels, typename Pass::Scalar(0));
    Own::template vjp<Pass>(w, ybar, trace, wbar, xbar, pass);
  }
}

}  // namespace detail

/// A node made of Ls: parameters of the parts follow each other, the trace is the tuple of their traces.
/// A node has no name of its own; a struct that derives from one and says `name` gives its parts that prefix.
template <Layer... Ls> struct Node {
  using parts = Parts<Ls...>;
  static constexpr const char* name = "";
  static constexpr std::size_t count = sizeof...(Ls);
  static constexpr std::size_t parameters = (Ls::parameters + ... + 0);

  template <std::size_t I> using Part = std::tuple_element_t<I, std::tuple<Ls...>>;

  template <class Pass> struct Trace { std::tuple<TraceOf<Ls, Pass>...> parts; };

  /// Where part I's parameters begin.
  template <std::size_t I> static constexpr std::size_t offset() {
    constexpr std::size_t sizes[] = {Ls::parameters...};
    return detail::sum_before(sizes, I);
  }
  template <std::size_t I, class T> static std::span<T> slice(std::span<T> w) {
    return w.subspan(offset<I>(), Part<I>::parameters);
  }

  /// f(std::integral_constant<std::size_t, I>) for every part in order.
  template <class F> static void for_each_part(F&& f) {
    [&]<std::size_t... Is>(std::index_sequence<Is...>) {
      (f(std::integral_constant<std::size_t, Is>{}), ...);
    }
    (std::make_index_sequence<count>{});
  }
};

}  // namespace mno
