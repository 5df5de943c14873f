// The grid that layers work on: a coarse one is refined, one with walls extended. The operator is that of the
// working grid, the start stays exact.
#include "mno/model/refined.hpp"

#include <doctest/doctest.h>

#include <cstring>

#include "mno/expression/step.hpp"
#include "mno/model/gradient.hpp"
#include "model/shapes.hpp"

using namespace mno;
using namespace mno_test;

namespace {
struct Forced : Line {
  static constexpr int known = 1;
};

template <class T, int D> Field<T, D> noise(Index batch, Grid<D> grid, Index channels, std::uint64_t seed) {
  Field<T, D> field(batch, grid, channels);
  Stream random(seed);
  for (T& value : field.span()) value = T(random.normal());
  return field;
}

/// The law on the fine grid, read at the points of the coarse one, against the law on the coarse one.
template <class M> void check_reading(Grid<M::dimension> coarse, Index least) {
  constexpr int D = M::dimension;
  using S = typename M::ShapeType;
  M model(5, coarse.domain);
  const auto u = noise<double, D>(3, coarse, S::channels, 1);
  const auto factor = detail::refinement(coarse, least);
  auto points = coarse.points;
  for (std::size_t d = 0; d < std::size_t(D); ++d) points[d] *= factor[d];
  const auto fine = predict(model, resample<double, D>(u, points), 0.5);
  const auto rough = predict(model, u, 0.5);
  model.set_least_points(least);
  const auto law = predict(model, u, 0.5);
  double error = 0, change = 0;
  for (Index b = 0; b < u.batch(); ++b)
    for (Index p = 0; p < coarse.size(); ++p) {
      const Index at = detail::WorkingRow<D>{coarse.points, factor, points}(p);
      for (Index c = 0; c < S::channels; ++c) {
        error = std::max(error, std::abs(law.mean(b, p, c) - fine.mean(b, at, c)));
        change = std::max(change, std::abs(law.mean(b, p, c) - rough.mean(b, p, c)));
      }
      for (Index c = 0; c < S::rank * S::channels; ++c)
        error = std::max(error, std::abs(law.factor(b, p, c) - fine.factor(b, at, c)));
    }
  CHECK(error < 1e-12);
  CHECK(change > 1e-6);  // noise aliases: the coarse grid's own operator is another
}
}  // namespace

TEST_CASE("the smallest multiple that has enough points") {
  CHECK(detail::refinement(Grid<1>{{32}}, 0)[0] == 1);
  CHECK(detail::refinement(Grid<1>{{32}}, 32)[0] == 1);
  CHECK(detail::refinement(Grid<1>{{32}}, 33)[0] == 2);
  CHECK(detail::refinement(Grid<2>{{24, 100}}, 64) == std::array<Index, 2>{3, 1});
}

TEST_CASE("the law is that of the refined field, read at the given points") {
  check_reading<Mno<Line, double>>({{16}}, 32);
  check_reading<Mno<Line, double>>({{9}, {{2.0}}}, 20);
  check_reading<Mno<Plane, double>>({{8, 6}}, 12);
  check_reading<Mno<Plane, double>>({{6, 16}}, 12);  // one axis alone
}

TEST_CASE("on a grid with enough points nothing changes, bit for bit") {
  Mno<Line, float> model(5);
  const auto u = noise<float, 1>(3, {{32}}, 2, 1);
  const auto before = predict(model, u, 0.5f);
  model.set_least_points(32);
  const auto after = predict(model, u, 0.5f);
  CHECK(std::ranges::equal(before.mean.span(), after.mean.span()));
  CHECK(std::ranges::equal(before.factor.span(), after.factor.span()));
}

TEST_CASE("at t = 0 the mean is u_0 at the given points, bit for bit, and the factor is zero") {
  Mno<Line, float> model(5);
  model.set_least_points(40);
  auto u = noise<float, 1>(4, {{16}}, 2, 2);
  u(0, 3, 1) = -0.0f;
  const auto law = predict(model, u, 0.0f);
  CHECK(std::memcmp(law.mean.data(), u.data(), u.size() * sizeof(float)) == 0);
  for (const float b : law.factor.span()) CHECK(b == 0);
}

TEST_CASE("the loss sees the given points, and the same law as a prediction") {
  Mno<Line, double> model(5), gradient(5);
  model.set_least_points(24);
  const auto u = noise<double, 1>(40, {{8}}, 2, 3);
  const double t = 0.7;
  const auto law = predict(model, u, t);
  Index samples = 0;
  value_and_gradient(
      model, {u.view(), {&t, 1}},
      [&](const LawBlock<double, 1>& block) {
        CHECK(block.mean.grid == u.grid());
        CHECK(block.factor_bar.grid == u.grid());
        for (Index b = 0; b < block.mean.batch; ++b)
          for (Index p = 0; p < 8; ++p) {
            for (Index c = 0; c < 2; ++c)
              CHECK(block.mean(b, p, c) == doctest::Approx(law.mean(block.first + b, p, c)).epsilon(1e-12));
            for (Index c = 0; c < 6; ++c) {
              CHECK(block.factor(b, p, c) ==
                    doctest::Approx(law.factor(block.first + b, p, c)).epsilon(1e-12));
              CHECK(block.factor_bar(b, p, c) == 0);
            }
          }
        samples += block.mean.batch;
        return 0.0;
      },
      gradient, default_device());
  CHECK(samples == 40);
}

