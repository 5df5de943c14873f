#pragma once
// Errors are sentences: which function, which argument, what was expected, what came.
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <string_view>

namespace mno {

/// Thrown where data enters the library and does not fit.
class Error : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

namespace detail {

/// One text or number of a sentence.
class TextPiece {
 public:
  explicit TextPiece(const char* text) : text_(text) {}
  explicit TextPiece(std::string_view text) : text_(text) {}
  explicit TextPiece(const std::string& text) : text_(text) {}
  explicit TextPiece(char value) : kind_(Kind::character), whole_(value) {}
  template <std::floating_point T> explicit TextPiece(T value) : kind_(Kind::real), real_(double(value)) {}
  template <std::signed_integral T> explicit TextPiece(T value) : kind_(Kind::whole), whole_(value) {}
  template <std::unsigned_integral T> explicit TextPiece(T value) : kind_(Kind::natural), natural_(value) {}

  void append_to(std::string& all) const {
    if (kind_ == Kind::text) all += text_;
    if (kind_ == Kind::character) all += char(whole_);
    if (kind_ == Kind::whole) all += std::to_string(whole_);
    if (kind_ == Kind::natural) all += std::to_string(natural_);
    if (kind_ == Kind::real) {
      char digits[32];
      std::snprintf(digits, sizeof digits, "%.10g", real_);
      all += digits;
    }
  }

 private:
  enum class Kind { text, character, whole, natural, real } kind_ = Kind::text;
  std::string_view text_{};
  union {
    long long whole_ = 0;
    unsigned long long natural_;
    double real_;
  };
};

}  // namespace detail

/// A piece of an error sentence: Text("one per sample, ", batch). It refers to its parts, texts and numbers,
/// and joins them only when the sentence is needed: a check that holds allocates nothing. The count of parts
/// is its only template argument, so that few versions are compiled.
template <std::size_t Count> class Text {
 public:
  template <class... Parts> explicit Text(const Parts&... parts) : pieces_{{detail::TextPiece(parts)...}} {}
  std::string str() const {
    std::string all;
    for (const detail::TextPiece& piece : pieces_) piece.append_to(all);
    return all;
  }

 private:
  std::array<detail::TextPiece, Count> pieces_;
};
template <class... Parts> Text(const Parts&...) -> Text<sizeof...(Parts)>;

namespace detail {
[[noreturn]] inline void fail(const char* function, const char* argument, const std::string& expected,
                              const std::string& got) {
  throw Error(
      Text("mno::", function, ": argument '", argument, "': expected ", expected, ", got ", got, ".").str());
}
}  // namespace detail

/// require(ok, "predict", "times", Text("one per sample, ", batch), Text(times.size(), " values"));
template <std::size_t N, std::size_t M>
void require(bool ok, const char* function, const char* argument, const Text<N>& expected,
             const Text<M>& got) {
  if (!ok) [[unlikely]]
    detail::fail(function, argument, expected.str(), got.str());
}

}  // namespace mno
