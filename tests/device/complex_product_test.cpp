// Three-product complex multiplication against Eigen's complex product, at widths that fill vector registers
// and widths that do not.
#include "mno/device/complex_product.hpp"

#include <doctest/doctest.h>

#include <complex>
#include <vector>

#include "mno/core/random.hpp"

using namespace mno;

TEST_CASE_TEMPLATE("C = A B and C += Aᵀ B", T, float, double) {
  using Rows = Eigen::Matrix<std::complex<double>, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  Stream random(3);
  const auto noise = [&](Index rows, Index columns) {
    Rows m(rows, columns);
    for (Index i = 0; i < m.size(); ++i)
      m.data()[i] = {double(T(random.normal())), double(T(random.normal()))};
    return m;
  };
  for (const Index columns : {1, 5, 16, 24, 32, 48, 64, 96})
    for (const auto& shape : {std::pair<Index, Index>{1, 1}, {3, 7}, {8, 48}, {15, 150}}) {
      const Index rows = shape.first, depth = shape.second;
      CAPTURE(rows);
      CAPTURE(columns);
      CAPTURE(depth);
      const Rows a = noise(rows, depth), b = noise(depth, columns), c = noise(rows, columns);
      const Index pitch = columns + 3;
      std::vector<T> parts[3], b_re(std::size_t(depth * pitch)), b_im(b_re);
      std::vector<T> transposed[3];
      for (Index i = 0; i < rows * depth; ++i) {
        const auto z = a.data()[i];
        parts[0].push_back(T(z.real()));
        parts[1].push_back(T(z.imag()));
        parts[2].push_back(T(z.real()) + T(z.imag()));
      }
      for (Index k = 0; k < depth; ++k)
        for (Index i = 0; i < rows; ++i)
          for (int p = 0; p < 3; ++p) transposed[p].push_back(parts[p][std::size_t(i * depth + k)]);
      for (Index k = 0; k < depth; ++k)
        for (Index j = 0; j < columns; ++j) {
          b_re[std::size_t(k * pitch + j)] = T(b(k, j).real());
          b_im[std::size_t(k * pitch + j)] = T(b(k, j).imag());
        }
      for (const auto write : {Write::set, Write::add})
        for (const bool turned : {false, true}) {
          std::vector<T> re(std::size_t(rows * pitch), T(9)), im(re);
          for (Index i = 0; i < rows; ++i)
            for (Index j = 0; j < columns; ++j) {
              re[std::size_t(i * pitch + j)] = T(c(i, j).real());
              im[std::size_t(i * pitch + j)] = T(c(i, j).imag());
            }
          const auto& p = turned ? transposed : parts;
          detail::complex_product<T>(
              {{re.data(), rows, columns, pitch}, {im.data(), rows, columns, pitch}},
              {p[0].data(), p[1].data(), p[2].data(), turned ? 1 : depth, turned ? rows : 1},
              {{b_re.data(), depth, columns, pitch}, {b_im.data(), depth, columns, pitch}}, write);
          Rows expected = a * b;
          if (write == Write::add) expected += c;
          double worst = 0;
          for (Index i = 0; i < rows; ++i) {
            for (Index j = 0; j < columns; ++j)
              worst = std::max(
                  worst, std::abs(expected(i, j) - std::complex<double>(re[std::size_t(i * pitch + j)],
                                                                        im[std::size_t(i * pitch + j)])));
            for (Index j = columns; j < pitch; ++j) CHECK(re[std::size_t(i * pitch + j)] == T(9));
          }
          CHECK(worst < 80 * double(std::numeric_limits<T>::epsilon()) * std::sqrt(double(depth)));
        }
    }
}
