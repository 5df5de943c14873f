#include "mno/core/channel_first.hpp"

#include <doctest/doctest.h>

#include <utility>

using namespace mno;

TEST_CASE("entry (b, p, c) of a field is entry (b, c, p) of channel-first data") {
  Field<float, 2> field(2, {{3, 4}, {}}, 5);
  for (std::size_t i = 0; i < field.size(); ++i) field.span()[i] = float(i);
  const std::vector<float> values = to_channel_first(std::as_const(field).view());
  REQUIRE(values.size() == field.size());
  for (Index b = 0; b < 2; ++b)
    for (Index c = 0; c < 5; ++c)
      for (Index p = 0; p < 12; ++p) CHECK(values[std::size_t((b * 5 + c) * 12 + p)] == field(b, p, c));
  Field<float, 2> back(2, {{3, 4}, {}}, 5);
  from_channel_first(values, back.view());
  CHECK(std::equal(back.span().begin(), back.span().end(), field.span().begin()));
}

TEST_CASE("a slice of channels turns alone, and the other channels stay as they are") {
  Field<double, 1> field(2, {{3}, {}}, 4);
  for (std::size_t i = 0; i < field.size(); ++i) field.span()[i] = double(i);
  const View<const double, 1> middle = std::as_const(field).view().slice(1, 2);
  CHECK(to_channel_first(middle) == std::vector<double>{1, 5, 9, 2, 6, 10, 13, 17, 21, 14, 18, 22});
  from_channel_first(std::vector<double>(12, -1.0), field.view().slice(1, 2));
  for (Index b = 0; b < 2; ++b)
    for (Index p = 0; p < 3; ++p) {
      CHECK(field(b, p, 0) == double((b * 3 + p) * 4));
      CHECK(field(b, p, 1) == -1);
      CHECK(field(b, p, 2) == -1);
      CHECK(field(b, p, 3) == double((b * 3 + p) * 4 + 3));
    }
}

TEST_CASE("as many values as the field has, or a sentence") {
  Field<double, 1> field(2, {{3}, {}}, 4);
  std::vector<double> few(23);
  CHECK_THROWS_WITH_AS(from_channel_first(few, field.view()),
                       "mno::from_channel_first: argument 'values': expected 24, as many as the field has, "
                       "got 23.",
                       Error);
  CHECK_THROWS_AS(to_channel_first(std::as_const(field).view(), std::span<double>(few)), Error);
}
