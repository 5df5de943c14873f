#pragma once
// The gradient oracle as assertions, and the grids that layers are tried on: odd and even, smaller than the
// modes, domains that are not of length one.
#include <doctest/doctest.h>

#include <cstdio>

#include "device.hpp"
#include "mno/expression/oracle.hpp"

namespace mno::test {

inline const Grid<1> lines[] = {{{4}}, {{5}}, {{6}}, {{8}}, {{9}}, {{17}}, {{12}, {{2.5}}}};
inline const Grid<2> planes[] = {{{4, 4}}, {{5, 4}}, {{6, 9}}, {{7, 5}}, {{8, 8}, {{2.0, 0.5}}}};

/// The largest error seen by this program; printed when it ends.
struct Largest {
  double error = 0;
  ~Largest() { std::printf("largest gradient error: %.2e\n", error); }
};
inline Largest largest;

inline void expect_small(const OracleReport& report, double bound, const char* layer,
                         const std::string& grid) {
  INFO(std::string(layer) << " on " << grid << "\n" << report.str());
  CHECK(report.largest() <= bound);
}

template <class L, int D> void check_vjp(Grid<D> grid, Index initial_channels = 1) {
  const auto report = check_gradients<L, D, Device>(grid, 2, initial_channels);
  expect_small(report, 1e-6, L::name, grid.str());
  largest.error = std::max(largest.error, report.largest());
}

template <class L, int D> void check_linear(Grid<D> grid) {
  expect_small(check_adjoint_identity<L, D, double, Device>(grid), 1e-12, L::name, grid.str());
}

}  // namespace mno::test
