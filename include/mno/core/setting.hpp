#pragma once
// Settings: what changes the function that a layer computes, but none of its parameters.
//
//   static constexpr std::array settings{setting("edge", Edge::name), setting("stride", Stride)};
//
// A model file has them in the text of its expression (expression/text.hpp), so that weights are never read
// into a layer that means something else.
#include <charconv>
#include <string>
#include <type_traits>

namespace mno {

/// A name, and a number or a word.
struct LayerSetting {
  const char* name = "";
  double number = 0;
  const char* word = nullptr;

  /// "stride=2", "edge=circular". A number is written with the fewest digits that identify the double.
  std::string str() const {
    std::string text = std::string(name) + "=";
    if (word) return text + word;
    char digits[32];
    return text.append(digits, std::to_chars(digits, digits + sizeof digits, number).ptr);
  }
};

template <class N>
requires std::is_arithmetic_v<N>
constexpr LayerSetting setting(const char* name, N number) { return {name, double(number), nullptr}; }
constexpr LayerSetting setting(const char* name, const char* word) { return {name, 0, word}; }

}  // namespace mno
