// Products against the sum that defines them, across tile borders, on matrices with a pitch.
#include "mno/device/product.hpp"

#include <doctest/doctest.h>

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
