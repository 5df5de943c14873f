#include "mno/core/error.hpp"

#include <doctest/doctest.h>

#include <string>

namespace {

std::string sentence(bool ok) {
  try {
    mno::require(ok, "predict", "times", mno::Text("one per sample, ", 3), mno::Text(2, " values"));
  } catch (const mno::Error& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("a failed requirement says where, what was expected and what came") {
  CHECK(sentence(false) == "mno::predict: argument 'times': expected one per sample, 3, got 2 values.");
}

TEST_CASE("a requirement that holds is silent, and its sentence is never put together") {
  CHECK(sentence(true).empty());
  // Until it is needed, a text refers to its parts: it shows what they are then.
  std::string part = "before";
  const mno::Text text("a text of ", part);
  part.replace(0, 6, "behind");
  CHECK(text.str() == "a text of behind");
}

TEST_CASE("texts, characters and numbers of every kind in one sentence") {
  const std::string string = "string";
  CHECK(mno::Text("a ", string, ' ', std::string_view("view"), ' ', -3, ' ', std::size_t(7), ' ', 2.5f, ' ',
                  true)
            .str() == "a string view -3 7 2.5 1");
}

TEST_CASE("numbers in sentences keep ten digits") { CHECK(mno::Text(0.1234567891).str() == "0.1234567891"); }
