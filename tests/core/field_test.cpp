#include "mno/core/field.hpp"

#include <doctest/doctest.h>

#include <limits>
#include <string>

using mno::Field;
using mno::Grid;
using mno::Index;
using mno::View;

namespace {

/// The sentence with which a call fails.
template <class Call> std::string complaint(Call call) {
  try {
    call();
  } catch (const mno::Error& error) {
    return error.what();
  }
  return "no complaint";
}

}  // namespace

TEST_CASE_TEMPLATE("a field is zero at first, and lies (batch, grid, channel), row-major", T, float, double) {
  Field<T, 2> field(2, {{3, 4}, {}}, 5);
  CHECK(field.size() == 2 * 3 * 4 * 5);
  bool zero = true;
  for (T x : field.span()) zero = zero && x == 0;
  CHECK(zero);

  field(1, 2 * 4 + 3, 4) = 9;  // the last sample, point (2, 3), the last channel: the last entry
  CHECK(field.span().back() == 9);
  CHECK(&field(0, 0, 1) - field.data() == 1);
  CHECK(&field(0, 1, 0) - field.data() == 5);
  CHECK(&field(1, 0, 0) - field.data() == 3 * 4 * 5);
}

TEST_CASE("a copy of a field is independent, a view is not") {
  Field<double, 1> a(1, {{4}, {}}, 1);
  Field<double, 1> b = a;
  const View<double, 1> v = a;
  b(0, 0, 0) = 1;
  CHECK(a(0, 0, 0) == 0);
  v(0, 2, 0) = 3;
  CHECK(a(0, 2, 0) == 3);
}

TEST_CASE("slices of channels and of samples see the same data") {
  Field<float, 1> field(3, {{4}, {}}, 5);
  for (std::size_t i = 0; i < field.size(); ++i) field.span()[i] = float(i);

  const auto some = field.view().slice(1, 3);
  CHECK(some.channels == 3);
  for (Index b = 0; b < 3; ++b)
    for (Index p = 0; p < 4; ++p)
      for (Index c = 0; c < 3; ++c) CHECK(some(b, p, c) == field(b, p, c + 1));
  CHECK(some.row(5)[2] == field(1, 1, 3));  // row 5 is sample 1, point 1

  const auto last = field.view().samples(1, 2);
  CHECK(last.batch == 2);
  CHECK(last.rows() == 8);
  CHECK(last(0, 3, 4) == field(1, 3, 4));
  CHECK(&last.slice(2, 1)(1, 0, 0) == &field(2, 0, 2));
}

TEST_CASE("a view of nothing says so, a writable view reads too") {
  static_assert(std::is_convertible_v<View<float, 1>, View<const float, 1>>);
  static_assert(!std::is_convertible_v<View<const float, 1>, View<float, 1>>);
  static_assert(!std::is_convertible_v<View<float, 1>, View<const double, 1>>);
  CHECK_FALSE(View<float, 1>{});
  Field<float, 1> field(1, {{2}, {}}, 1);
  const View<const float, 1> read = field.view();
  CHECK(read);
  CHECK(read.data == field.data());
}

TEST_CASE("fill gives physical coordinates, the last axis running fastest") {
  Field<double, 3> field(2, {{2, 3, 4}, {{1.0, 6.0, 2.0}}}, 2);
  field.fill([](std::array<double, 3> x, Index channel) {
    return 100 * x[0] + 10 * x[1] + x[2] + 1000 * double(channel);
  });
  for (Index b = 0; b < 2; ++b)
    for (Index i = 0; i < 2; ++i)
      for (Index j = 0; j < 3; ++j)
        for (Index k = 0; k < 4; ++k)
          for (Index c = 0; c < 2; ++c) {
            const double expected = 50.0 * double(i) + 20.0 * double(j) + 0.5 * double(k) + 1000 * double(c);
            CHECK(field(b, (i * 3 + j) * 4 + k, c) == doctest::Approx(expected));
          }
}

TEST_CASE("fill may ask for the sample, and fills no more than its slice") {
  Field<float, 1> field(2, {{4}, {}}, 3);
  field.view().slice(1, 1).fill([](Index sample, std::array<double, 1> x, Index channel) {
    return 1 + 10 * double(sample) + x[0] + 100 * double(channel);
  });
  CHECK(field(1, 2, 1) == doctest::Approx(11.5));
  CHECK(field(0, 0, 1) == doctest::Approx(1));
  for (Index b = 0; b < 2; ++b)
    for (Index p = 0; p < 4; ++p) {
      CHECK(field(b, p, 0) == 0);
      CHECK(field(b, p, 2) == 0);
    }
}

TEST_CASE("all_finite looks at every entry of a view and at nothing beside it") {
  for (double bad : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    Field<double, 1> field(2, {{3}, {}}, 3);
    const auto check = [&](auto view) { return mno::all_finite<double, 1>(view); };
    CHECK(check(field.view()));
    field(1, 2, 2) = bad;
    CHECK_FALSE(check(field.view()));
    CHECK(check(field.view().slice(0, 2)));
    CHECK(check(field.view().samples(0, 1)));
  }
}

TEST_CASE("a field that cannot be is refused with a sentence") {
  using F = Field<float, 2>;
  CHECK(complaint([] {
          F(0, {{4, 4}, {}}, 1);
        }) == "mno::Field: argument 'batch': expected at least one sample, got 0.");
  CHECK(complaint([] {
          F(1, {{4, 4}, {}}, -2);
        }) == "mno::Field: argument 'channels': expected at least one channel, got -2.");
  CHECK(complaint([] {
          F(1, {{4, 0}, {}}, 1);
        }) == "mno::Field: argument 'grid': expected at least one point on axis 1, got 0.");
  CHECK(complaint([] {
          F(1, {{4, 4}, {{0.0, 1.0}}}, 1);
        }) == "mno::Field: argument 'grid': expected a positive length on axis 0, got 0.");
  CHECK(complaint([] {
          F(1, {{4, 4}, {{1.0, std::numeric_limits<double>::infinity()}}}, 1);
        }) == "mno::Field: argument 'grid': expected a positive length on axis 1, got inf.");
}

TEST_CASE("a field larger than memory can address is refused before it wraps round") {
  const Index huge = std::numeric_limits<Index>::max() / 4;
  CHECK(complaint([&] {
          Field<float, 2>(8, {{huge, 2}, {}}, 3);
        }).starts_with("mno::Field: argument 'grid': expected at most "));
}
