#pragma once
// What every node of an expression shares: its parts, and where their parameters lie.
#include <cstddef>
#include <tuple>
#include <type_traits>

#include "mno/core/layer.hpp"

namespace mno {

namespace detail {

/// values[0] + … + values[i−1]: where the i-th of several pieces begins.
template <class T, std::size_t N> constexpr T sum_before(const T (&values)[N], std::size_t i) {
  T sum = 0;
  for (std::size_t j = 0; j < i; ++j) sum += values[j];
  return sum;
}

/// Parts that stand side by side need the same output grid. Grids are known only when a pass runs, so it is
/// checked then.
template <class First, class... Ls, int D> Grid<D> common_grid(const char* node, const Grid<D>& grid) {
  const Grid<D> first = output_grid<First>(grid);
  const auto agree = [&](const Grid<D>& other) {
    if (first == other) return;
    throw Error(Text("mno: ", node, " needs parts whose outputs are on one grid; of a field on ", grid.str(),
                     ", one part makes ", first.str(), " and another ", other.str(), ".")
                    .str());
  };
  (agree(output_grid<Ls>(grid)), ...);
  return first;
}

}  // namespace detail

/// A node made of Ls: parameters of the parts follow each other, the trace is the tuple of their traces.
/// A node has no name of its own; a struct that derives from one and says `name` gives its parts that prefix.
template <class... Ls> struct Node {
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
