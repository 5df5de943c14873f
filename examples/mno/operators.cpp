// Choosing among the compiled shapes.
#include <mno/io/safetensors/model_file.hpp>
#include <sstream>

#include "operator.hpp"

namespace program {

namespace {

std::string described(const ShapeNumbers& s) {
  const auto number = [](int n) { return n == 0 ? std::string("any") : std::to_string(n); };
  return (s.kind == "mno" ? "" : "kind " + s.kind + ", ") + "dimension " + number(s.dimension) +
         ", channels " + number(s.channels) + ", rank " + number(s.rank) + ", width " + number(s.width) +
         ", modes " + number(s.modes) + ", depth " + number(s.depth) +
         (s.known ? ", known fields " + std::to_string(s.known) : "");
}

[[noreturn]] void refuse_shape(ShapeNumbers wanted) {
  std::string compiled, option;
  for (const Operator* one : operators()) {
    compiled += "  " + described(one->shape()) + "\n";
    option += one->shape().list() + ";";
  }
  const std::string asked = described(wanted);
  const auto fill = [](int& number, int value) {
    if (number == 0) number = value;
  };
  fill(wanted.rank, 16);
  fill(wanted.width, 48);
  fill(wanted.modes, 16);
  fill(wanted.depth, 4);
  const auto s = [](int n) { return std::to_string(n); };
  throw mno::Error(
      "mno: this program has no operator with " + asked + ". Compiled are:\n" + compiled +
      "To have it too, configure again and build:\n  cmake --preset release '-DMNO_SHAPES=" + option +
      wanted.list() + "' && cmake --build --preset release\nOr use the library in a program of your own:\n" +
      "  struct Shape {\n    static constexpr int dimension = " + s(wanted.dimension) +
      ", channels = " + s(wanted.channels) + ", rank = " + s(wanted.rank) + ", width = " + s(wanted.width) +
      ", modes = " + s(wanted.modes) + ", depth = " + s(wanted.depth) +
      (wanted.known ? ", known = " + s(wanted.known) : "") +
      ";\n  };\n  mno::" + (wanted.kind == "fno" ? "Fno" : "Mno") + "<Shape> model(/*seed=*/1);");
}

}  // namespace

std::string ShapeNumbers::list() const {
  std::string out = kind == "mno" ? "" : kind;
  for (const int number : {dimension, channels, rank, width, modes, depth})
    out += (out.empty() ? "" : ",") + std::to_string(number);
  return known ? out + "," + std::to_string(known) : out;
}

const Operator& choose(const ShapeNumbers& wanted) {
  const auto fits = [](int asked, int has) { return asked == 0 || asked == has; };
  for (const Operator* one : operators()) {
    const ShapeNumbers s = one->shape();
    if (wanted.kind == s.kind && fits(wanted.dimension, s.dimension) && fits(wanted.channels, s.channels) &&
        fits(wanted.rank, s.rank) && fits(wanted.width, s.width) && fits(wanted.modes, s.modes) &&
        fits(wanted.depth, s.depth) && wanted.known == s.known)
      return *one;
  }
  refuse_shape(wanted);
}

const Operator& of_model(const std::filesystem::path& model) {
  const mno::io::SafetensorsReader file(model);
  const mno::io::Metadata& metadata = mno::io::model_metadata(file);
  const std::string& shape = mno::io::wanted(file.name(), metadata, "shape");
  if (const auto expression = metadata.find("expression"); expression != metadata.end())
    for (const Operator* one : operators())
      if (one->shape_text() == shape && one->expression_text() == expression->second) return *one;
  ShapeNumbers wanted;
  if (const auto kind = metadata.find("kind"); kind != metadata.end()) wanted.kind = kind->second;
  for (const Operator* one : operators())
    if (one->shape_text() == shape && one->shape().kind == wanted.kind) return *one;
  std::istringstream words(shape);
  for (std::string word; words >> word;) {
    const auto equals = word.find('=');
    const std::string key = word.substr(0, equals);
    int value = 0;
    if (equals != word.npos) std::istringstream(word.substr(equals + 1)) >> value;
    for (const auto& [name, number] :
         {std::pair{"dimension", &wanted.dimension}, std::pair{"channels", &wanted.channels},
          std::pair{"rank", &wanted.rank}, std::pair{"width", &wanted.width},
          std::pair{"modes", &wanted.modes}, std::pair{"depth", &wanted.depth},
          std::pair{"known", &wanted.known}})
      if (key == name) *number = value;
  }
  refuse_shape(wanted);
}

}  // namespace program
