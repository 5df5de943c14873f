#pragma once
// The root of a function of one variable between two points where its signs differ.
//   T. R. Chandrupatla, "A new hybrid quadratic/bisection algorithm for finding the zero of a nonlinear
//   function without using derivatives", 1997.
#include <algorithm>
#include <cmath>
#include <limits>

namespace mno::detail {

/// x between a and b with f(x) = 0, to rounding: inverse quadratic interpolation where three points allow it,
/// and halving elsewhere, so that values may be infinite.
template <class F> double root(F&& f, double a, double b) {
  double at_a = f(a), at_b = f(b), c = a, at_c = at_a, share = 0.5;
  for (;;) {
    const double x = a + share * (b - a), at_x = f(x);
    if ((at_x > 0) == (at_a > 0)) {
      c = a, at_c = at_a;
    } else {
      c = b, at_c = at_b;
      b = a, at_b = at_a;
    }
    a = x, at_a = at_x;
    const double best = std::abs(at_a) < std::abs(at_b) ? a : b;
    const double least =
        (2 * std::numeric_limits<double>::epsilon() * std::abs(best) + 1e-300) / std::abs(b - a);
    if (at_a == 0 || !(least <= 0.5)) return at_a == 0 ? a : best;
    const double place = (a - b) / (c - b), height = (at_a - at_b) / (at_c - at_b);
    const bool quadratic = 1 - std::sqrt(1 - place) < height && height < std::sqrt(place);
    share = quadratic ? at_a / (at_b - at_a) * at_c / (at_b - at_c) +
                            (c - a) / (b - a) * at_a / (at_c - at_a) * at_b / (at_c - at_b)
                      : 0.5;
    share = std::clamp(share, least, 1 - least);
  }
}

}  // namespace mno::detail
