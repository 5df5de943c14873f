// The likelihood of whole fields, without ever forming a covariance.
#include "mno/loss/exact_nll.hpp"

#include <Eigen/Dense>

#include "mno/loss/gaussian_nll.hpp"
#include "mno/loss/hilbert_schmidt.hpp"
#include "mno/loss/loss.hpp"
#include "model.hpp"
#include "oracle.hpp"

using namespace mno;
using namespace mno::testing;

namespace {

/// Γ as the term sees it, in full.
template <int D> Eigen::MatrixXd gamma(const LawBlock<double, D>& law, Index b, const ExactNll& term) {
  const Index channels = law.mean.channels, n = law.mean.points() * channels,
              rank = law.factor.channels / channels;
  Eigen::MatrixXd factor(rank, n), result;
  Eigen::VectorXd eta = Eigen::VectorXd::Zero(n);
  for (Index i = 0; i < n; ++i) {
    for (Index k = 0; k < rank; ++k) factor(k, i) = law.factor(b, i / channels, k * channels + i % channels);
    if (law.nugget) eta[i] = law.nugget(b, i / channels, i % channels);
  }
  result = factor.transpose() * factor;
  result.diagonal() += eta.cwiseAbs2() + Eigen::VectorXd::Constant(n, term.floor);
  return result;
}

template <int D> Eigen::VectorXd entries(View<const double, D> field, Index sample) {
  const Index n = field.points() * field.channels;
  Eigen::VectorXd v(n);
  for (Index i = 0; i < n; ++i) v[i] = field(sample, i / field.channels, i % field.channels);
  return v;
}

/// The average over members of −log N(u; m, Γ)/n, by a dense factorisation.
template <int D>
double dense(const ExactNll& term, const LawBlock<double, D>& law, const Target<double, D>& target) {
  double total = 0;
  for (Index b = 0; b < law.mean.batch; ++b) {
    const Eigen::LDLT<Eigen::MatrixXd> factorised(gamma(law, b, term));
    const Index sample = law.first + b, count = target.count(sample),
                n = law.mean.points() * law.mean.channels;
    const Eigen::VectorXd centre = term.decoupled ? entries<D>(target.mean, sample) : entries<D>(law.mean, b);
    double squares = 0;
    for (Index j = 0; j < count; ++j) {
      const Eigen::VectorXd e = entries<D>(target.members, sample * count + j) - centre;
      squares += e.dot(factorised.solve(e)) / double(term.decoupled ? count - 1 : count);
    }
    total += 0.5 * (factorised.vectorD().array().log().sum() + squares) / double(n);
  }
  return total;
}

constexpr double variance_of_noise = 0.04;
ExactNll with(bool decoupled) { return {.floor = variance_of_noise, .decoupled = decoupled}; }

/// The oracle's target without members, or with fewer factors than there are members: the rest is diagonal.
template <int D> Target<double, D> statistics(Target<double, D> target, Index factors) {
  target.members = {};
  target.covariance_factor = target.covariance_factor.slice(0, factors * target.mean.channels);
  return target;
}

}  // namespace

TEST_CASE("the average over members of the dense likelihood, from members and from all of their factors") {
  for (const bool decoupled : {false, true})
    for_each_case([&]<int D>(const Target<double, D>& target, Block<double, D>& block) {
      const ExactNll term = with(decoupled);
      const double expected = dense(term, block.law(), target);
      Target<double, D> members = target;
      members.covariance_factor = {};
      CHECK(term(block.law(), members, 1) == doctest::Approx(expected).epsilon(1e-9));
      CHECK(term(block.law(), statistics(target, 7), 1) == doctest::Approx(expected).epsilon(1e-9));
    });
}

