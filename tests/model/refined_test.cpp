// A coarse grid that is refined for the layers: the operator is that of the fine grid, the start stays exact.
#include "mno/model/refined.hpp"

#include <doctest/doctest.h>

#include <cstring>

#include "mno/model/gradient.hpp"

using namespace mno;

namespace {
struct Line {
  static constexpr int dimension = 1, channels = 2, rank = 3, width = 6, modes = 8, depth = 2;
};
struct Forced : Line {
  static constexpr int known = 1;
};
struct Plane {
  static constexpr int dimension = 2, channels = 1, rank = 2, width = 5, modes = 4, depth = 2;
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
      const Index at = detail::FineRow<D>{coarse.points, factor}(p);
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

TEST_CASE("a number of points that makes no sense is refused") {
  Mno<Line, float> model(1);
  CHECK_THROWS_AS(model.set_least_points(-1), Error);
  CHECK_THROWS_AS(model.set_least_points(65537), Error);
  CHECK(model.least_points() == 0);
}
