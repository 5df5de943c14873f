// The auxiliary priors as models: their gradients through the whole, and what they promise of the law.
#include "mno/model/priors.hpp"

#include <doctest/doctest.h>

#include <Eigen/LU>

#include "mno/model/gradient.hpp"
#include "mno/train/places.hpp"

using namespace mno;

namespace {
struct Line {
  static constexpr int dimension = 1, channels = 1, rank = 3, width = 6, modes = 3, depth = 1, projection = 6;
  static constexpr int separable_terms = 2;
};
template <class M> M randomised(M model) {
  Stream stream(5);
  for (double& weight : model.values()) weight += 0.3 * stream.normal();
  return model;
}
Field<double, 1> fields(Index count) {
  Field<double, 1> u(count, Grid<1>{{16}}, 1);
  Stream stream(6);
  for (double& value : u.span()) value = stream.normal();
  return u;
}
/// ⟨mean, a⟩ + ⟨factor, b⟩ along a direction of the parameters, against central differences.
template <class M> double gradient_error() {
  const M model = randomised(M(3));
  const auto u = fields(3);
  const double time = 0.6;
  const Condition<double, 1> condition{u.view(), {&time, 1}};
  const auto law = predict(model, condition);
  Field<double, 1> mean_bar = law.mean,
                   factor_bar(3, u.grid(), law.factor.channels() + (M::has_nugget ? 1 : 0));
  Stream stream(8);
  for (auto* bar : {&mean_bar, &factor_bar})
    for (double& value : bar->span()) value = stream.normal();
  M gradient = model.zeros();
  vjp(model, condition, mean_bar, factor_bar, gradient);
  std::vector<double> direction(M::parameters);
  double derivative = 0, size = 0;
  for (std::size_t i = 0; i < direction.size(); ++i) {
    direction[i] = stream.normal() / std::sqrt(double(M::parameters));
    derivative += direction[i] * gradient.values()[i];
    size += gradient.values()[i] * gradient.values()[i];
  }
  const auto at = [&](double h) {
    M moved = model;
    for (std::size_t i = 0; i < direction.size(); ++i) moved.values()[i] += h * direction[i];
    const auto there = predict(moved, condition);
    double sum = 0;
    for (std::size_t i = 0; i < there.mean.size(); ++i) sum += there.mean.span()[i] * mean_bar.span()[i];
    for (Index r = 0; r < there.factor.view().rows(); ++r) {
      for (Index c = 0; c < there.factor.channels(); ++c)
        sum += there.factor.view().row(r)[c] * factor_bar.view().row(r)[c];
      if (M::has_nugget)
        sum += there.nugget.view().row(r)[0] * factor_bar.view().row(r)[there.factor.channels()];
    }
    return sum;
  };
  const double h = 1e-4, difference = (8 * (at(h) - at(-h)) - (at(2 * h) - at(-2 * h))) / (12 * h);
  return std::abs(difference - derivative) / std::sqrt(size);
}
}  // namespace

TEST_CASE("gradients of both are those of what they predict") {
  CHECK(gradient_error<SeparableMno<Line, double>>() < 1e-6);
  CHECK(gradient_error<MercerMno<Line, double>>() < 1e-6);
  static_assert(SeparableMno<Line>::has_nugget && !MercerMno<Line>::has_nugget);
}

TEST_CASE("a separable drift has no more directions than terms, a Mercer factor is orthogonal") {
  const auto u = fields(12);
  const double time = 0.6;
  const auto separable = predict(randomised(SeparableMno<Line, double>(3)), {u.view(), {&time, 1}});
  Eigen::MatrixXd drift(12, 16);
  for (Index i = 0; i < 12; ++i)
    for (Index p = 0; p < 16; ++p) drift(i, p) = separable.mean(i, p, 0) - u(i, p, 0);
  Eigen::FullPivLU<Eigen::MatrixXd> ranks(drift);
  ranks.setThreshold(1e-10);
  CHECK(ranks.rank() == Line::separable_terms);

  const auto mercer = predict(randomised(MercerMno<Line, double>(3)), {u.view(), {&time, 1}});
  for (Index i = 0; i < 12; ++i)
    for (Index j = 0; j < 3; ++j)
      for (Index k = 0; k < j; ++k) {
        double both = 0, first = 0, second = 0;
        for (Index p = 0; p < 16; ++p) {
          both += mercer.factor(i, p, j) * mercer.factor(i, p, k);
          first += mercer.factor(i, p, j) * mercer.factor(i, p, j);
          second += mercer.factor(i, p, k) * mercer.factor(i, p, k);
        }
        CHECK(std::abs(both) < 1e-9 * std::sqrt(first * second));
      }
}

TEST_CASE("both know of places, which fit may close") {
  CHECK(has_places<SeparableMno<Line>>());
  CHECK(has_places<MercerMno<Line>>());
}
