#pragma once
// What an operator is made of: a kind of kind_list.hpp and the numbers of its shape.
#include <string>
#include <string_view>
#include <utility>

namespace demand {

struct ShapeNumbers {
  std::string kind = "mno";
  int dimension = 0, channels = 0, rank = 0, width = 0, modes = 0, depth = 0, known = 0;  // 0: not said

  /// f(name, number) for every number, in the order of lists: the one list of them.
  template <class Self, class F> static void for_each(Self& s, F&& f) {
    f("dimension", s.dimension);
    f("channels", s.channels);
    f("rank", s.rank);
    f("width", s.width);
    f("modes", s.modes);
    f("depth", s.depth);
    f("known", s.known);
  }
  bool operator==(const ShapeNumbers&) const = default;

  /// As MNO_SHAPES and sentences have it: "mno-path,1,1,16,48,16,4".
  std::string list() const;
  /// "dimension 1, channels 1, rank 16, …"
  std::string sentence() const;
  /// From the shape that a model file says: "dimension=1 channels=1 …".
  static ShapeNumbers parse(std::string_view kind, const std::string& shape_text);
};

/// The numbers that were not said are those of the standard operator, whatever the program has compiled in.
ShapeNumbers completed(ShapeNumbers wanted);

/// The source of an operator, which defines `entry` (operator_of.hpp).
std::string source_of(const ShapeNumbers& shape, std::string_view entry);

}  // namespace demand
