// A fingerprint notices every change of what training looks at.
#include "mno/data/fingerprint.hpp"

#include <doctest/doctest.h>

using namespace mno;

TEST_CASE("the fingerprint of data changes with any number of it, and with nothing else") {
  auto data = make_ensemble<float, 1>(2, Grid<1>{{4}}, 1, {.factors = 1});
  const auto of = [](const Ensemble<float, 1>& some) {
    Fingerprint fingerprint;
    fingerprint.add(some);
    return fingerprint.str();
  };
  const std::string before = of(data);
  CHECK(of(Ensemble<float, 1>(data)) == before);
  for (auto* field : {&data.initial, &data.mean, &data.variance, &data.covariance_factor}) {
    const float old = std::exchange(field->data()[3], 1e-30f);
    CHECK(of(data) != before);
    field->data()[3] = old;
  }
  auto walled = make_ensemble<float, 1>(2, Grid<1>{{4}, {{1.0}, {true}}}, 1, {.factors = 1});
  CHECK(of(walled) != before);
  data.times[1] = 2;
  CHECK(of(data) != before);
}
