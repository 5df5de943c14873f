// Averages of weights.
#include "mno/train/average.hpp"

#include <doctest/doctest.h>

#include <vector>

#include "mno/core/random.hpp"

using namespace mno;

TEST_CASE("is the mean of all weights so far, each weighted by its age") {
  for (const double decay : {0.0, 0.5, 0.99, 0.99999}) {
    WeightAverage<double> average(2, decay);
    Stream stream(1);
    std::vector<std::vector<double>> seen;
    for (int n = 1; n <= 30; ++n) {
      seen.push_back({stream.normal(), 5 + stream.normal()});
      average.update(seen.back());
      for (std::size_t i = 0; i < 2; ++i) {
        double sum = 0, total = 0;
        for (std::size_t k = 0; k < seen.size(); ++k) {
          const double weight = std::pow(decay, double(seen.size() - 1 - k));
          sum += weight * seen[k][i];
          total += weight;
        }
        CHECK(average.values()[i] == doctest::Approx(sum / total).epsilon(1e-12));
      }
    }
    CHECK(average.updates() == 30);
  }
}

TEST_CASE("the first update is the weights themselves, and equal weights stay what they are") {
  WeightAverage<float> average(1, 0.999);
  for (int n = 0; n < 5; ++n) {
    average.update(std::vector<float>{0.3f});
    CHECK(average.values()[0] == 0.3f);
  }
}

TEST_CASE("goes on from a stored state bit for bit") {
  const auto run = [](int restart_at) {
    WeightAverage<float> average(3, 0.9);
    for (int n = 0; n < 10; ++n) {
      if (n == restart_at) {
        Buffer<float> stored(3);
        std::copy(average.values().begin(), average.values().end(), stored.data());
        average = WeightAverage<float>(stored, average.updates(), average.decay());
      }
      Stream stream(2, std::uint64_t(n));
      average.update(std::vector<float>{float(stream.normal()), float(stream.normal()), 1});
    }
    return std::vector<float>(average.values().begin(), average.values().end());
  };
  CHECK(run(4) == run(-1));
}

TEST_CASE("what does not fit is named") {
  CHECK_THROWS_AS(WeightAverage<float>(1, 1.0), Error);
  CHECK_THROWS_WITH_AS(WeightAverage<float>(2, 0.5).update(std::vector<float>(3)),
                       "mno::WeightAverage::update: argument 'weights': expected 2 parameters, got 3.",
                       Error);
}
