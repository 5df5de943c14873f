// The oracle must pass right adjoints and catch wrong ones.
#include "mno/expression/oracle.hpp"

#include <doctest/doctest.h>

#include "mno/layer/pointwise.hpp"
#include "mno/layer/spectral.hpp"

using namespace mno;

namespace {

/// y = w x² per channel, with the adjoint of your choice.
enum class Mistake { none, input_factor, forgets_weight, sign, scratch_not_added };

template <Mistake mistake> struct Square {
  static constexpr int inputs = 2, outputs = 2;
  static constexpr const char* name = "square";
  static constexpr std::array leaves{parameter("weight", 2)};
  static constexpr std::size_t parameters = total(leaves);
  template <class Pass> struct Trace { In<Pass> x; };
  template <class T> static void initialise(std::span<T> w, Stream&) { std::fill(w.begin(), w.end(), T(1)); }
  template <class Pass>
  static void forward(Weights<Pass> w, In<Pass> x, Out<Pass> y, Trace<Pass>& trace, Pass&) {
    trace.x = x;
    for (Index r = 0; r < x.rows(); ++r)
      for (Index c = 0; c < 2; ++c) y.row(r)[c] += w[std::size_t(c)] * x.row(r)[c] * x.row(r)[c];
  }
  template <class Pass>
  static void vjp(Weights<Pass> w, In<Pass> ybar, const Trace<Pass>& trace, WeightsBar<Pass> wbar,
                  Out<Pass> xbar, Pass&) {
    using T = typename Pass::Scalar;
    const T factor = mistake == Mistake::input_factor ? T(1.9999) : T(2);
    const T sign = mistake == Mistake::sign ? T(-1) : T(1);
    for (Index r = 0; r < ybar.rows(); ++r)
      for (Index c = 0; c < 2; ++c) {
        const T x = trace.x.row(r)[c], y = ybar.row(r)[c];
        if (xbar) {
          const T share = factor * w[std::size_t(c)] * x * y;
          if (mistake == Mistake::scratch_not_added)
            xbar.row(r)[0] = share;
          else
            xbar.row(r)[c] += share;
        }
        if (mistake != Mistake::forgets_weight || c == 0) wbar[std::size_t(c)] += sign * x * x * y;
      }
  }
};

}  // namespace

TEST_CASE("the oracle passes a right adjoint") {
  const auto report = check_gradients<Square<Mistake::none>, 1>(Grid<1>{{9}});
  INFO(report.str());
  CHECK(report.entries.size() == 3 * 4);  // weight, x, u_0, t; and trained in blocks of 1 and of 2
  CHECK(report.largest() < 1e-9);
}

TEST_CASE("a broken adjoint makes the oracle fail, and says in which variable") {
  const auto error = [](const OracleReport& report, const std::string& variable) {
    for (const auto& entry : report.entries)
      if (entry.variable == variable) return entry.error;
    FAIL("no such variable: " << variable);
    return 0.0;
  };
  const auto slope = check_gradients<Square<Mistake::input_factor>, 1>(Grid<1>{{9}});
  CHECK(error(slope, "x") > 1e-6);
  CHECK(error(slope, "square.weight") < 1e-9);

  const auto forgotten = check_gradients<Square<Mistake::forgets_weight>, 1>(Grid<1>{{9}});
  CHECK(error(forgotten, "square.weight") > 1e-3);
  CHECK(error(forgotten, "x") < 1e-9);

  CHECK(error(check_gradients<Square<Mistake::sign>, 1>(Grid<1>{{9}}), "square.weight") > 1e-1);
  CHECK(error(check_gradients<Square<Mistake::scratch_not_added>, 1>(Grid<1>{{9}}), "x") > 1e-1);
}

TEST_CASE("the adjoint identity holds for linear layers and not for others") {
  CHECK(check_adjoint_identity<Pointwise<3, 2>, 1>(Grid<1>{{8}}).largest() < 1e-14);
  CHECK(check_adjoint_identity<Square<Mistake::none>, 1>(Grid<1>{{8}}).largest() > 1e-3);
}
