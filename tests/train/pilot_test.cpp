// The size of the noise, from one draw per condition.
#include "mno/train/pilot.hpp"

#include <doctest/doctest.h>

#include "line.hpp"
#include "mno/model/model.hpp"

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

}  // namespace

TEST_CASE("what a trained mean leaves unexplained: above the variance of the noise, and near it") {
  const auto train = draws(128, 1), held = draws(64, 2);
  TrainingOptions options;
  options.epochs = 200;
  options.batch = 16;
  const Mno<Line> model(1);
  const double noise = pilot_noise(model, train, held, options, default_device());
  MESSAGE("estimated ", noise, ", the noise has 0.01");
  CHECK(noise > 0.008);  // 512 squares: 0.01 within 6 %, and the mean's own error on top
  CHECK(noise < 0.03);
  CHECK(noise == pilot_noise(model, train, held, options, default_device()));
}
