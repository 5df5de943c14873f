// What `fit` chooses by itself is right: on an equation whose law is known, with nothing said but the data.
#include <doctest/doctest.h>

#include "heat_law.hpp"
#include "mno/train/fit.hpp"

using namespace heat_law;

namespace {

struct Small {
  static constexpr int dimension = 1, channels = 1, rank = 6, width = 12, modes = 5, depth = 2,
                       projection = 24;
};

Setting carried_along() {
  Setting setting;
  setting.heat.velocity = 0.4;
  setting.heat.points = 16;
  setting.heat.initial.modes = 3;
  setting.heat.noise = ModalNoise::with_mean(2);
  return setting;
}

template <class Data> Figures with_defaults(const Setting& setting, Data data) {
  const auto [surrogate, report] = fit<NuggetMno<Small>>(std::move(data));
  for (const auto& [what, why] : report.choices) {
    MESSAGE(what << ": " << why);
    if (what == "symmetries") CHECK(why.starts_with("-u(x),u(x-s):"));  // what is carried along has no mirror
  }
  const Figures figures = compare(surrogate.model(), surrogate.normaliser(), setting);
  MESSAGE("mean to exact " << figures.mean_to_exact << ", covariance to exact "
                           << figures.covariance_to_exact);
  return figures;
}

}  // namespace

TEST_CASE("ensembles: mean and covariance are near the exact ones") {
  Setting setting = carried_along();
  setting.train = 300;
  const Figures figures = with_defaults(setting, ensembles(setting, 12));
  CHECK(figures.mean_to_exact < 0.01);  // fields of order one
  CHECK(figures.covariance_to_exact < 0.05);
}

TEST_CASE("single draws: one of every condition, and the law is near the exact one too") {
  Setting setting = carried_along();
  setting.train = 2000;
  setting.members = 1;
  const Figures figures = with_defaults(setting, ensembles(setting, 0));
  CHECK(figures.mean_to_exact < 0.01);
  CHECK(figures.covariance_to_exact < 0.08);
}
