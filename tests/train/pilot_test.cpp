// What a pilot tells before the run: the size of the noise of single draws, and the symmetries of the law.
#include "mno/train/pilot.hpp"

#include <doctest/doctest.h>

#include "line.hpp"
#include "mno/model/model.hpp"
#include "mno/simulate/ensemble.hpp"
#include "mno/simulate/heat.hpp"
#include "mno/train/fit.hpp"

using namespace mno;

namespace {

using mno_test::Line;

/// u = u_0 + 0.1 noise, one draw per condition.
Ensemble<float, 1> draws(Index conditions, std::uint64_t seed) {
  const Grid<1> grid{{8}};
  auto all = make_ensemble<float, 1>(std::vector<Index>(std::size_t(conditions), 1), grid, 1);
  Stream random(seed);
  for (Index s = 0; s < conditions; ++s) {
    Field<float, 1> initial(1, grid, 1), drawn(1, grid, 1);
    for (float& u : initial.span()) u = float(random.normal());
    for (std::size_t i = 0; i < drawn.size(); ++i)
      drawn.data()[i] = initial.data()[i] + float(0.1 * random.normal());
    set_condition<float, 1>(all, s, std::as_const(initial).view(), 1.0f, s, std::as_const(drawn).view());
  }
  return all;
}

TrainingOptions options() {
  TrainingOptions o;
  o.epochs = 150;
  o.batch = 16;
  return o;
}

Ensemble<float, 1> heat(double velocity, Index members) {
  const spde::Heat equation{.velocity = velocity, .points = 12, .initial = {.modes = 3}};
  return simulate_ensemble<float>(equation, {.samples = 160, .members = members, .seed = 3});
}
Symmetries symmetries_of(const Ensemble<float, 1>& data) {
  const Pilot<Mno<Line>> pilot(Mno<Line>(1, data.grid().domain), data, options(), default_device());
  return pilot.symmetries(true, default_device());
}

}  // namespace

TEST_CASE("what a trained mean leaves unexplained: above the variance of the noise, and near it") {
  const auto train = draws(128, 1);
  const auto noise = [&] {
    return Pilot<Mno<Line>>(Mno<Line>(1), train, options(), default_device()).noise();
  };
  const double once = noise();
  MESSAGE("estimated ", once, ", the noise has 0.01");
  CHECK(once > 0.008);  // 512 squares: 0.01 within 6 %, and the mean's own error on top
  CHECK(once < 0.03);
  CHECK(once == noise());
}

TEST_CASE("… also where there are so few conditions that the mean learns their noise by heart") {
  TrainingOptions long_run = options();
  long_run.epochs = 3000;
  const double noise = Pilot<Mno<Line>>(Mno<Line>(1), draws(12, 2), long_run, default_device()).noise();
  MESSAGE("estimated ", noise, ", the noise has 0.01");
  CHECK(noise > 0.008);
}

TEST_CASE("heat looks the same negative, mirrored and moved; what is carried along, not mirrored") {
  const Symmetries all{.negative = true, .mirrored = true, .turned = true, .shifted = true};
  CHECK(symmetries_of(heat(0, 8)) == all);
  CHECK(symmetries_of(heat(0.4, 8)) == Symmetries{.negative = true, .shifted = true});
  CHECK(symmetries_of(heat(0.4, 1)) == Symmetries{.negative = true, .shifted = true});
}

TEST_CASE("noise that is larger in one place than in another is not moved") {
  auto data = heat(0, 8);
  for (Index e = 0; e < data.size(); ++e)
    for (Index p = 0; p < 6; ++p) data.variance(e, p, 0) *= 1.5f;
  CHECK_FALSE(symmetries_of(data).shifted);
}

TEST_CASE("between walls, and where fields are known, only what can be moved is looked for") {
  auto walls = heat(0, 8);
  walls.initial = Field<float, 1>(walls.size(), Grid<1>{{12}, {{1}, {true}}}, 1);
  walls.mean = walls.variance = walls.initial;
  Stream random(1);
  for (std::size_t i = 0; i < walls.initial.size(); ++i)
    walls.initial.data()[i] = walls.mean.data()[i] = float(random.normal());
  const Symmetries found = symmetries_of(walls);
  CHECK_FALSE(found.mirrored);
  CHECK_FALSE(found.turned);
  CHECK_FALSE(found.shifted);
}

TEST_CASE("fit moves data for scores of draws, given or chosen, and for no other loss that is given") {
  const spde::Heat equation{.velocity = 0.4, .points = 12, .initial = {.modes = 3}};
  const auto data =
      simulate_ensemble<float>(equation, {.samples = 160, .members = 8, .seed = 3}, {.members = true});
  const auto found = [&](const auto&... loss) {
    const auto report = fit<Mno<Line>>(data, loss..., FitOptions{.training = options()}).report;
    for (const FitChoice& one : report.choices)
      if (one.what == "symmetries") return one.why;
    return std::string();
  };
  const std::string chosen = found();
  CHECK(chosen.starts_with("-u(x)"));
  CHECK(found(energy_loss(4)) == chosen);
  CHECK(found(Recipe::decoupled()).empty());
}