TEST_CASE("with fewer factors the rest of the variance is taken as uncorrelated") {
  const Grid<1> grid{{5}};
  const RandomEnsemble<double, 1> ensemble(1, grid, 1, 7, 3);
  Block<double, 1> block(0, 1, grid, 1, 2, 4);
  const ExactNll term = with(true);
  const Target<double, 1> target = statistics(ensemble.target(), 3);
  Eigen::MatrixXd s = Eigen::MatrixXd::Zero(5, 5);
  for (Index j = 0; j < 3; ++j)
    for (Index x = 0; x < 5; ++x)
      for (Index y = 0; y < 5; ++y) s(x, y) += ensemble.factor(0, x, j) * ensemble.factor(0, y, j);
  for (Index x = 0; x < 5; ++x) s(x, x) = ensemble.variance(0, x, 0);
  const Eigen::MatrixXd g = gamma<1>(block.law(), 0, term);
  const double expected = 0.5 * (std::log(g.determinant()) + (g.inverse() * s).trace()) / 5;
  CHECK(term(block.law(), target, 1) == doctest::Approx(expected).epsilon(1e-10));
}

TEST_CASE("cotangents by central differences") {
  // Every variant meets some of the cases: nugget, clamping, rank, channels and dimension with each in turn.
  struct Variant {
    bool decoupled;
    Index factors;
  };
  std::vector<Variant> variants;
  for (const bool decoupled : {false, true})
    for (const Index factors : {7, 3}) variants.push_back({decoupled, factors});
  std::size_t number = 0;
  double worst = 0;
  for_each_case([&]<int D>(const Target<double, D>& target, Block<double, D>& block) {
    if (D == 2 && block.factors >= 16) return;  // many differences, and no code that others do not run
    const Variant& v = variants[(number + number / variants.size()) % variants.size()];
    ++number;
    worst = std::max(worst, gradient_error(with(v.decoupled), statistics(target, v.factors), block));
  });
  CHECK(number > 2 * variants.size());
  MESSAGE("largest relative gradient error ", worst);
  CHECK(worst <= 1e-6);
}

TEST_CASE("one realisation per condition") {
  for_each_case([&]<int D>(const Target<double, D>& ensembles, Block<double, D>& block) {
    const Index one = 1;
    Target<double, D> target{.mean = ensembles.mean, .counts = {&one, 1}};
    const ExactNll term = with(false);
    double expected = 0;
    for (Index b = 0; b < 3; ++b) {
      const Eigen::MatrixXd g = gamma(block.law(), b, term);
      const Eigen::VectorXd e = entries<D>(target.mean, 1 + b) - entries<D>(block.law().mean, b);
      const Eigen::LDLT<Eigen::MatrixXd> factorised(g);
      expected +=
          0.5 * (factorised.vectorD().array().log().sum() + e.dot(factorised.solve(e))) / double(e.size());
    }
    CHECK(term(block.law(), target, 1) == doctest::Approx(expected).epsilon(1e-9));
    if (block.factors < 16) CHECK(gradient_error(term, target, block) <= 1e-6);
  });
}

