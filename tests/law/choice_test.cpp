// A name and its numbers as a text, and back.
#include "mno/law/choice.hpp"

#include <doctest/doctest.h>

#include "support.hpp"

using namespace mno;
using namespace mno::testing;

TEST_CASE("every number comes back to the last bit") {
  const detail::Choice choice{"name", {1.0 / 3, -2e-308, 1e22}};
  const auto again = detail::Choice::parse("test", choice.text());
  CHECK(again.name == "name");
  CHECK(again.numbers == choice.numbers);
  CHECK(detail::Choice::parse("test", "name").numbers.empty());
}

TEST_CASE("what is no number, or not finite, is a sentence") {
  for (const char* text : {"name ", "name 1 ", "name 1,5", "name inf", "name nan", "name 1e999", "name x"})
    CHECK(sentence([&] { detail::Choice::parse("test", text); }) ==
          std::string("mno::test: argument 'text': expected a name and finite numbers, with single spaces "
                      "between them, got '") +
              text + "'.");
}
