#include "mno/core/error.hpp"

#include <doctest/doctest.h>

#include <string>

namespace {

std::string sentence(bool ok) {
  try {
    mno::require(ok, "predict", "times", mno::text("one per sample, ", 3), mno::text(2, " values"));
  } catch (const mno::Error& error) {
    return error.what();
  }
  return "";
}

struct Counted {  // a part that counts how often it is written
  int& times;
  friend std::ostream& operator<<(std::ostream& out, const Counted& part) {
    ++part.times;
    return out << "part";
  }
};

}  // namespace

TEST_CASE("a failed requirement says where, what was expected and what came") {
  CHECK(sentence(false) == "mno::predict: argument 'times': expected one per sample, 3, got 2 values.");
}

TEST_CASE("a requirement that holds is silent, and its sentence is never put together") {
  CHECK(sentence(true).empty());
  int times = 0;
  mno::require(true, "f", "x", mno::text(Counted{times}), mno::text("nothing"));
  CHECK(times == 0);
  CHECK_THROWS_AS(mno::require(false, "f", "x", mno::text(Counted{times}), mno::text("nothing")),
                  std::invalid_argument);
  CHECK(times == 1);
}

TEST_CASE("numbers in sentences keep ten digits") { CHECK(mno::text(0.1234567891).str() == "0.1234567891"); }
