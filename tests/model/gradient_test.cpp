// Whole models against finite differences: shared and split, default and auxiliary heads, both gates, known
// fields, 1D and 2D, odd and even grids, grids that are refined for the layers, walls, in every variable.
#include "mno/model/gradient.hpp"

#include <doctest/doctest.h>

#include <cstdio>

#include "device.hpp"
#include "model/shapes.hpp"

using namespace mno;
using namespace mno_test;

namespace {

struct Forced : Line {
  static constexpr int known = 2, harmonics = 2;
};
struct SplitPlane : Plane {
  static constexpr bool shared_backbone = false;
  static constexpr int channels = 2, harmonics = 1;
};

double worst = 0;

template <class M> struct Trial {
  using S = typename M::ShapeType;
  static constexpr int D = S::dimension;
  static constexpr Index batch = 3;
  static constexpr int fields = known_fields<S>();

  explicit Trial(Grid<D> grid, Index least_points)
      : model(7, grid.domain),
        gradient(model.zeros()),
        u(batch, grid, S::channels),
        ubar(u),
        mean_bar(u),
        factor_bar(batch, grid, S::rank * S::channels),
        known(batch, grid, std::max(1, fields)),
        known_bar(known) {
    Stream random(3);
    for (double& value : model.values()) value += 0.1 * random.normal();
    model.set_factor_scale(0.7);
    model.set_least_points(least_points);
    if (grid.domain.has_walls()) {
      typename M::InputUnits units;
      for (double& shift : units.shift) shift = 0.3;
      for (double& scale : units.scale) scale = 1.7;
      for (double& shift : units.known_shift) shift = -0.2;
      for (double& scale : units.known_scale) scale = 0.6;
      model.set_input_units(units);
    }
    for (auto* field : {&u, &mean_bar, &factor_bar, &known})
      for (double& value : field->span()) value = random.normal();
  }

  Condition<double, D> condition() const {
    Condition<double, D> c{u.view(), t};
    if (fields > 0) c.known = known.view();
    return c;
  }
  double objective() const {
    if constexpr (M::stochastic) {
      const auto law = predict(model, condition(), device);
      return dot(law.mean.span(), mean_bar.span()) + dot(law.factor.span(), factor_bar.span());
    } else {
      return dot(predict(model, condition(), device).span(), mean_bar.span());
    }
  }
  void pull_back() {
    ConditionBar<double, D> bar{ubar.view(), tbar, {}};
    if (fields > 0) bar.known = known_bar.view();
    if constexpr (M::stochastic) {
      vjp(model, condition(), mean_bar, factor_bar, gradient, device, bar);
    } else {
      vjp(model, condition(), mean_bar, gradient, device, bar);
    }
  }
  static double dot(std::span<const double> a, std::span<const double> b) {
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
    return sum;
  }

  M model, gradient;
  Field<double, D> u, ubar, mean_bar, factor_bar, known, known_bar;
  std::vector<double> t{0.1, 0.5, 2.0}, tbar{0.0, 0.0, 0.0};
  test::Device& device = test::device();
};

template <class M> void check_model(const char* title, Grid<M::dimension> grid, Index least_points = 0) {
  Trial<M> trial(grid, least_points);
  trial.pull_back();
  const auto compare = [&](const std::string& name, std::span<double> variable,
                           std::span<const double> gradient) {
    Stream random(11);
    const std::vector<double> start(variable.begin(), variable.end());
    std::vector<double> d(variable.size());
    for (double& value : d) value = random.normal();
    const auto f = [&](double h) {
      for (std::size_t i = 0; i < d.size(); ++i) variable[i] = start[i] + h * d[i];
      return trial.objective();
    };
    const double h = 1e-3 / std::sqrt(std::max(1.0, double(d.size()) / 16));
    const double difference = (8 * (f(h) - f(-h)) - (f(2 * h) - f(-2 * h))) / (12 * h);
    std::copy(start.begin(), start.end(), variable.begin());
    const double error =
        std::abs(difference - trial.dot(gradient, d)) / std::sqrt(trial.dot(gradient, gradient));
    INFO(title << " on " << grid.str() << ": " << name);
    CHECK(error <= 1e-6);
    worst = std::max(worst, error);
  };
  for (const auto& leaf : M::leaves())
    compare(leaf.name, trial.model.values().subspan(leaf.offset, leaf.size()),
            std::as_const(trial.gradient).values().subspan(leaf.offset, leaf.size()));
  compare("u_0", trial.u.span(), trial.ubar.span());
  compare("t", trial.t, trial.tbar);
  if (trial.fields > 0) compare("known fields", trial.known.span(), trial.known_bar.span());
}

template <class S, class G = Gate>
using Auxiliary = Model<MnoOperator<S, SeparableDriftHead<S>, MercerHead<S>, G>, S, double>;

}  // namespace

