#include "mno/io/unpacked.hpp"

#include <doctest/doctest.h>

#include <cmath>

using namespace mno::io;

namespace {
/// One array, and what is said of it.
class OneArray final : public ArrayFile {
 public:
  OneArray(Array array, Description description)
      : array_(std::move(array)), description_(std::move(description)) {}
  std::vector<std::string> names() const override { return {"a"}; }
  std::unique_ptr<StoredArray> open(const std::string&) const override {
    struct Whole final : StoredArray {
      explicit Whole(Array a) : array(std::move(a)) {}
      const Layout& layout() const override { return array.layout(); }
      Array read(const Extents&, const Extents&) override { return array; }
      using StoredArray::read;
      Array array;
    };
    return std::make_unique<Whole>(array_);
  }
  Description describe(const std::string&) const override { return description_; }

 private:
  Array array_;
  Description description_;
};
Attribute numbers(std::vector<double> values) { return {{}, std::move(values)}; }
}  // namespace

TEST_CASE("packed integers become what they stand for, and missing ones no numbers") {
  const OneArray file(Array::of({5}, std::vector<std::int32_t>{0, 10, -32767, -999, 300}),
                      {{},
                       {{"scale_factor", numbers({0.5})},
                        {"add_offset", numbers({270})},
                        {"_FillValue", numbers({-32767})},
                        {"missing_value", numbers({-999})},
                        {"valid_range", numbers({-100, 200})}}});
  const auto array = open_unpacked(file, "a");
  CHECK(array->layout() == Layout{Type::f64, {5}});
  const std::vector<double> values = numbers_of(array->read());
  CHECK(values[0] == 270);
  CHECK(values[1] == 275);
  for (std::size_t i = 2; i < 5; ++i) CHECK(std::isnan(values[i]));
}

TEST_CASE("an array of which nothing is said stays as it is") {
  const Array plain = Array::of({2}, std::vector<float>{1, 2});
  CHECK(open_unpacked(OneArray(plain, {{}, {{"units", {{"K"}, {}}}}}), "a")->read() == plain);
}
