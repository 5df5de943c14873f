// The gradient oracle itself: a wrong cotangent, a cotangent that overwrites, one that strays into memory
// that is not the law's, and one that mixes up samples do not pass.
#include "oracle.hpp"

#include "mno/loss/gaussian_nll.hpp"

using namespace mno;
using namespace mno::testing;

namespace {

/// The likelihood, followed by a mistake.
template <class Mistake> struct Wrong {
  Mistake mistake;
  template <class T, int D>
  double operator()(const LawBlock<T, D>& law, const Target<T, D>& target, double scale) const {
    const double value = GaussianNll{}(law, target, scale);
    mistake(law);
    return value;
  }
};
template <class Mistake> double smallest_error(Mistake mistake) {
  double least = 1e300;
  for_each_case([&](const auto& target, auto& block) {
    least = std::min(least, gradient_error(Wrong<Mistake>{mistake}, target, block));
  });
  return least;
}

}  // namespace

TEST_CASE("the oracle finds mistakes") {
  CHECK(smallest_error([](const auto&) {}) < 1e-6);
  CHECK(smallest_error([](const auto& law) { law.mean_bar(2, 1, 0) *= 1.001; }) > 1e-6);
  CHECK(smallest_error([](const auto& law) { law.factor_bar(0, 2, 0) *= 1.1; }) > 1e-6);
  CHECK(smallest_error([](const auto& law) { law.factor_bar(0, 0, 0) = 0; }) > 1e-6);
  CHECK(smallest_error([](const auto& law) { law.mean_bar(0, 0, law.mean.channels) += 1; }) > 1e-6);
  CHECK(smallest_error([](const auto& law) { std::swap(law.mean_bar(0, 0, 0), law.mean_bar(1, 0, 0)); }) >
        1e-6);
}

TEST_CASE("a missing factor of two is found") {
  struct Halved : GaussianNll {
    double operator()(const LawBlock<double, 1>& law, const Target<double, 1>& target, double scale) const {
      Field<double, 1> mean(law.mean.batch, law.mean.grid, law.mean.channels);
      const LawBlock<double, 1> elsewhere{law.first, law.mean, law.factor, mean.view(), law.factor_bar};
      const double value = GaussianNll::operator()(elsewhere, target, scale);
      for (Index r = 0; r < mean.view().rows(); ++r) law.mean_bar.row(r)[0] += 0.5 * mean.view().row(r)[0];
      return value;
    }
  };
  const RandomEnsemble<double, 1> ensemble(5, Grid<1>{{6}}, 1, 7, 1);
  Block<double, 1> block(1, 3, Grid<1>{{6}}, 1, 3, 2);
  CHECK(gradient_error(Halved{}, ensemble.target(), block) > 0.1);
}
