// Activations and the identity against the oracle, GELU against known values.
#include "mno/layer/activation.hpp"

#include <cstring>
#include <limits>
#include <numbers>
#include <vector>

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

namespace {
/// Value and derivative as the layer computes them, in whole packets and in the rest.
template <class Function, class T> Slope<T> computed(T x) {
  T in[2], value[2] = {}, derivative[2] = {};
  in[0] = in[1] = x;
  detail::activate<Function>(in, value, derivative, 1, Write::set);
  std::vector<T> many(std::size_t(packet_size<T>), x), values(many), derivatives(many);
  detail::activate<Function>(many.data(), values.data(), derivatives.data(), packet_size<T>, Write::set);
  CHECK(std::memcmp(value, values.data(), sizeof(T)) == 0);
  CHECK(std::memcmp(derivative, derivatives.data(), sizeof(T)) == 0);
  return {value[0], derivative[0]};
}
}  // namespace

TEST_CASE_TEMPLATE("GELU in packets is x Φ(x) to rounding, far into both tails", T, float, double) {
  if constexpr (packet::has_lookup<T>) return;  // pieces of polynomials: see below
  // x² is rounded before the exponential sees it, so relative errors in the tail grow like x²/2; where the
  // exponential is no normal number any more, the tail is 0.
  const double unit = double(std::numeric_limits<T>::epsilon());
  const double end = std::is_same_v<T, float> ? 13.1 : 37.6;
  double worst = 0;
  for (int i = -40000; i <= 40000; ++i) {
    const T x = T(end * i / 40000);
    const auto f = computed<GeluFunction, T>(x);
    const long double z = x;
    const long double tail = std::erfc(-z / std::numbers::sqrt2_v<long double>) / 2;
    const long double density = std::exp(-z * z / 2) / std::sqrt(2 * std::numbers::pi_v<long double>);
    const double allowed = unit * (6 + double(z * z) / 2);
    const double value_error = double(std::abs(f.value - z * tail)), scale = double(std::abs(z * tail));
    CHECK(value_error <= allowed * scale);
    // Of the derivative's two summands, the larger one sets the rounding.
    CHECK(double(std::abs(f.derivative - (tail + z * density))) <=
          allowed * double(std::max(tail, std::abs(z) * density)));
    if (i != 0) worst = std::max(worst, value_error / scale / unit);
  }
  MESSAGE("largest relative error in units of the last place: " << worst);
}

TEST_CASE("GELU by pieces of polynomials errs by less than float resolves near 1") {
  if (!packet::has_lookup<float>) return;
  double value_worst = 0, slope_worst = 0, tail_worst = 0;
  for (int i = -80000; i <= 80000; ++i) {
    const float x = float(i) * 1e-4f;
    const auto f = computed<GeluFunction>(x);
    const auto exact = GeluFunction::at(double(x));
    value_worst =
        std::max(value_worst, std::abs(double(f.value) - exact.value) / std::max(1.0f, std::abs(x)));
    slope_worst = std::max(slope_worst, std::abs(double(f.derivative) - exact.derivative));
    if (x > -5 && x < 0)
      tail_worst = std::max(tail_worst, std::abs(double(f.value) - exact.value) / std::abs(exact.value));
  }
  MESSAGE("largest errors: value " << value_worst << ", slope " << slope_worst << ", relative tail "
                                   << tail_worst);
  CHECK(value_worst <= 8e-8);
  CHECK(slope_worst <= 1.5e-7);
  CHECK(tail_worst <= 5e-6);
}

TEST_CASE_TEMPLATE("GELU at the ends of the number line", T, float, double) {
  constexpr T infinity = std::numeric_limits<T>::infinity();
  CHECK(computed<GeluFunction>(T(0)).value == 0);
  CHECK(computed<GeluFunction>(T(0)).derivative == T(0.5));
  CHECK(computed<GeluFunction>(T(-0.0)).derivative == T(0.5));
  for (const T x : {T(50), T(1e4), std::numeric_limits<T>::max()}) {
    CHECK(computed<GeluFunction>(x).value == x);
    CHECK(computed<GeluFunction>(x).derivative == 1);
    CHECK(computed<GeluFunction>(-x).value == 0);
    CHECK(computed<GeluFunction>(-x).derivative == 0);
  }
  CHECK(computed<GeluFunction>(infinity).value == infinity);
  CHECK(computed<GeluFunction>(infinity).derivative == 1);
  CHECK(computed<GeluFunction>(-infinity).value == 0);  // the limit
  CHECK(computed<GeluFunction>(-infinity).derivative == 0);
  CHECK(std::isnan(computed<GeluFunction>(std::numeric_limits<T>::quiet_NaN()).value));
  CHECK(std::isnan(computed<GeluFunction>(std::numeric_limits<T>::quiet_NaN()).derivative));
}

TEST_CASE_TEMPLATE("the other functions in packets are their definitions", T, float, double) {
  const double unit = double(std::numeric_limits<T>::epsilon());
  const auto compare = [&]<class Function>(Function) {
    for (int i = -2000; i <= 2000; ++i) {
      const T x = T(i) / 50;
      const auto f = computed<Function, T>(x);
      const auto expected = Function::at(double(x));
      CHECK(std::abs(double(f.value) - expected.value) <=
            4 * unit * std::max(1e-30, std::abs(expected.value)));
      CHECK(std::abs(double(f.derivative) - expected.derivative) <=
            4 * unit * (1 + std::abs(double(x))) * std::max(1e-30, std::abs(expected.derivative)) + 4 * unit);
    }
    CHECK(std::isnan(computed<Function>(std::numeric_limits<T>::quiet_NaN()).value));
  };
  compare(SiluFunction{});
  compare(TanhFunction{});
}
