#include "mno/model/conserving.hpp"

#include <doctest/doctest.h>

#include "mno/data/ensemble.hpp"
#include "mno/expression/oracle.hpp"
#include "mno/law/sample.hpp"
#include "mno/model/predict.hpp"
#include "mno/train/open_path.hpp"
#include "model/shapes.hpp"

using namespace mno;
using namespace mno_test;

namespace {

/// The largest |mean over the grid| of what a field has beyond another one, or beyond nothing.
template <class T, int D>
double mass(const Field<T, D>& field, const Field<T, D>* other = nullptr, Index each = 1) {
  double largest = 0;
  for (Index b = 0; b < field.batch(); ++b)
    for (Index c = 0; c < field.channels(); ++c) {
      double sum = 0;
      for (Index p = 0; p < field.points(); ++p)
        sum += double(field(b, p, c)) - (other ? double((*other)(b / each, p, c)) : 0);
      largest = std::max(largest, std::abs(sum / double(field.points())));
    }
  return largest;
}

template <class S, class T> void check(Grid<S::dimension> grid, double rounding) {
  ConservingMno<S, T> model(3, grid.domain);
  Stream random(5);
  for (T& value : model.values()) value += T(0.5 * random.normal());
  Field<T, S::dimension> u(2, grid, S::channels);
  for (T& value : u.span()) value = T(1 + random.normal());
  const auto law = predict(model, u, T(0.7));
  CHECK(mass(law.mean, &u) < rounding);
  CHECK(mass(law.factor) < rounding);
  CHECK(mass(sample(law, 50, 1), &u, 50) < 4 * rounding);
  double moved = 0;  // but it does something
  for (std::size_t i = 0; i < u.size(); ++i)
    moved = std::max(moved, std::abs(double(law.mean.data()[i] - u.data()[i])));
  CHECK(moved > 0.1);
}

}  // namespace

TEST_CASE("every draw has the mass of u_0, whatever the weights, on every grid") {
  check<Line, double>(Grid<1>{{12}}, 1e-13);
  check<Line, double>(Grid<1>{{15}}, 1e-13);
  check<Line, float>(Grid<1>{{32}}, 2e-6);
  check<Plane, double>(Grid<2>{{6, 9}}, 1e-13);
}

TEST_CASE("gradients by the oracle; the last bias has none, and no effect") {
  const auto worst = [](const OracleReport& report) {
    double largest = 0;
    for (const auto& entry : report.entries)
      if (entry.variable.find("pointwise1.bias") == std::string::npos)
        largest = std::max(largest, entry.error);
    return largest;
  };
  CHECK(worst(check_gradients<Conserving<PathDriftHead<Line>>, 1>(Grid<1>{{10}}, 2, 2)) < 1e-6);
  CHECK(worst(check_gradients<Conserving<FactorHead<Plane>>, 2>(Grid<2>{{4, 6}})) < 1e-6);
}

TEST_CASE("the path from u_0 opens as elsewhere, and keeps the mass") {
  const Grid<1> grid{{10}};
  auto data = make_ensemble<double, 1>(4, grid, 2);
  Stream random(2);
  for (Index e = 0; e < 4; ++e) {
    Field<double, 1> initial(1, grid, 2), members(3, grid, 2);
    for (double& value : initial.span()) value = random.normal();
    for (double& value : members.span()) value = random.normal();
    set_condition<double, 1>(data, e, std::as_const(initial).view(), 1.0, e, std::as_const(members).view());
  }
  ConservingMno<Line, double> model(1);
  open_path(model, data);
  for (const NamedLeaf& leaf : model.leaves())
    if (leaf.name.ends_with("path.scale"))
      for (const double scale : model.leaf(leaf.name)) CHECK(scale < -1);  // −1/g, where the mean is nothing
  CHECK(mass(predict(model, data.initial, 1.0).mean, &data.initial) < 1e-13);
}
