#include "shape_numbers.hpp"

#include <mno/core/error.hpp>
#include <sstream>

#include "kind_list.hpp"

namespace demand {

std::string ShapeNumbers::list() const {
  std::string out = kind == "mno" ? "" : kind;
  for_each(*this, [&](std::string_view name, int number) {
    if (name != "known" || number > 0) out += (out.empty() ? "" : ",") + std::to_string(number);
  });
  return out;
}

std::string ShapeNumbers::sentence() const {
  std::string out = kind == "mno" ? "" : "kind " + kind;
  for_each(*this, [&](std::string_view name, int number) {
    if (name == "known" && number == 0) return;
    out += (out.empty() ? "" : ", ") + std::string(name == "known" ? "known fields" : name) + " " +
           (number == 0 ? "any" : std::to_string(number));
  });
  return out;
}

ShapeNumbers ShapeNumbers::parse(std::string_view kind, const std::string& shape_text) {
  ShapeNumbers shape;
  shape.kind = kind;
  std::istringstream words(shape_text);
  for (std::string word; words >> word;) {
    const auto equals = word.find('=');
    if (equals == word.npos) continue;
    for_each(shape, [&](std::string_view name, int& number) {
      if (word.substr(0, equals) == name) std::istringstream(word.substr(equals + 1)) >> number;
    });
  }
  return shape;
}

ShapeNumbers completed(ShapeNumbers wanted) {
  const bool line = wanted.dimension == 1, plane = wanted.dimension == 2;
  const auto fill = [](int& number, int value) {
    if (number == 0) number = value;
  };
  if (const Kind* kind = kind_of(wanted.kind); kind && (line || plane)) {
    fill(wanted.width, kind->width);
    fill(wanted.depth, kind->depth);
  }
  fill(wanted.rank, line || plane ? 16 : 4);
  fill(wanted.width, line ? 48 : plane ? 32 : 16);
  fill(wanted.modes, line ? 16 : plane ? 6 : 8);
  fill(wanted.depth, line || plane ? 4 : 2);
  return wanted;
}

std::string source_of(const ShapeNumbers& shape, std::string_view entry) {
  const Kind* kind = kind_of(shape.kind);
  mno::require(kind, "source_of", "kind", mno::Text("a kind of kind_list.hpp"),
               mno::Text("'", shape.kind, "'"));
  std::string numbers;
  ShapeNumbers::for_each(shape, [&](std::string_view name, int number) {
    mno::require(number >= (name == "known" ? 0 : 1), "source_of", "shape", mno::Text("a positive ", name),
                 mno::Text(number));
    numbers += (numbers.empty() ? "" : ", ") + std::string(name) + " = " + std::to_string(number);
  });
  const std::string name(entry);
  return "#include <" + std::string(kind->header) + ">\n#include \"operator_of.hpp\"\nnamespace " + name +
         "_of {\nstruct Shape { static constexpr int " + numbers + "; };\nusing Model = " + kind->model +
         ";\n}\nMNO_OPERATOR" + (kind->first ? "_OF_TWO(" : "(") + name + ", \"" + kind->name + "\"" +
         (kind->first ? std::string(", ") + kind->first + ", " + kind->second : "") + ")\n";
}

}  // namespace demand