TEST_CASE("known fields are refined with u_0, given once or per sample") {
  Mno<Forced, double> model(5);
  model.set_least_points(24);
  const auto u = noise<double, 1>(3, {{8}}, 2, 3), one = noise<double, 1>(1, {{8}}, 1, 4);
  Field<double, 1> each(3, {{8}}, 1);
  for (Index b = 0; b < 3; ++b) std::copy_n(one.data(), 8, each.data() + 8 * b);
  const double t = 0.7;
  const auto a = predict(model, Condition<double, 1>{u.view(), {&t, 1}, one.view()});
  const auto b = predict(model, Condition<double, 1>{u.view(), {&t, 1}, each.view()});
  model.store_known_fields(one);  // the interpolant is made by `assemble`
  const auto c = predict(model, u, t);
  for (std::size_t i = 0; i < a.mean.size(); ++i) {
    CHECK(a.mean.span()[i] == b.mean.span()[i]);
    CHECK(a.mean.span()[i] == doctest::Approx(c.mean.span()[i]).epsilon(1e-12));
  }
}

TEST_CASE("threads do not change a bit") {
  Mno<Line, float> model(5), first(5), second(5);
  model.set_least_points(48);
  const auto u = noise<float, 1>(50, {{16}}, 2, 6);
  const float t = 0.3f;
  Field<float, 1> ubar_first(50, u.grid(), 2), ubar_second(50, u.grid(), 2);
  const auto loss = [](const LawBlock<float, 1>& block) {
    for (Index r = 0; r < block.mean.rows(); ++r) block.mean_bar.row(r)[0] = block.factor.row(r)[1];
    return 0.0;
  };
  Cpu one(1), three(3);
  value_and_gradient(model, {u.view(), {&t, 1}}, loss, first, one, {ubar_first.view(), {}, {}});
  value_and_gradient(model, {u.view(), {&t, 1}}, loss, second, three, {ubar_second.view(), {}, {}});
  CHECK(std::ranges::equal(first.values(), second.values()));
  CHECK(std::ranges::equal(ubar_first.span(), ubar_second.span()));
}

TEST_CASE("the adjoint of resampling: ⟨ȳ, P x⟩ = ⟨Pᵀ ȳ, x⟩") {
  Workspace workspace;
  for (const auto& [from, to] : {std::pair<Index, Index>{8, 16}, {7, 21}, {9, 4}, {6, 6}}) {
    const auto x = noise<double, 2>(2, {{from, 6}}, 3, 1), ybar = noise<double, 2>(2, {{to, 12}}, 3, 2);
    Field<double, 2> y(2, ybar.grid(), 3), xbar(2, x.grid(), 3);
    resample_into<double, 2>(x.view(), y.view(), workspace);
    resample_adjoint_into<double, 2>(ybar.view(), xbar.view(), workspace);
    double left = 0, right = 0;
    for (std::size_t i = 0; i < y.size(); ++i) left += y.span()[i] * ybar.span()[i];
    for (std::size_t i = 0; i < x.size(); ++i) right += x.span()[i] * xbar.span()[i];
    CHECK(left == doctest::Approx(right).epsilon(1e-12));
  }
}

TEST_CASE("between walls the layers see the box, and the place with the time") {
  using M = Mno<Line, double>;
  using E = M::Expression;
  const Grid<1> grid{{8}, {{3.0}, {true}}};
  M model(5, grid.domain);
  model.set_input_units({{0.5, -1}, {2, 3}});
  const auto u = noise<double, 1>(2, grid, 2, 1);
  const std::vector<double> times{0.3, 0.9};
  const auto law = predict(model, Condition<double, 1>{u.view(), times});

  const auto box = in_box(u);
  REQUIRE(box.points() == 10);
  Field<double, 1> x(2, box.grid(), 3), y(2, box.grid(), E::outputs);
  for (Index b = 0; b < 2; ++b)
    for (Index i = 0; i < 10; ++i) {
      x(b, i, 0) = (box(b, i, 0) - 0.5) / 2;
      x(b, i, 1) = (box(b, i, 1) + 1) / 3;
      x(b, i, 2) = times[std::size_t(b)] + std::cos(2 * std::numbers::pi * double(i) / 10);
    }
  Workspace workspace;
  Pass<double, 1> pass(workspace);
  pass.initial = box.view();
  pass.times = times;
  TraceOf<E, Pass<double, 1>> trace;
  forward_of<E, Pass<double, 1>>(std::as_const(model).values(), x.view(), y.view(), trace, pass, Write::set);
  for (Index b = 0; b < 2; ++b)
    for (Index i = 0; i < 8; ++i) {
      for (Index c = 0; c < 2; ++c)
        CHECK(law.mean(b, i, c) == doctest::Approx(u(b, i, c) + y(b, i, c)).epsilon(1e-12));
      for (Index c = 0; c < 6; ++c)
        CHECK(law.factor(b, i, c) == doctest::Approx(y(b, i, 2 + c)).epsilon(1e-12));
    }
}

