#include "mno/io/isolated_file.hpp"

#include <doctest/doctest.h>

#include "io/scratch.hpp"

using namespace mno::io;

namespace {
/// Arrays whose reading does what a bad library may do.
class Odd final : public ArrayFile {
 public:
  std::vector<std::string> names() const override { return {"good", "crash", "wrong"}; }
  std::unique_ptr<StoredArray> open(const std::string& name) const override {
    struct Numbers final : StoredArray {
      explicit Numbers(std::string n) : name(std::move(n)) {}
      const Layout& layout() const override { return shape; }
      Array read(const Extents&, const Extents& count) override {
        if (name == "crash") std::abort();
        if (name == "wrong") return Array(Type::f64, {1});
        Array block(Type::f64, count);
        std::ranges::fill(block.values<double>(), 7);
        return block;
      }
      std::string name;
      Layout shape{Type::f64, {4, 3}};
    };
    if (name == "absent") refuse("odd", "has no array ", shown(name));
    return std::make_unique<Numbers>(name);
  }
  Description describe(const std::string& name) const override {
    return {{"time", "x"}, {{"units", {{"m", name}, {}}}, {"scale_factor", {{}, {0.5, -1}}}}};
  }
};
IsolatedFile odd() {
  return IsolatedFile(
      "odd", [] { return std::make_unique<Odd>(); }, std::chrono::seconds(5));
}
}  // namespace

TEST_CASE("names, layouts, blocks and descriptions come from the other process") {
  const IsolatedFile file = odd();
  CHECK(file.names() == std::vector<std::string>{"good", "crash", "wrong"});
  const auto array = file.open("good");
  CHECK(array->layout() == Layout{Type::f64, {4, 3}});
  CHECK(numbers_of(array->read({1, 0}, {2, 1})) == std::vector<double>{7, 7});
  CHECK(says(refusal([&] { array->read({3, 0}, {2, 1}); }), "expected a block within (4, 3)"));
  const Description said = file.describe("good");
  CHECK(said.axes == std::vector<std::string>{"time", "x"});
  CHECK(said.attributes.at("units").texts == std::vector<std::string>{"m", "good"});
  CHECK(said.numbers("scale_factor") == std::vector<double>{0.5, -1});
  CHECK(said.text("absent").empty());
  CHECK(refusal([&] { file.open("absent"); }) == "mno: odd: has no array 'absent'.");
}

TEST_CASE("a crash and an answer of another size are errors") {
  const IsolatedFile file = odd();
  CHECK(says(refusal([&] { file.read("wrong"); }), "expected 96 bytes, found 8"));
  CHECK(says(refusal([&] { file.read("crash"); }), "the process that tried has crashed"));
  CHECK(says(refusal([&] { file.read("good"); }), "is closed, since reading it has failed before"));
}
