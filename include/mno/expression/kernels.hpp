#pragma once
// Which kernels an expression runs, in words: "lift >> 4 x fourier >> (perceptron, perceptron) * gate".
#include <string>

#include "mno/expression/concat.hpp"
#include "mno/expression/gated.hpp"
#include "mno/expression/product.hpp"
#include "mno/expression/pull_back.hpp"
#include "mno/expression/recomputed.hpp"
#include "mno/expression/repeat.hpp"
#include "mno/expression/sum.hpp"

namespace mno {

template <class E> std::string kernels();

namespace detail {

template <class... Ls> std::string kernels_of(const char* between, Parts<Ls...>) {
  std::string all;
  ((all += (all.empty() ? "" : between) + kernels<Ls>()), ...);
  return all;
}
template <class... Ls> std::string kernels_in(const Sequence<Ls...>*) {
  return kernels_of(" >> ", Parts<Ls...>{});
}
template <class... Ls> std::string kernels_in(const Chain<Ls...>*) {
  return kernels_in(static_cast<const typename Chain<Ls...>::runs*>(nullptr));
}
template <class... Ls> std::string kernels_in(const Sum<Ls...>*) {
  return "(" + kernels_of(" + ", Parts<Ls...>{}) + ")";
}
template <class... Ls> std::string kernels_in(const Concat<Ls...>*) {
  return "(" + kernels_of(", ", Parts<Ls...>{}) + ")";
}
template <class A, class B> std::string kernels_in(const Product<A, B>*) {
  return "(" + kernels_of(" * ", Parts<A, B>{}) + ")";
}
template <class L, class G> std::string kernels_in(const Gated<L, G>*) {
  return kernels<L>() + " * " + G::name;
}
template <int Times, class L> std::string kernels_in(const Repeat<Times, L>*) {
  return std::to_string(Times) + " x " + kernels<L>();
}
template <int Times, class L> std::string kernels_in(const Tied<Times, L>*) {
  return "tied " + std::to_string(Times) + " x " + kernels<L>();
}
template <class L> std::string kernels_in(const Recomputed<L>*) { return "recomputed " + kernels<L>(); }

}  // namespace detail

/// A layer that is none of these runs as itself, under its name.
template <class E> std::string kernels() {
  if constexpr (requires(const E* e) { detail::kernels_in(e); })
    return detail::kernels_in(static_cast<const E*>(nullptr));
  else
    return E::name;
}

}  // namespace mno
