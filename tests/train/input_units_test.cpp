// u_0 of another order than u_t: layers see it in units of its own, and a fit finds them.
#include "mno/train/input_units.hpp"

#include <doctest/doctest.h>

#include "line.hpp"
#include "mno/core/random.hpp"
#include "mno/train/fit.hpp"

using namespace mno;
using doctest::Approx;

namespace {

struct Pair {
  static constexpr int dimension = 1, channels = 2, rank = 1, width = 6, modes = 4, depth = 1, projection = 6;
};
struct Forced {
  static constexpr int dimension = 1, channels = 1, rank = 1, width = 6, modes = 4, depth = 1, projection = 6,
                       known = 2;
};

/// Single draws, u_t = smooth of u_0 / size: of order one, while u_0 is of order `size` around `centre`.
Ensemble<float, 1> data(Index conditions, float size, float centre) {
  const std::vector<Index> counts(std::size_t(conditions), 1);
  auto e = make_ensemble<float, 1>(std::span<const Index>(counts), Grid<1>{{16}}, 1);
  Stream random(4);
  for (Index i = 0; i < conditions; ++i) {
    Field<float, 1> u0(1, e.grid(), 1), u(1, e.grid(), 1);
    const double a = random.normal(), b = random.normal();
    u0.fill([&](auto x, Index) {
      return centre + size * (a * std::cos(6.2832 * x[0]) + b * std::sin(6.2832 * x[0]));
    });
    u.fill([&](auto x, Index) { return a * std::sin(6.2832 * x[0]) - b * std::cos(6.2832 * x[0]); });
    set_condition<float, 1>(e, i, std::as_const(u0).view(), 1.0f, i, std::as_const(u).view());
  }
  return e;
}

}  // namespace

TEST_CASE("channels of the order of u_t stay as they are, the others are centred and scaled") {
  Ensemble<double, 1> train;
  train.initial = Field<double, 1>(50, {{8}}, 2);
  Stream random(1);
  for (Index r = 0; r < 400; ++r) {
    train.initial.view().row(r)[0] = 0.5 + 2 * random.normal();
    train.initial.view().row(r)[1] = 3000 + 800 * random.normal();
  }
  const auto units = input_units<Mno<Pair, double>>(train);
  CHECK(units.shift[0] == 0);
  CHECK(units.scale[0] == 1);
  CHECK(units.shift[1] == Approx(3000).epsilon(0.05));
  CHECK(units.scale[1] == Approx(800).epsilon(0.2));
  for (double& u : train.initial.span()) u = 7;  // no spread: nothing to scale by
  CHECK(input_units<Mno<Pair, double>>(train) == Mno<Pair, double>::InputUnits{});
}

TEST_CASE("known fields have units of their own by the same rule") {
  using M = Mno<Forced, double>;
  Ensemble<double, 1> train;
  train.initial = Field<double, 1>(50, {{8}}, 1);
  train.known = Field<double, 1>(50, {{8}}, 2);
  Stream random(1);
  for (Index r = 0; r < 400; ++r) {
    train.initial.view().row(r)[0] = random.normal();
    train.known.view().row(r)[0] = 500 + 20 * random.normal();
    train.known.view().row(r)[1] = random.normal();
  }
  const auto units = input_units<M>(train);
  CHECK(units.scale[0] == 1);
  CHECK(units.known_shift[0] == Approx(500).epsilon(0.01));
  CHECK(units.known_scale[0] == Approx(20).epsilon(0.2));
  CHECK(units.known_shift[1] == 0);
  CHECK(units.known_scale[1] == 1);

  M model(3), plain(3);
  model.set_input_units(units);
  const double time = 0.5;
  auto scaled = train.known;
  for (Index r = 0; r < 400; ++r)
    scaled.view().row(r)[0] = (scaled.view().row(r)[0] - units.known_shift[0]) / units.known_scale[0];
  const auto here = predict(model, {train.initial.view(), {&time, 1}, train.known.view()}),
             there = predict(plain, {train.initial.view(), {&time, 1}, std::as_const(scaled).view()});
  for (std::size_t i = 0; i < here.mean.size(); ++i)
    CHECK(here.mean.span()[i] == Approx(there.mean.span()[i]).epsilon(1e-10));
  auto wrong = units;
  wrong.known_scale[1] = 0;
  CHECK_THROWS_AS(model.set_input_units(wrong), Error);
}

TEST_CASE("a fit is as good whatever the units of u_0 are") {
  const auto error = [](float size, float centre) {
    FitOptions options;
    options.training.epochs = 60;
    options.training.batch = 16;
    const auto train = data(64, size, centre);
    const auto fitted = fit<Fno<mno_test::Line>>(train, options);
    const auto field = fitted.surrogate.predict(train.condition());
    double difference = 0, whole = 0;
    for (std::size_t i = 0; i < field.size(); ++i) {
      difference += std::pow(double(field.span()[i]) - double(train.mean.span()[i]), 2);
      whole += std::pow(double(train.mean.span()[i]), 2);
    }
    return std::sqrt(difference / whole);
  };
  const double same = error(1, 0), other = error(2000, 9000);
  MESSAGE("relative error " << same << " where u_0 is of the order of u_t, " << other << " where it is not");
  CHECK(same < 0.3);
  CHECK(other == Approx(same).epsilon(0.02));  // the same numbers reach the layers, but for rounding
}

TEST_CASE("units that make no sense are refused") {
  Fno<mno_test::Line> model;
  CHECK_THROWS_AS(model.set_input_units({{0.0f}, {0.0f}}), Error);
  CHECK_THROWS_AS(model.set_input_units({{std::numeric_limits<float>::infinity()}, {1.0f}}), Error);
}
