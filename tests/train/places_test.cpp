// A law may differ from place to place, or be the same everywhere: models learn the one and keep to the
// other.
#include "mno/train/places.hpp"

#include <doctest/doctest.h>

#include <numbers>

#include "line.hpp"
#include "mno/expression/oracle.hpp"
#include "mno/simulate/ensemble.hpp"
#include "mno/simulate/heat.hpp"
#include "mno/train/fit.hpp"

using namespace mno;

namespace {

using mno_test::Line;
using M = NuggetMno<Line>;

/// Heat, and where `forced`, twice as large in one half as in the other and on top of a wave that stands
/// still.
Ensemble<float, 1> heat(bool forced, Index members = 8) {
  const spde::Heat equation{.points = 12, .initial = {.modes = 3}};
  auto all = collect<float>(equation, {.samples = 160, .members = members, .seed = 3});
  auto data = make_ensemble<float, 1>(std::vector<Index>(160, members), equation.grid(), 1);
  for (Index s = 0; s < 160; ++s) {
    View<float, 1> drawn = all.members.view().samples(s * members, members);
    for (Index r = 0; forced && r < drawn.rows(); ++r) {
      const double x = 2 * std::numbers::pi * double(r % 12) / 12;
      float& u = drawn.row(r)[0];
      u = float(double(u) * (1 + 0.3 * std::sin(x)) + 0.5 * std::cos(2 * x));
    }
    set_condition<float, 1>(data, s, std::as_const(all.initial).view().samples(s, 1), 0.5f, s, drawn);
  }
  return data;
}

std::string choice(const FitReport& report, const std::string& what) {
  for (const FitChoice& one : report.choices)
    if (one.what == what) return one.why;
  return "";
}

FitOptions quick() {
  FitOptions options;
  options.training.epochs = 100;
  options.training.batch = 16;
  return options;
}

}  // namespace

TEST_CASE("gradients of a lift that knows the place") {
  CHECK(check_gradients<Lift<WithPlaces<Line>>, 1>(Grid<1>{{9}}).largest() < 1e-8);
}

TEST_CASE("closed, places stay closed in training, and a moved field has a moved law") {
  const auto data = heat(true);
  M model(1, data.grid().domain);
  CHECK(has_places<M>());
  CHECK_FALSE(has_places<Mno<Line>>());
  close_places(model);
  Trainer trainer(model, data, nullptr, Recipe::decoupled(), {.epochs = 3});
  while (!trainer.finished()) trainer.run_epoch();
  for (const char* name : {"lift.place.fixed.series", "lift.place.pointwise.weight"})
    for (const float w : model.leaf(name)) CHECK(w == 0);

  Field<float, 1> u(1, data.grid(), 1), moved(1, data.grid(), 1);
  for (Index p = 0; p < 12; ++p) {
    u(0, p, 0) = data.initial(0, p, 0);
    moved(0, (p + 5) % 12, 0) = u(0, p, 0);
  }
  const auto here = predict(model, u, 0.5f).mean, there = predict(model, moved, 0.5f).mean;
  for (Index p = 0; p < 12; ++p)
    CHECK(there(0, (p + 5) % 12, 0) == doctest::Approx(here(0, p, 0)).epsilon(1e-4));
}

TEST_CASE("fit opens them where the law differs from place to place") {
  for (const Index members : {8, 1}) {
    const auto [surrogate, report] = fit<M>(heat(true, members), quick());
    CHECK(choice(report, "places").starts_with("the law differs from place to place"));
    CHECK(choice(report, "symmetries").find("u(x-s)") == std::string::npos);
    FitOptions without = quick();
    without.places = false;
    const auto [blind, blind_report] = fit<M>(heat(true, members), without);
    CHECK(choice(blind_report, "places").empty());
    MESSAGE("W2g or CRPS ", report.scores->criterion(), ", without places ",
            blind_report.scores->criterion());
    CHECK(report.scores->criterion() < 0.8 * blind_report.scores->criterion());
  }
}

TEST_CASE("and closes them where it does not") {
  for (const Index members : {8, 1}) {
    const auto [surrogate, report] = fit<M>(heat(false, members), quick());
    CHECK(choice(report, "places").starts_with("all alike"));
    CHECK(choice(report, "symmetries").find("u(x-s)") != std::string::npos);
    for (const float w : surrogate.model().leaf("lift.place.fixed.series")) CHECK(w == 0);
  }
}
