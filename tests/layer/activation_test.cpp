// Activations and the identity against the oracle, GELU against known values.
#include "mno/layer/activation.hpp"

#include "gradients.hpp"
#include "mno/layer/identity.hpp"

using namespace mno;
using namespace mno::test;

TEST_CASE("activations and identity") {
  check_vjp<Gelu<3>>(lines[4]);
  check_vjp<Silu<3>>(lines[4]);
  check_vjp<Tanh<3>>(lines[4]);
  check_vjp<Relu<3>>(lines[4]);
  check_vjp<Gelu<2>>(planes[1]);
  check_vjp<Identity<3>>(lines[4]);
  check_linear<Identity<3>>(lines[4]);
}

TEST_CASE("GELU is x Φ(x): known values, and no trouble far out") {
  const auto at = [](double x) { return GeluFunction::at(x); };
  CHECK(at(0.0).value == 0);
  CHECK(at(0.0).derivative == doctest::Approx(0.5).epsilon(1e-15));
  CHECK(at(1.0).value == doctest::Approx(0.8413447460685429).epsilon(1e-15));
  CHECK(at(1.0).derivative == doctest::Approx(0.8413447460685429 + 0.24197072451914337).epsilon(1e-15));
  CHECK(at(-3.0).value == doctest::Approx(-3 * 0.0013498980316300945).epsilon(1e-13));
  CHECK(at(40.0).value == 40);
  CHECK(at(40.0).derivative == 1);
  CHECK(at(-40.0).value == doctest::Approx(0).epsilon(1e-300));
  CHECK(std::abs(at(-1e4).derivative) == 0);
}
