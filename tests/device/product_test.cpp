// Products against the sum that defines them, across tile borders, on matrices with a pitch.
#include "mno/device/product.hpp"

#include <doctest/doctest.h>

#include <limits>
#include <vector>

#include "mno/core/random.hpp"

using namespace mno;

namespace {
std::vector<double> noise(Index n, std::uint64_t seed) {
  std::vector<double> v(static_cast<std::size_t>(n));
  Stream random(seed);
  for (double& value : v) value = random.normal();
  return v;
}
}  // namespace

TEST_CASE("C += s A B, s Aᵀ B and s A Bᵀ") {
  for (const auto& size :
       {std::array<Index, 3>{1, 1, 1}, {3, 5, 7}, {130, 4, 97}, {129, 131, 200}, {5, 300, 2}}) {
    const Index m = size[0], n = size[1], k = size[2];
    CAPTURE(m);
    CAPTURE(n);
    CAPTURE(k);
    const Index pad = 3;
    const auto a = noise(m * (k + pad), 1), at = noise(k * (m + pad), 2);
    const auto b = noise(k * (n + pad), 3), bt = noise(n * (k + pad), 4);
    const auto start = noise(m * (n + pad), 5);
    auto c1 = start, c2 = start, c3 = start;
    multiply_add<double>({c1.data(), m, n, n + pad}, {a.data(), m, k, k + pad}, {b.data(), k, n, n + pad},
                         0.5);
    multiply_add_transposed_left<double>({c2.data(), m, n, n + pad}, {at.data(), k, m, m + pad},
                                         {b.data(), k, n, n + pad}, 0.5);
    multiply_add_transposed_right<double>({c3.data(), m, n, n + pad}, {a.data(), m, k, k + pad},
                                          {bt.data(), n, k, k + pad}, 0.5);
    double worst = 0;
    for (Index i = 0; i < m; ++i) {
      for (Index j = 0; j < n; ++j) {
        double s1 = 0, s2 = 0, s3 = 0;
        for (Index l = 0; l < k; ++l) {
          const auto at_a = a[std::size_t(i * (k + pad) + l)];
          s1 += at_a * b[std::size_t(l * (n + pad) + j)];
          s2 += at[std::size_t(l * (m + pad) + i)] * b[std::size_t(l * (n + pad) + j)];
          s3 += at_a * bt[std::size_t(j * (k + pad) + l)];
        }
        const auto at_c = std::size_t(i * (n + pad) + j);
        worst =
            std::max({worst, std::abs(start[at_c] + s1 / 2 - c1[at_c]),
                      std::abs(start[at_c] + s2 / 2 - c2[at_c]), std::abs(start[at_c] + s3 / 2 - c3[at_c])});
      }
      for (Index j = n; j < n + pad; ++j)
        CHECK(c1[std::size_t(i * (n + pad) + j)] == start[std::size_t(i * (n + pad) + j)]);
    }
    CHECK(worst < 1e-12);
  }
}

TEST_CASE_TEMPLATE("products equal Eigen's at every width, added or set", T, float, double) {
  using Rows = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  Stream random(7);
  const auto matrix = [&](Index rows, Index columns) {
    Rows m(rows, columns);
    for (Index i = 0; i < m.size(); ++i) m.data()[i] = T(random.normal());
    return m;
  };
  const auto view = [](auto& m) { return MatrixView<T>{m.data(), m.rows(), m.cols(), m.cols()}; };
  const auto read = [](const auto& m) { return MatrixView<const T>{m.data(), m.rows(), m.cols(), m.cols()}; };
  for (const Index n : {1, 2, 5, 16, 24, 32, 48, 64, 96, 128})
    for (const auto& shape : {std::pair<Index, Index>{1, 3}, {7, 1}, {17, 48}, {64, 200}}) {
      const Index m = shape.first, k = shape.second;
      CAPTURE(m);
      CAPTURE(n);
      CAPTURE(k);
      const Rows a = matrix(m, k), at = a.transpose(), b = matrix(k, n), bt = b.transpose();
      const Rows start = matrix(m, n);
      const double tolerance = 20 * double(std::numeric_limits<T>::epsilon()) * std::sqrt(double(k));
      for (const auto write : {Write::add, Write::set}) {
        const Rows expected = (write == Write::add ? start : Rows(start * T(0))) - a * b;
        Rows c1 = start, c2 = start, c3 = start;
        multiply_add<T>(view(c1), read(a), read(b), T(-1), write);
        multiply_add_transposed_left<T>(view(c2), read(at), read(b), T(-1), write);
        multiply_add_transposed_right<T>(view(c3), read(a), read(bt), T(-1), write);
        for (const Rows* c : {&c1, &c2, &c3})
          CHECK(double((*c - expected).cwiseAbs().maxCoeff()) < tolerance);
      }
    }
}

TEST_CASE("a product of depth zero is zero where it is set, and nothing where it is added") {
  std::vector<double> c(6, 2.0);
  multiply_add<double>({c.data(), 2, 3, 3}, {nullptr, 2, 0, 0}, {nullptr, 0, 3, 3});
  for (const double value : c) CHECK(value == 2);
  multiply_add<double>({c.data(), 2, 3, 3}, {nullptr, 2, 0, 0}, {nullptr, 0, 3, 3}, 1.0, Write::set);
  for (const double value : c) CHECK(value == 0);
}

TEST_CASE_TEMPLATE("every row may begin with the same row instead of what is there", T, float, double) {
  using Rows = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  for (const Index columns : {1, 3, 16, 17, 48, 70})
    for (const Index depth : {0, 5, 200}) {  // 200 is done in two parts
      const Rows a = Rows::Random(11, depth), b = Rows::Random(depth, columns),
                 first = Rows::Random(1, columns);
      for (const bool transposed : {false, true}) {
        Rows c = Rows::Constant(11, columns, T(99));
        const Rows right = transposed ? Rows(b.transpose()) : b;
        detail::product<T>({c.data(), 11, columns, columns}, {a.data(), depth, 1},
                           {right.data(), right.rows(), right.cols(), right.cols()}, depth, T(1), Write::add,
                           transposed, first.data());
        Rows expected = a * b;
        expected.rowwise() += first.row(0);
        CHECK((c - expected).cwiseAbs().maxCoeff() <= 1e-4 * (std::is_same_v<T, double> ? 1e-8 : 1));
      }
    }
}
