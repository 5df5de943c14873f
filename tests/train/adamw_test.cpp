// AdamW against stored trajectories: reference.py wrote reference.txt.
#include "mno/train/adamw.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "mno/core/random.hpp"
#include "mno/train/schedule.hpp"

using namespace mno;

namespace {

constexpr std::size_t n = 4, steps = 60;

std::map<std::string, std::vector<double>> read() {
  std::ifstream file(MNO_SOURCE_DIR "/tests/train/reference.txt");
  REQUIRE(file.good());
  std::map<std::string, std::vector<double>> numbers;
  for (std::string line; std::getline(file, line);) {
    std::istringstream in(line);
    std::string name;
    std::size_t count = 0;
    in >> name >> count;
    for (double value; in >> value;) numbers[name].push_back(value);
    REQUIRE(numbers[name].size() == count);
  }
  return numbers;
}

/// The gradient of step 1, 2, … at w.
std::vector<double> gradient_at(const double* w, std::size_t step) {
  std::vector<double> g(n);
  for (std::size_t i = 0; i < n; ++i)
    g[i] = (0.5 + 0.25 * double(i)) * w[i] + std::sin(3 * w[i]) + 0.1 * std::cos(double(step * i));
  return g;
}
std::vector<double> start() { return {1, 0.6, 0.2, -0.2}; }

/// |a − b| / max(|b|, .1): some weights pass through zero.
double difference(double a, double b) { return std::abs(a - b) / std::max(std::abs(b), 0.1); }

}  // namespace

TEST_CASE("sixty steps with several settings, in double and in float") {
  const auto numbers = read();
  double worst_double = 0, worst_float = 0;
  for (const std::string name : {"default", "fast", "decay", "epsilon", "no_memory", "scheduled"}) {
    CAPTURE(name);
    const auto& o = numbers.at(name + ".options");
    const AdamWOptions options{o[0], o[1], o[2], o[3], o[4]};
    const auto schedule = Schedule::cosine(options.learning_rate, Index(steps), 0, 1e-4);
    const auto rate = [&](std::size_t step) {
      return name == "scheduled" ? schedule(Index(step)) : options.learning_rate;
    };
    const auto &expected = numbers.at(name + ".double"), &expected_float = numbers.at(name + ".float");
    REQUIRE(expected.size() == n * steps);

    AdamW<double> adamw(n, options);
    AdamW<float> adamw_float(n, options);
    std::vector<double> w = start(), before = start();
    std::vector<float> w_float(w.begin(), w.end());
    for (std::size_t step = 0; step < steps; ++step) {
      adamw.step(w, gradient_at(w.data(), step + 1), rate(step));
      const auto g = gradient_at(before.data(), step + 1);
      adamw_float.step(w_float, std::vector<float>(g.begin(), g.end()), rate(step));
      for (std::size_t i = 0; i < n; ++i) {
        before[i] = expected[step * n + i];
        worst_double = std::max(worst_double, difference(w[i], before[i]));
        worst_float = std::max(worst_float, difference(double(w_float[i]), expected_float[step * n + i]));
      }
    }
    for (std::size_t i = 0; i < n; ++i) {
      CHECK(adamw.state().first.data()[i] == doctest::Approx(numbers.at(name + ".first")[i]).epsilon(1e-11));
      CHECK(adamw.state().second.data()[i] ==
            doctest::Approx(numbers.at(name + ".second")[i]).epsilon(1e-11));
    }
    CHECK(adamw.state().step == 60);
  }
  MESSAGE("largest relative difference: double ", worst_double, ", float ", worst_float);
  CHECK(worst_double <= 1e-12);
  CHECK(worst_float <= 1e-5);
}

TEST_CASE("the first step by hand: the learning rate in the gradient's direction, after the decay") {
  AdamW<double> adamw(2, {.learning_rate = 0.1, .weight_decay = 0.5});
  std::vector<double> w{2, -1};
  const std::vector<double> g{3, -1e-3};
  adamw.step(w, g);
  CHECK(w[0] == doctest::Approx(2 * 0.95 - 0.1 * 3 / (3 + 1e-8)).epsilon(1e-14));
  CHECK(w[1] == doctest::Approx(-0.95 + 0.1 * 1e-3 / (1e-3 + 1e-8)).epsilon(1e-14));
}

TEST_CASE("a gradient of zero changes a weight by its decay only") {
  AdamW<float> adamw(1, {.learning_rate = 0.5, .weight_decay = 0.5});
  std::vector<float> w{4};
  adamw.step(w, std::vector<float>{0});
  CHECK(w[0] == 3);
}

TEST_CASE("steps are bitwise equal for every number of threads and after going on from a stored state") {
  const std::size_t size = 100003;  // enough for several threads
  const auto run = [&](int threads, int restart_at) {
    Cpu device(threads);
    AdamW<float> adamw(size, {.learning_rate = 1e-2});
    std::vector<float> w(size, 0.5f), g(size);
    for (int step = 0; step < 6; ++step) {
      Stream stream(3, std::uint64_t(step));
      for (float& x : g) x = float(stream.normal());
      if (step == restart_at) adamw = AdamW<float>(AdamWState<float>(adamw.state()), adamw.options());
      adamw.step(w, g, device);
    }
    return w;
  };
  const auto w = run(1, -1);
  CHECK(run(3, -1) == w);
  CHECK(run(2, 4) == w);
  CHECK(w[0] != 0.5f);
}

TEST_CASE("what does not fit is named") {
  CHECK_THROWS_WITH_AS(AdamW<float>(1, {.beta2 = 1}),
                       "mno::AdamW: argument 'beta2': expected a number in [0, 1), got 1.", Error);
  CHECK_THROWS_AS(AdamW<float>(1, {.learning_rate = -1}), Error);
  CHECK_THROWS_AS(AdamW<float>(1, {.weight_decay = -1}), Error);
  AdamW<float> adamw(3);
  std::vector<float> two(2), three(3);
  CHECK_THROWS_WITH_AS(adamw.step(two, three),
                       "mno::AdamW::step: argument 'weights': expected 3 parameters, got 2.", Error);
  CHECK_THROWS_AS(adamw.step(three, two), Error);
  CHECK_THROWS_AS(AdamW<float>(AdamWState<float>{Buffer<float>(2), Buffer<float>(3), 0}, {}), Error);
  CHECK(adamw.state().step == 0);
}
