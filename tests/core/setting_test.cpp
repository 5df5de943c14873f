#include "mno/core/setting.hpp"

#include <doctest/doctest.h>

using mno::setting;

TEST_CASE("a setting is a name with a number or a word") {
  constexpr auto stride = setting("stride", 2);
  CHECK(stride.str() == "stride=2");
  CHECK(setting("edge", "circular").str() == "edge=circular");
  CHECK(setting("shared", true).str() == "shared=1");
}

TEST_CASE("numbers have as few digits as they need, and different numbers have different texts") {
  CHECK(setting("value", 0.1).str() == "value=0.1");
  CHECK(setting("value", 1e-5).str() == "value=1e-05");
  CHECK(setting("value", 0.1 + 0.2).str() == "value=0.30000000000000004");
  CHECK(setting("value", 1.0 / 3).str() != setting("value", 1.0f / 3).str());
}
