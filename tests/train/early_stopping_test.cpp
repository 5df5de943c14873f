// Patience.
#include "mno/train/early_stopping.hpp"

#include <doctest/doctest.h>

#include <cmath>

using namespace mno;

TEST_CASE("stops after `patience` evaluations without improvement, and an improvement starts anew") {
  EarlyStopping stopping{.patience = 2};
  CHECK_FALSE(stopping.stop());
  CHECK(stopping.update(1.0));
  CHECK_FALSE(stopping.update(1.5));
  CHECK_FALSE(stopping.stop());
  CHECK(stopping.update(0.5));
  CHECK_FALSE(stopping.update(0.5));  // equal is not better
  CHECK_FALSE(stopping.stop());
  CHECK_FALSE(stopping.update(0.6));
  CHECK(stopping.stop());
  CHECK(stopping.best == 0.5);
  CHECK(stopping.best_evaluation == 2);
  CHECK(stopping.evaluations == 5);
}

TEST_CASE("small improvements do not count") {
  EarlyStopping stopping{.patience = 1, .min_delta = 0.1};
  CHECK(stopping.update(1.0));
  CHECK_FALSE(stopping.update(0.95));
  CHECK(stopping.best == 1.0);
  CHECK(stopping.update(0.85));
}

TEST_CASE("a value that is no number is no improvement, not even the first") {
  EarlyStopping stopping{.patience = 2};
  CHECK_FALSE(stopping.update(std::nan("")));
  CHECK_FALSE(stopping.stop());
  CHECK_FALSE(stopping.update(std::nan("")));
  CHECK(stopping.stop());
  CHECK(stopping.best_evaluation == -1);
}