TEST_CASE("a nugget of 1e-8 of the variance, in float: value and cotangents keep their digits") {
  const Grid<1> grid{{64}};
  const Index rank = 16, count = 1;
  Block<float, 1> block(0, 1, grid, 1, rank, 4, true);
  for (Index x = 0; x < 64; ++x) block.eta(0, x, 0) = 1e-4f;  // beside a factor of order one
  Field<float, 1> u(1, grid, 1);
  Stream stream(8);  // a draw of the law itself, up to rounding to float: ‖p‖² is of order n
  std::vector<double> xi(16);
  for (double& x : xi) x = stream.normal();
  for (Index x = 0; x < 64; ++x) {
    double value = double(block.mean(0, x, 0)) + 1e-4 * stream.normal();
    for (Index k = 0; k < rank; ++k) value += double(block.factor(0, x, k, 0)) * xi[std::size_t(k)];
    u(0, x, 0) = float(value);
  }
  const ExactNll term{.floor = 1e-12};
  const double value = term(block.law(), {.mean = u.view(), .counts = {&count, 1}}, 1);

  // The same in long double, densely.
  using Matrix = Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic>;
  using Vector = Eigen::Matrix<long double, Eigen::Dynamic, 1>;
  Matrix b(rank, 64);
  Vector e(64);
  for (Index x = 0; x < 64; ++x) {
    e[x] = static_cast<long double>(u(0, x, 0)) - static_cast<long double>(block.mean(0, x, 0));
    for (Index k = 0; k < rank; ++k) b(k, x) = static_cast<long double>(block.factor(0, x, k, 0));
  }
  const long double eta = static_cast<long double>(block.eta(0, 0, 0)), d = eta * eta + 1e-12L;
  const Matrix g = b.transpose() * b + d * Matrix::Identity(64, 64);
  const Eigen::LDLT<Matrix> factorised(g);
  const Vector alpha = factorised.solve(e);
  const long double expected = (factorised.vectorD().array().log().sum() + e.dot(alpha)) / 128;
  CHECK(value == doctest::Approx(double(expected)).epsilon(1e-8));
  const Matrix g_bar = (factorised.solve(Matrix::Identity(64, 64)) - alpha * alpha.transpose()) / 128;
  const Matrix b_bar = 2 * b * g_bar;
  double largest = 0, wrong = 0;
  for (Index x = 0; x < 64; ++x)
    for (Index k = 0; k < rank; ++k) {
      largest = std::max(largest, std::abs(double(b_bar(k, x))));
      wrong = std::max(wrong, std::abs(double(b_bar(k, x)) - double(block.bars(0, x, 2 + k))));
    }
  CHECK(wrong <= 1e-6 * largest);
}

TEST_CASE("what it needs") {
  const Point several{.m = 0, .b = 1, .u = 0, .s2 = 1};
  CHECK(sentence([&] { several(ExactNll{}); }).find("leading factors of the covariance, or the members") !=
        std::string::npos);
  const Point one{.m = 0, .b = 1, .u = 0, .s2 = 0, .count = 1};
  CHECK(one(ExactNll{.floor = 3}).value == doctest::Approx(0.5 * std::log(4.0)));
  CHECK(sentence([&] { one(ExactNll{.decoupled = true}); }).find("at least 2 member(s)") !=
        std::string::npos);
  CHECK(sentence([&] { one(ExactNll{.floor = 0}); }).find("floor") != std::string::npos);
}

TEST_CASE(
    "through a model with a nugget: the gradient, and the nugget that a loss sees is that of the "
    "prediction") {
  const Grid<1> grid{{8}};
  const RandomEnsemble<double, 1> ensemble(3, grid, 1, 5, 21, 0.3);
  Field<double, 1> initial(3, grid, 1);
  randomise(initial, 0.7, 0.1, 9);
  NuggetMno<Line, double> model(4), gradient = model.zeros();
  Stream stream(5);
  for (double& w : model.values()) w += 0.3 * stream.normal();
  model.set_factor_scale(0.6);
  const double time = 0.7;
  const Condition<double, 1> condition{initial.view(), {&time, 1}};
  const Loss loss{ExactNll{.floor = 0.01}, GaussianNll{}, HilbertSchmidt{.weight = 0.3}};
  CHECK(gradient_error_of(model, condition, loss.on(ensemble.target())) <= 1e-6);

  const auto law = predict(model, condition, test::device());
  REQUIRE(law.has_nugget());
  double largest = 0, different = 0;
  const auto look = [&](const LawBlock<double, 1>& block) {
    for (Index b = 0; b < block.mean.batch; ++b)
      for (Index x = 0; x < 8; ++x) {
        largest = std::max(largest, std::abs(block.nugget(b, x, 0)));
        different = std::max(different, std::abs(block.nugget(b, x, 0) - law.nugget(block.first + b, x, 0)));
      }
    return 0.0;
  };
  Cpu one(1);
  value_and_gradient(model, condition, look, gradient, one);
  CHECK(largest > 0.01);
  CHECK(different <= 1e-15);
}
