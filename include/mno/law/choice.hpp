#pragma once
// How a residual law or a warp that is chosen at run time is written down: a name, then its numbers, with
// single spaces between them. "gaussian", "student_t 5", "asinh 0.5 2".
#include <charconv>
#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include "mno/core/error.hpp"

namespace mno::detail {

struct Choice {
  std::string name;
  std::vector<double> numbers;

  /// The shortest digits that give the same numbers again.
  std::string text() const {
    std::string all = name;
    for (const double x : numbers) {
      char digits[32];
      all += ' ';
      all.append(digits, std::to_chars(digits, digits + sizeof digits, x).ptr);
    }
    return all;
  }
  static Choice parse(const char* function, std::string_view text) {
    Choice result;
    const std::size_t end = std::min(text.find(' '), text.size());
    result.name = text.substr(0, end);
    for (std::string_view rest = text.substr(end); !rest.empty();) {
      double x = 0;
      const char *const first = rest.data() + 1, *const last = rest.data() + rest.size();
      const auto [next, error] = std::from_chars(first, last, x);
      require(error == std::errc() && std::isfinite(x) && (next == last || *next == ' '), function, "text",
              Text("a name and finite numbers, with single spaces between them"), Text("'", text, "'"));
      result.numbers.push_back(x);
      rest = rest.substr(std::size_t(next - rest.data()));
    }
    return result;
  }
  bool is(std::string_view wanted, std::size_t count) const {
    return name == wanted && numbers.size() == count;
  }
};

}  // namespace mno::detail
