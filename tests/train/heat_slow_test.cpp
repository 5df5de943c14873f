// Training on ensembles of the heat equation recovers its law: mean and covariance are within a tenth of what
// the exact law itself has against the same test ensembles.
//
// The second case is the size of the usual experiments. It takes minutes even where it is optimised, so it is
// left out unless it is asked for:
//   cmake --preset release -DMNO_BUILD_TESTS=ON
//   cmake --build --preset release --target train_test
//   build/release/bin/tests/train_test --source-file=*heat_slow_test.cpp --no-skip
#include <doctest/doctest.h>

#include "heat_law.hpp"

using namespace heat_law;

namespace {

// The noise has 2K + 1 basis functions, and so has the covariance its rank. Its modes are fixed in space, so
// the operator is given sines and cosines of the coordinate.
struct Small {
  static constexpr int dimension = 1, channels = 1, rank = 5, width = 12, modes = 4, depth = 2,
                       projection = 24, harmonics = 2;
};
struct Full {
  static constexpr int dimension = 1, channels = 1, rank = 17, width = 48, modes = 16, depth = 4,
                       harmonics = 8;
};

void check(const Figures& figures) {
  MESSAGE("mean RMSE " << figures.mean_rmse << ", floor " << figures.mean_floor << ", to the exact mean "
                       << figures.mean_to_exact);
  MESSAGE("covariance error " << figures.covariance_error << ", floor " << figures.covariance_floor
                              << ", to the exact covariance " << figures.covariance_to_exact);
  CHECK(figures.mean_rmse < 1.1 * figures.mean_floor);
  CHECK(figures.covariance_error < 1.1 * figures.covariance_floor);
}

}  // namespace

TEST_CASE("a small operator has the law of a small heat equation") {
  Setting setting;
  setting.heat.points = 16;
  setting.heat.initial.modes = 3;
  setting.heat.noise = ModalNoise::with_mean(2);
  setting.data_seed = setting.model_seed = 2;
  setting.train = 2048;
  setting.members = setting.test_members = 64;
  setting.options.epochs = 12;
  setting.options.batch = 16;
  setting.options.adamw.learning_rate = 1e-2;
  check(recover<Small>(setting));
}

TEST_CASE("an operator of the usual size has the law of the heat equation" * doctest::skip()) {
  Setting setting;
  setting.data_seed = setting.model_seed = 2;
  setting.train = 1000;
  setting.members = 192;
  setting.test = 200;
  setting.options.epochs = 80;
  check(recover<Full>(setting));
}