TEST_CASE("one dimension: shared and split") {
  for (const Grid<1>& grid :
       {Grid<1>{{9}}, Grid<1>{{8}, {{2.5}}}, Grid<1>{{4}}}) {  // on 4 points Nyquist is kept
    check_model<Mno<Line, double>>("shared", grid);
    check_model<Mno<SplitLine, double>>("split", grid);
  }
}
TEST_CASE("one channel, known fields and coordinates") {
  check_model<Mno<OneChannel, double>>("one channel", {{7}});
  check_model<Mno<Forced, double>>("forced", {{8}, {{2.0}}});
}
TEST_CASE("auxiliary heads and the power gate") {
  check_model<Auxiliary<Line>>("separable and Mercer", {{8}, {{2.0}}});
  check_model<Auxiliary<SplitLine, PowerGate>>("separable and Mercer, split, power gate", {{9}});
  check_model<Model<MnoOperator<Line, DriftHead<Line>, MercerHead<Line>>, Line, double>>("Mercer alone",
                                                                                         {{6}});
}
TEST_CASE("two dimensions") {
  check_model<Mno<Plane, double>>("plane", {{4, 4}});  // Nyquist on both axes
  check_model<Mno<Plane, double>>("plane", {{5, 6}, {{2.0, 1.0}}});
  check_model<Mno<SplitPlane, double>>("split plane", {{6, 5}});
  check_model<Auxiliary<Plane, PowerGate>>("auxiliary plane", {{5, 6}});
}
TEST_CASE("a coarse grid that is refined for the layers") {
  for (const Index points : {4, 5, 6}) check_model<PathMno<Line, double>>("path", {{points}}, 11);
  check_model<Mno<SplitLine, double>>("split", {{6}, {{2.5}}}, 7);
  check_model<Mno<Forced, double>>("forced", {{5}, {{2.0}}}, 8);
  check_model<Auxiliary<Line>>("separable and Mercer", {{6}}, 12);
  check_model<Mno<Plane, double>>("plane", {{4, 7}}, 6);  // one axis alone is refined
  check_model<Fno<Plane, double>>("FNO", {{5, 4}}, 8);
}
TEST_CASE("walls, and u_0 in units of its own") {
  for (const Index points : {4, 5, 8})
    check_model<PathMno<Line, double>>("path", {{points}, {{2.5}, {true}}});
  check_model<PathMno<Line, double>>("path, refined", {{6}, {{1.0}, {true}}}, 12);
  check_model<Mno<Forced, double>>("forced", {{8}, {{2.0}, {true}}});
  check_model<Mno<Forced, double>>("forced, refined", {{5}, {{2.0}, {true}}}, 8);
  check_model<Mno<OneChannel, double>>("one channel", {{7}, {{1.0}, {true}}});
  check_model<Auxiliary<Line>>("separable and Mercer", {{8}, {{2.0}, {true}}});
  check_model<Mno<Plane, double>>("plane", {{4, 5}, {{1.0, 1.0}, {true, true}}});
  check_model<Mno<Plane, double>>("one axis with walls, refined", {{4, 8}, {{1.0, 2.0}, {false, true}}}, 8);
  check_model<Fno<Plane, double>>("FNO", {{5, 4}, {{1.0, 1.0}, {true, true}}});
}
TEST_CASE("the deterministic operator") {
  check_model<Fno<Line, double>>("FNO", {{9}});
  check_model<Fno<Plane, double>>("FNO", {{5, 6}});
}

#ifndef MNO_TEST_CUDA  // a loss of your own, block by block
TEST_CASE("the value is the sum of the blocks' values, and a gradient is set, not added to") {
  Mno<Line, double> model(1), gradient(99);
  Field<double, 1> u(300, {{8}}, 2);
  const double t = 0.5;
  const auto count = [](const LawBlock<double, 1>& block) {
    for (Index r = 0; r < block.mean.rows(); ++r) block.mean_bar.row(r)[0] = 1;
    return double(block.mean.batch);
  };
  CHECK(value_and_gradient(model, {u.view(), {&t, 1}}, count, gradient) == 300.0);
  const std::vector<double> first(gradient.values().begin(), gradient.values().end());
  value_and_gradient(model, {u.view(), {&t, 1}}, count, gradient);
  CHECK(first == std::vector<double>(gradient.values().begin(), gradient.values().end()));
}
#endif

TEST_CASE("the largest error") { MESSAGE("largest gradient error of a model: " << worst); }
