// Mixing weights' cotangents are made of what all samples left: in one round or in several.
#include "mno/expression/step.hpp"

#include <doctest/doctest.h>

#include "mno/expression/oracle.hpp"
#include "mno/model/gradient.hpp"

using namespace mno;

namespace {

struct Line {
  static constexpr int dimension = 1, channels = 1, rank = 2, width = 3, modes = 3, depth = 2, projection = 4;
};
struct SplitLine : Line {
  static constexpr bool shared_backbone = false;
};
struct Wide : Line {
  static constexpr int modes = 5;
};
struct Plane : Line {
  static constexpr int dimension = 2;
};

/// The gradient of Σ m² + Σ B over a batch of 300 samples.
template <class S> std::vector<double> gradient_on(Grid<S::dimension> grid, Cpu& device) {
  constexpr int D = S::dimension;
  const Mno<S, double> model(5);
  Mno<S, double> gradient(6);
  Field<double, D> u(300, grid, 1);
  Stream random(1);
  for (double& value : u.span()) value = random.normal();
  const double t = 0.4;
  value_and_gradient(
      model, {std::as_const(u).view(), {&t, 1}},
      [](const LawBlock<double, D>& law) {
        for (Index r = 0; r < law.mean.rows(); ++r) {
          law.mean_bar.row(r)[0] = 2 * law.mean.row(r)[0];
          for (Index k = 0; k < S::rank; ++k) law.factor_bar.row(r)[k] = 1;
        }
        return 0.0;
      },
      gradient, device);
  return {gradient.values().begin(), gradient.values().end()};
}

/// ‖a − b‖ / ‖b‖
double distance(std::span<const double> a, std::span<const double> b) {
  double error = 0, norm = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    error += (a[i] - b[i]) * (a[i] - b[i]);
    norm += b[i] * b[i];
  }
  CHECK(norm > 0);
  return std::sqrt(error / norm);
}

/// A whole operator in one plain pass, and in blocks of so many samples: several rounds of them.
template <class S> void same_in_rounds(Grid<S::dimension> grid) {
  using P = Probe<MnoOperator<S>, S::dimension>;
  P plain(grid, 35, 1, 3), rounds(grid, 35, 1, 3);
  plain.pull_back();
  for (const Index samples : {1, 2, 3}) {
    rounds.pull_back_in_blocks(samples, 2);
    CHECK(distance(rounds.wbar, plain.wbar) <= 1e-14);
    CHECK(distance(rounds.xbar.span(), plain.xbar.span()) <= 1e-14);
  }
}

}  // namespace

TEST_CASE("several rounds give the gradient of one") {
  same_in_rounds<Line>({{16}});
  same_in_rounds<SplitLine>({{10}});
  same_in_rounds<Plane>({{8, 6}});
}

TEST_CASE("waves that a grid does not carry have no gradient") {
  Cpu device(1);
  const auto gradient = gradient_on<Wide>({{4}}, device);  // k = 0, 1, 2 of five modes
  const Mno<Wide, double> model(5);
  int leaves = 0;
  for (const NamedLeaf& leaf : model.leaves()) {
    if (!leaf.name.ends_with("spectral.weight")) continue;
    ++leaves;
    const std::size_t mode = leaf.size() / Wide::modes;
    double kept = 0, absent = 0;
    for (std::size_t i = 0; i < leaf.size(); ++i)
      (i < 3 * mode ? kept : absent) += std::abs(gradient[leaf.offset + i]);
    CHECK(kept > 0);
    CHECK(absent == 0);
  }
  CHECK(leaves == Wide::depth);
}
