#pragma once
// Errors are sentences: which function, which argument, what was expected, what came.
#include <sstream>
#include <stdexcept>
#include <string>
#include <tuple>

namespace mno {

/// Thrown where data enters the library and does not fit.
class Error : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

/// A piece of an error sentence. It is put together only if the sentence is needed, so that a check that
/// holds costs no allocation.
template <class... Parts> struct Text {
  std::tuple<const Parts&...> parts;
  std::string str() const {
    std::ostringstream out;
    out.precision(10);
    std::apply([&](const auto&... part) { ((out << part), ...); }, parts);
    return out.str();
  }
};
template <class... Parts> Text<Parts...> text(const Parts&... parts) { return {{parts...}}; }

/// require(ok, "predict", "times", text("one per sample, ", batch), text(times.size(), " values"));
template <class Expected, class Got>
void require(bool ok, const char* function, const char* argument, const Expected& expected, const Got& got) {
  if (ok) return;
  throw Error(text("mno::", function, ": argument '", argument, "': expected ", expected.str(), ", got ",
                   got.str(), ".")
                  .str());
}

}  // namespace mno
