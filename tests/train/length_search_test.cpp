// Runs of growing length: the best on validation is taken, and an interrupted search ends with the same bits.
#include "mno/train/length_search.hpp"

#include <doctest/doctest.h>

#include "io/scratch.hpp"
#include "line.hpp"
#include "mno/simulate/ensemble.hpp"
#include "mno/simulate/heat.hpp"
#include "mno/train/fit.hpp"

using namespace mno;

namespace {

using mno_test::Line;
using M = NuggetMno<Line>;

Ensemble<float, 1> heat(Index conditions, Index members) {
  return simulate_ensemble<float>(spde::Heat{.points = 8, .noise = ModalNoise::with_mean(2)},
                                  {.samples = conditions, .members = members, .seed = 3});
}
FitOptions options() {
  FitOptions o;
  o.training.batch = 4;
  o.training.seed = 1;
  o.validation = 0.25;
  return o;
}
std::string choice(const FitReport& report, const std::string& what) {
  for (const FitChoice& one : report.choices)
    if (one.what == what) return one.why;
  return {};
}

}  // namespace

TEST_CASE(
    "lengths are some thousand steps, each twice the one before; draws have one, longer with symmetries") {
  CHECK(default_lengths(1000, 32, false) == std::vector<Index>{40, 79, 157});
  CHECK(default_lengths(4000, 32, true) == std::vector<Index>{16});
  CHECK(default_lengths(4000, 32, true, true) == std::vector<Index>{32});
  CHECK(default_lengths(2, 32, false) == std::vector<Index>{1000});  // no more epochs than that
}

TEST_CASE("what nobody asked for is chosen on validation, said, and kept in the file") {
  const auto data = heat(12, 8);
  Index runs = 0, before = 0;
  FitOptions o = options();
  o.after_epoch = [&](const EpochReport& epoch) {
    if (epoch.epochs != before) ++runs;
    before = epoch.epochs;
  };
  const auto [surrogate, report] = fit<M>(data, o);
  CHECK(runs >= 2);  // at least two lengths are compared
  const std::string length = choice(report, "length");
  CHECK(length.starts_with(std::to_string(report.epochs_done) + " epochs: of 417, 834"));
  CHECK(length.ends_with("the best on validation"));
  CHECK(choice(report, "loss").starts_with("at least 8 members"));
  CHECK(surrogate.about().at("choice.length") == length);
  CHECK(surrogate.about().at("training").starts_with("epochs=" + std::to_string(report.epochs_done) + " "));

  // It is the run of that length, and none of those that were tried is better.
  for (const Index epochs : {417, 834}) {
    FitOptions of_length = options();
    of_length.training.epochs = epochs;
    const auto one = fit<M>(data, of_length);
    CHECK(choice(one.report, "length").empty());
    CHECK(report.scores->criterion() <= one.report.scores->criterion());
    if (epochs == report.epochs_done)
      CHECK(std::ranges::equal(one.surrogate.model().values(), surrogate.model().values()));
  }
}

TEST_CASE("without validation data there is one run") {
  FitOptions o = options();
  o.validation = 0;
  const auto report = fit<M>(heat(4, 8), o).report;
  CHECK(report.epochs_done == 1000);
  CHECK(choice(report, "length") == "1000 epochs: a usual number of steps for such data");
}

TEST_CASE("a search that is interrupted in its second run and resumed equals one that was not") {
  const auto data = heat(12, 8);
  const Scratch scratch;
  const auto whole = fit<M>(data, options());
  FitOptions o = options();
  o.checkpoint = scratch / "checkpoint";
  Index length = 0, epoch = 0;
  o.after_epoch = [&](const EpochReport& report) {
    length = report.epochs;
    epoch = report.epoch;
  };
  o.interrupted = [&] { return length == 834 && epoch == 5; };
  const auto stopped = fit<M>(data, o).report;
  REQUIRE(stopped.interrupted);
  CHECK(std::filesystem::exists(scratch / "checkpoint.shorter"));
  o.resume = true;
  o.interrupted = {};
  const auto resumed = fit<M>(data, o);
  CHECK(resumed.report.epochs_done == whole.report.epochs_done);
  CHECK(std::ranges::equal(resumed.surrogate.model().values(), whole.surrogate.model().values()));
  CHECK(choice(resumed.report, "length") == choice(whole.report, "length"));
  CHECK_FALSE(std::filesystem::exists(scratch / "checkpoint.shorter"));

  // Without the best of the shorter runs nothing tells what to compare with.
  o.resume = false;
  length = epoch = 0;
  o.interrupted = [&] { return length == 834 && epoch == 5; };
  REQUIRE(fit<M>(data, o).report.interrupted);
  std::filesystem::remove(scratch / "checkpoint.shorter");
  o.resume = true;
  o.interrupted = {};
  CHECK_THROWS_AS(fit<M>(data, o), Error);
}