TEST_CASE("a model between walls, as the tour has it") {
  // [walls]
  const Domain<1> walls{/*length=*/{3.0}, /*bounded=*/{true}};
  Mno<Line, double> model(/*seed=*/5, walls);
  Field<double, 1> u0(1, Grid<1>{{64}, walls}, 2);
  u0.fill([](auto x, Index) { return x[0] * (3 - x[0]); });  // zero at both walls
  const Law<double, 1> law = predict(model, u0, 0.5);
  // [walls] end
  CHECK(law.mean.grid() == u0.grid());
  const auto start = predict(model, u0, 0.0);
  CHECK(std::memcmp(start.mean.data(), u0.data(), u0.size() * sizeof(double)) == 0);
}

TEST_CASE("one function on two grids with walls has one law, up to the grid's own error") {
  const auto model_on = [](const Domain<2>& domain) { return Mno<Plane, double>(5, domain); };
  for (const std::array<bool, 2> walls : {std::array{true, true}, std::array{false, true}}) {
    const Domain<2> domain{{1.0, 2.0}, walls};
    const auto model = model_on(domain);
    const auto law_on = [&](Index n) {
      Field<double, 2> u(1, {{n, n}, domain}, 1);
      u.fill([](std::array<double, 2> x, Index) {
        return std::sin(2 * std::numbers::pi * x[0]) + std::exp(-x[1]) * std::cos(2 * x[1]);
      });
      return predict(model, u, 0.7);
    };
    const auto difference = [&](Index n) {  // between n points and 2n, at those of n
      const auto a = law_on(n), b = law_on(2 * n);
      double largest = 0;
      for (Index i = 0; i < n; ++i)
        for (Index j = 0; j < n; ++j)
          largest =
              std::max(largest, std::abs(a.mean(0, i * n + j, 0) - b.mean(0, 2 * i * 2 * n + 2 * j, 0)));
      return largest;
    };
    const double coarse = difference(16), fine = difference(32);
    MESSAGE("difference of the means on 16 and 32 points " << coarse << ", on 32 and 64 " << fine);
    CHECK(coarse < 1e-3);
    CHECK(fine < 0.75 * coarse);
  }
}

TEST_CASE("stored known fields are extended with u_0; where their box is another, a sentence") {
  const Grid<1> grid{{8}, {{1.0}, {true}}};
  Mno<Forced, double> model(5, grid.domain);
  const auto u = noise<double, 1>(2, grid, 2, 3), known = noise<double, 1>(1, grid, 1, 4);
  const double t = 0.4;
  for (const Index least : {0, 20}) {
    model.set_least_points(least);
    const auto given = predict(model, Condition<double, 1>{u.view(), {&t, 1}, known.view()});
    model.store_known_fields(known);
    const auto stored = predict(model, u, t);
    for (std::size_t i = 0; i < given.mean.size(); ++i)
      CHECK(given.mean.span()[i] == doctest::Approx(stored.mean.span()[i]).epsilon(1e-12));
  }
  model.store_known_fields(noise<double, 1>(1, {{10}, grid.domain}, 1, 4));
  CHECK_THROWS_WITH_AS(predict(model, u, t), doctest::Contains("expected a multiple of 4 points on axis 0"),
                       Error);
  CHECK_THROWS_AS(model.store_known_fields(noise<double, 1>(1, {{8}}, 1, 4)), Error);  // no walls
}

TEST_CASE("a field without walls is no condition of a model with them, nor the other way round") {
  const Mno<Line, float> bounded(5, {{1.0}, {true}}), periodic(5);
  CHECK_THROWS_WITH_AS(predict(bounded, noise<float, 1>(1, {{8}}, 2, 1), 0.5f),
                       "mno::predict: argument 'initial': expected walls at the ends of axis 0, as the model "
                       "has, got a periodic one.",
                       Error);
  CHECK_THROWS_WITH_AS(predict(periodic, noise<float, 1>(1, {{8}, {{1.0}, {true}}}, 2, 1), 0.5f),
                       "mno::predict: argument 'initial': expected a periodic axis 0, as the model has, got "
                       "walls.",
                       Error);
}

TEST_CASE("a number of points that makes no sense is refused") {
  Mno<Line, float> model(1);
  CHECK_THROWS_AS(model.set_least_points(-1), Error);
  CHECK_THROWS_AS(model.set_least_points(65537), Error);
  CHECK(model.least_points() == 0);
}
