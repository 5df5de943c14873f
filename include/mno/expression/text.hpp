#pragma once
// An expression as text, the same whatever the compiler:
//
//   (lift{2->8, weight 8x2, bias 8} >> repeat<2>(layer:((spectral{…} + pointwise{…}) >> gelu{8->8})) >> …)
//
// A leaf says its name, its channels, the shapes of its parameters and its settings (core/setting.hpp); a
// node says its parts, and its name before a colon if it has one. Two expressions with one text compute the
// same function of the same parameters, provided that their layers declare all of their settings. A model
// file and the type that it is read into are compared by this text.
#include <string>

#include "mno/expression/chain.hpp"
#include "mno/expression/concat.hpp"
#include "mno/expression/gated.hpp"
#include "mno/expression/leaves.hpp"
#include "mno/expression/product.hpp"
#include "mno/expression/recomputed.hpp"
#include "mno/expression/repeat.hpp"
#include "mno/expression/sum.hpp"

namespace mno {

template <class E> std::string expression_text();

namespace detail {

inline void add_to_list(std::string& list, const std::string& item, const char* between = ", ") {
  if (!list.empty()) list += between;
  list += item;
}

/// "weight 48x3"
inline std::string parameter_text(const Parameter& leaf) {
  std::string shape;
  for (std::size_t d = 0; d < leaf.dimensions; ++d) add_to_list(shape, std::to_string(leaf.shape[d]), "x");
  return leaf.name + (shape.empty() ? "" : " " + shape);
}
template <class L> void add_settings(std::string& list) {
  if constexpr (requires { L::settings; })
    for (const LayerSetting& setting : L::settings) add_to_list(list, setting.str());
}
/// "pointwise{3->48, weight 48x3, bias 48}"
template <class L> std::string layer_text() {
  std::string inside;
  if constexpr (HasChannels<L>)
    add_to_list(inside, std::to_string(L::inputs) + "->" + std::to_string(L::outputs));
  if constexpr (IsLeaf<L>)
    for (const Parameter& leaf : L::leaves) add_to_list(inside, parameter_text(leaf));
  add_settings<L>(inside);
  return std::string(L::name) + "{" + inside + "}";
}

template <class... Ls> std::string parts_text(const char* between, Parts<Ls...>) {
  std::string all;
  (add_to_list(all, expression_text<Ls>(), between), ...);
  return all;
}

template <class... Ls> std::string text_in(const Chain<Ls...>*);
template <class... Ls> std::string text_in(const Sum<Ls...>*) {
  return "(" + parts_text(" + ", Parts<Ls...>{}) + ")";
}
template <class... Ls> std::string text_in(const Concat<Ls...>*) {
  return "concat(" + parts_text(", ", Parts<Ls...>{}) + ")";
}
template <class A, class B> std::string text_in(const Product<A, B>*) {
  return "(" + parts_text(" * ", Parts<A, B>{}) + ")";
}
template <class L, class G> std::string text_in(const Gated<L, G>*) {
  return "(" + expression_text<L>() + " * " + layer_text<G>() + ")";
}
template <int Times, class L> std::string text_in(const Repeat<Times, L>*) {
  return "repeat<" + std::to_string(Times) + ">(" + expression_text<L>() + ")";
}
template <int Times, class L> std::string text_in(const Tied<Times, L>*) {
  return "tied<" + std::to_string(Times) + ">(" + expression_text<L>() + ")";
}
template <class L> std::string text_in(const Recomputed<L>*) { return expression_text<L>(); }

/// What a struct that derives from a node adds to it: "drift:".
template <class E> std::string node_prefix() {
  std::string settings;
  add_settings<E>(settings);
  if (!settings.empty()) settings = "{" + settings + "}";
  const std::string prefix = E::name + settings;
  return prefix.empty() ? prefix : prefix + ":";
}

template <class... Ls> std::true_type is_chain(const Chain<Ls...>*);
/// A chain within a chain is opened, as >> does: (a >> b) >> c is a >> b >> c.
template <class L> std::string link_text() {
  const std::string text = expression_text<L>();
  if constexpr (requires(const L* link) { is_chain(link); })
    if (node_prefix<L>().empty()) return text.substr(1, text.size() - 2);
  return text;
}
template <class... Ls> std::string text_in(const Chain<Ls...>*) {
  std::string all;
  (add_to_list(all, link_text<Ls>(), " >> "), ...);
  return "(" + all + ")";
}

}  // namespace detail

template <class E> std::string expression_text() {
  if constexpr (requires(const E* e) { detail::text_in(e); })
    return detail::node_prefix<E>() + detail::text_in(static_cast<const E*>(nullptr));
  else if constexpr (detail::IsNode<E>)  // a node of one's own
    return detail::layer_text<E>() + "(" + detail::parts_text(", ", typename E::parts{}) + ")";
  else
    return detail::layer_text<E>();
}

}  // namespace mno
