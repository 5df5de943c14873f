#include "mno/io/array.hpp"

#include <doctest/doctest.h>

#include "samples.hpp"
#include "scratch.hpp"

using namespace mno::io;

TEST_CASE("an array holds its elements in row-major order, aligned, and zero at first") {
  Array array(Type::f32, {2, 3});
  CHECK(std::ranges::all_of(array.values<float>(), [](float x) { return x == 0; }));
  CHECK(reinterpret_cast<std::uintptr_t>(array.bytes().data()) % mno::alignment == 0);
  CHECK(array.size() == 6);
  CHECK(array.bytes().size() == 24);
  CHECK(array.layout().row_bytes() == 12);
  CHECK(Array(Type::f64, {}).size() == 1);
  CHECK(Array(Type::f64, {3, 0, 2}).size() == 0);
  CHECK(Array().size() == 0);
}

template <class A>
concept GivesElements = requires(A&& array) {
  std::forward<A>(array).template values<float>();
};

TEST_CASE("a temporary array gives no view of its elements, which would outlive them") {
  CHECK(GivesElements<Array&>);
  CHECK(GivesElements<const Array&>);
  CHECK_FALSE(GivesElements<Array>);
}

TEST_CASE("elements are seen as what they are") {
  const Array array = Array::of<std::int32_t>({3}, std::vector<std::int32_t>{1, 2, 3});
  CHECK(array.values<std::int32_t>()[2] == 3);
  CHECK(says(refusal([&] { array.values<float>(); }), "expected elements of type i32, got f32"));
  CHECK(says(refusal([] {
               Array::of<double>({2, 2}, std::vector<double>(3));
             }),
             "expected 4 for shape (2, 2), got 3"));
}

TEST_CASE("sizes that no memory can hold are refused before anything is allocated") {
  constexpr mno::Index big = mno::Index{1} << 32;
  CHECK(says(refusal([] { Array(Type::u8, {big, big}); }), "(4294967296, 4294967296)"));
  CHECK_THROWS_AS(Array(Type::f64, {mno::Index{1} << 60}), mno::Error);  // 2^63 bytes
  CHECK_THROWS_AS(Array(Type::u8, {0, big, big}), mno::Error);           // a row would overflow
  CHECK_THROWS_AS(Array(Type::u8, {-1}), mno::Error);
  CHECK_THROWS_AS(Array(Type::u8, {-1, -1}), mno::Error);
  CHECK_THROWS_AS(Array(Type::u8, Extents(65, 1)), mno::Error);
  CHECK(Layout{Type::f64, {(mno::Index{1} << 60) - 1}}.representable());
}

TEST_CASE("float and double are converted on request, and nothing else is") {
  const double infinity = std::numeric_limits<double>::infinity();
  const Array doubles = Array::of<double>({2, 2}, std::vector{0.1, -infinity, 1e-60, 3e38});
  const Array floats = doubles.as<float>();
  CHECK(floats.type() == Type::f32);
  CHECK(floats.shape() == Extents{2, 2});
  CHECK(floats.values<float>()[0] == 0.1f);
  CHECK(floats.values<float>()[1] == -std::numeric_limits<float>::infinity());
  CHECK(floats.values<float>()[2] == 0);
  CHECK(numbers_of(floats.as<double>())[0] == double(0.1f));
  CHECK(doubles.as<double>() == doubles);
  CHECK(std::isnan(numbers_of(Array::of<double>({}, std::vector{std::nan("")}).as<float>())[0]));
  CHECK(says(refusal([] { Array::of<double>({}, std::vector{1e39}).as<float>(); }),
             "expected a type that holds 1e+39, got f32"));
  CHECK_THROWS_AS(Array(Type::i32, {2}).as<float>(), mno::Error);
}

TEST_CASE("a bool that is neither 0 nor 1 is refused") {
  CHECK(refusal([] { check_elements(Type::boolean, bytes(std::string_view("\0\1", 2)), "x"); }).empty());
  CHECK(says(refusal([] { check_elements(Type::boolean, bytes("\2"), "x"); }),
             "expected 0 or 1 for every bool, found 2"));
  CHECK(refusal([] { check_elements(Type::u8, bytes("\2"), "x"); }).empty());
}

TEST_CASE("equality is of layout and bytes") {
  const auto all = samples();
  for (std::size_t i = 0; i < all.size(); ++i)
    for (std::size_t j = 0; j < all.size(); ++j) CHECK((all[i].array == all[j].array) == (i == j));
}
