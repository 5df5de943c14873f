#include "mno/simulate/fractional.hpp"

#include <doctest/doctest.h>

#include "statistics.hpp"

using namespace mno;

TEST_CASE("the circulant's eigenvalues are not negative, for every H and length, and sum to its trace") {
  for (double hurst : {0.01, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.99})
    for (Index steps : {1, 2, 3, 10, 50, 64, 500}) {
      CAPTURE(hurst);
      CAPTURE(steps);
      const DaviesHarte generator(hurst, steps);
      REQUIRE(Index(generator.eigenvalues().size()) == 2 * steps);
      double smallest = 1, sum = 0;
      for (double mu : generator.eigenvalues()) {
        smallest = std::min(smallest, mu);
        sum += mu;
      }
      CHECK(smallest > -1e-11);
      CHECK(sum == doctest::Approx(2 * double(steps)));  // γ(0) = 1 on the diagonal
    }
}

TEST_CASE("paths have the covariance ½(s^{2H} + t^{2H} − |t−s|^{2H})") {
  constexpr Index steps = 12, paths = 20000;
  const double time = 0.7;
  for (double hurst : {0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9}) {
    CAPTURE(hurst);
    const auto drawn = FractionalBrownian{hurst, time, steps}.paths(paths, 2024);
    REQUIRE(drawn.col(0).isZero());
    Eigen::MatrixXd covariance(steps, steps);
    const auto power = [&](double t) { return std::pow(t, 2 * hurst); };
    for (Index i = 0; i < steps; ++i)
      for (Index j = 0; j < steps; ++j) {
        const double s = time * double(i + 1) / steps, t = time * double(j + 1) / steps;
        covariance(i, j) = (power(s) + power(t) - power(std::abs(t - s))) / 2;
      }
    const auto verdict =
        statistics::gaussian_law(drawn.rightCols(steps), Eigen::VectorXd::Zero(steps), covariance);
    CHECK(verdict.worst_mean < 1);
    CHECK(verdict.worst_covariance < 1);
    CHECK(verdict.variances);
  }
}

TEST_CASE("the two paths of a pair, and those of different blocks, are independent") {
  constexpr Index steps = 8, paths = 20000, block = DaviesHarte::block;
  const auto drawn = FractionalBrownian{0.3, 1, steps}.paths(paths * 2, 5);
  double pair = 0, blocks = 0;
  Index pairs = 0;
  for (Index p = 0; p + 2 * block <= 2 * paths; ++p) {
    if (p % block >= block / 2) continue;
    ++pairs;
    pair += drawn(p, steps) * drawn(p + block / 2, steps);
    blocks += drawn(p, steps) * drawn(p + block, steps);
  }
  CHECK(std::abs(pair) / std::sqrt(double(pairs)) < statistics::normal_bound(2));
  CHECK(std::abs(blocks) / std::sqrt(double(pairs)) < statistics::normal_bound(2));
}

TEST_CASE("paths do not depend on the number of threads, nor on how many there are") {
  const FractionalBrownian fractional{0.2, 1, 20};
  Cpu one(1), two(2), four(4);
  const auto paths = fractional.paths(100, 9, one);
  CHECK(paths == fractional.paths(100, 9, two));
  CHECK(paths == fractional.paths(100, 9, four));
  CHECK(paths.topRows(7) == fractional.paths(7, 9, two));
  CHECK(paths != fractional.paths(100, 10, one));
}

TEST_CASE("bad options are refused with a sentence") {
  CHECK_THROWS_WITH((FractionalBrownian{1, 1, 10}.paths(1, 0)),
                    "mno::DaviesHarte: argument 'hurst': expected a number between 0 and 1, got 1.");
  CHECK_THROWS_WITH((FractionalBrownian{0.5, 1, 0}.paths(1, 0)),
                    "mno::DaviesHarte: argument 'steps': expected at least one, got 0.");
  CHECK_THROWS_AS((FractionalBrownian{0.5, 1, 10}.paths(0, 0)), Error);
  CHECK_THROWS_AS((FractionalBrownian{0.5, -1, 10}.paths(1, 0)), Error);
}
