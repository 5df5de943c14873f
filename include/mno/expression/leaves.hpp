#pragma once
// Walks over an expression: its named parameter leaves, and their first values.
#include <map>
#include <span>
#include <string>
#include <vector>

#include "mno/core/error.hpp"
#include "mno/core/parameter.hpp"
#include "mno/core/random.hpp"
#include "mno/expression/node.hpp"
#include "mno/expression/repeat.hpp"

namespace mno {

namespace detail {

inline std::string joined(const std::string& prefix, const std::string& name) {
  if (prefix.empty() || name.empty()) return prefix + name;
  return prefix + "." + name;
}
inline std::string joined(const std::string& prefix, const char* name, int number) {
  return joined(prefix, (*name ? name : "layer") + std::to_string(number));
}
/// In place of a path, for a walk without names, which allocates nothing.
struct Unnamed {};
inline Unnamed joined(Unnamed, const char*) { return {}; }
inline Unnamed joined(Unnamed, const char*, int) { return {}; }

template <class L>
concept IsRepeat = requires {
  L::times;
  typename L::repeated;
};
template <class L>
concept IsNode = requires {
  typename L::parts;
};
template <class L>
concept IsLeaf = requires {
  L::leaves;
};

/// visit<Type>(path, offset) for every layer that owns leaves, once, in the order of the flat buffer, however
/// often a pass visits it. A path is a string, or Unnamed.
template <class L, class Path, class Visit>
void for_each_owner(const Path& prefix, std::size_t offset, Visit&& visit);

template <class Path, class Visit, class... Ls>
void for_each_part_owner(Parts<Ls...>, const Path& path, std::size_t offset, Visit&& visit) {
  (((for_each_owner<Ls>(path, offset, visit)), offset += Ls::parameters), ...);
}

template <class L, class Path, class Visit>
void for_each_owner(const Path& prefix, std::size_t offset, Visit&& visit) {
  if constexpr (IsLeaf<L>) {
    if constexpr (L::parameters > 0) visit.template operator()<L>(joined(prefix, L::name), offset);
  } else if constexpr (IsRepeat<L>) {
    for (int i = 0; i < L::times; ++i) {
      const Path path = joined(joined(prefix, L::name), L::repeated::name, i);
      const std::size_t start = offset + std::size_t(i) * L::repeated::parameters;
      if constexpr (IsNode<typename L::repeated>)
        for_each_part_owner(typename L::repeated::parts{}, path, start, visit);
      else
        for_each_owner<typename L::repeated>(path, start, visit);
    }
  } else {
    static_assert(IsNode<L>,
                  "mno: a layer with parameters needs `leaves`: a std::array of parameter(\"name\", sizes…)");
    for_each_part_owner(typename L::parts{}, joined(prefix, L::name), offset, visit);
  }
}

/// A layer that owns leaves.
struct Owner {
  std::string path;
  std::size_t offset;
  std::span<const Parameter> leaves;
};
inline std::vector<NamedLeaf> name_leaves(const std::vector<Owner>& owners) {
  std::map<std::string, int> number, seen;
  for (const Owner& owner : owners) ++number[owner.path];
  std::vector<NamedLeaf> leaves;
  for (const Owner& owner : owners) {
    const std::string path =
        number[owner.path] > 1 ? owner.path + std::to_string(seen[owner.path]++) : owner.path;
    std::size_t offset = owner.offset;
    for (const Parameter& leaf : owner.leaves) {
      leaves.push_back({joined(path, leaf.name),
                        offset,
                        {leaf.shape.begin(), leaf.shape.begin() + Index(leaf.dimensions)}});
      offset += leaf.size();
    }
  }
  return leaves;
}
inline NamedLeaf leaf_named(const std::vector<NamedLeaf>& leaves, const std::string& name) {
  std::string all;
  for (const NamedLeaf& leaf : leaves) {
    if (leaf.name == name) return leaf;
    all += (all.empty() ? "" : ", ") + leaf.name;
  }
  require(false, "Model::leaf", "name", Text("one of ", all), Text("'", name, "'"));
  return {};
}

template <class L> constexpr bool has_noise();
template <class... Ls> constexpr bool any_has_noise(Parts<Ls...>) { return (has_noise<Ls>() || ...); }
/// Does a layer or one of its parts draw noise?
template <class L> constexpr bool has_noise() {
  if constexpr (requires { L::draws_noise; })
    return L::draws_noise;
  else if constexpr (IsRepeat<L>)
    return has_noise<typename L::repeated>();
  else if constexpr (IsNode<L>)
    return any_has_noise(typename L::parts{});
  else
    return false;
}

}  // namespace detail

/// The leaves in the order of the flat buffer, every name once: two layers of one kind side by side are
/// numbered ("drift.pointwise0.weight", "drift.pointwise1.weight").
template <Layer E> std::vector<NamedLeaf> named_leaves() {
  std::vector<detail::Owner> owners;
  detail::for_each_owner<E>(std::string(), 0, [&]<class L>(const std::string& path, std::size_t offset) {
    owners.push_back({path, offset, L::leaves});
  });
  return detail::name_leaves(owners);
}

/// First values of all parameters; each layer draws from a stream of its own.
template <Layer E, class T> void initialise(std::span<T> w, std::uint64_t seed) {
  std::uint64_t stream = 0;
  detail::for_each_owner<E>(detail::Unnamed{}, 0, [&]<class L>(detail::Unnamed, std::size_t offset) {
    Stream random(seed, stream++);
    L::initialise(w.subspan(offset, L::parameters), random);
  });
}

}  // namespace mno
