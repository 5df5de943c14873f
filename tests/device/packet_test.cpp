// The packet layer: partial loads and stores, transposition, and functions against the standard library's.
#include "mno/device/packet.hpp"

#include <doctest/doctest.h>

#include <vector>

#include "mno/core/random.hpp"

using namespace mno;
using namespace mno::packet;

namespace {
/// |a/b − 1| in units of the last place.
template <class T> double ulps(T a, double b) {
  return std::abs(double(a) / b - 1) / double(std::numeric_limits<T>::epsilon());
}
template <class T, class F> T one(F&& f, T x) {
  T values[packet_size<T>];
  store(values, Packet<T>(f(everywhere(x))));
  for (const T value : values) CHECK(std::equal(values, values + 1, &value));
  return values[0];
}
}  // namespace

TEST_CASE_TEMPLATE("a partial packet reads and writes nothing else", T, float, double) {
  for (Index n = 1; n < packet_size<T>; ++n) {
    std::vector<T> from(std::size_t(n), T(3)), to(std::size_t(packet_size<T>) + 1, T(-1)), all(to);
    store(all.data(), load_first(from.data(), n));
    for (Index i = 0; i < packet_size<T>; ++i) CHECK(all[std::size_t(i)] == (i < n ? T(3) : T(0)));
    store_first(to.data(), everywhere(T(7)), n);
    for (Index i = 0; i <= packet_size<T>; ++i) CHECK(to[std::size_t(i)] == (i < n ? T(7) : T(-1)));
  }
}

TEST_CASE_TEMPLATE("a loop over packets touches every value once", T, float, double) {
  for (const Index n : {0, 1, 5, 16, 31, 48}) {
    std::vector<T> a(std::size_t(n) + 1, T(1));
    for_each_packet<T>(
        n, [&](auto load, auto store) { store(a.data(), padd(load(a.data()), everywhere(T(1)))); });
    for (Index i = 0; i <= n; ++i) CHECK(a[std::size_t(i)] == (i < n ? T(2) : T(1)));
  }
}

TEST_CASE_TEMPLATE("transposition, whole packets and the rest", T, float, double) {
  for (const auto& [rows, columns] : {std::pair<Index, Index>{1, 1}, {5, 7}, {16, 16}, {48, 33}, {17, 64}}) {
    const Index from_pitch = columns + 3, to_pitch = rows + 2;
    std::vector<T> from(std::size_t(rows * from_pitch)), to(std::size_t(columns * to_pitch), T(-1));
    for (std::size_t i = 0; i < from.size(); ++i) from[i] = T(i);
    transpose(from.data(), from_pitch, to.data(), to_pitch, rows, columns, T(2));
    for (Index c = 0; c < columns; ++c)
      for (Index r = 0; r < to_pitch; ++r)
        CHECK(to[std::size_t(c * to_pitch + r)] ==
              (r < rows ? T(2) * from[std::size_t(r * from_pitch + c)] : T(-1)));
  }
}

TEST_CASE_TEMPLATE("square roots are rounded correctly, reciprocals nearly", T, float, double) {
  Stream random(1);
  double worst = 0;
  for (int i = 0; i < 20000; ++i) {
    const T x = T(std::exp(20 * random.normal()));
    CHECK(one<T>([](const Packet<T>& p) { return square_root<T>(p); }, x) == std::sqrt(x));
    worst =
        std::max(worst, ulps(one<T>([](const Packet<T>& p) { return reciprocal<T>(p); }, x), 1 / double(x)));
  }
  CHECK(worst <= 1.5);
  CHECK(one<T>([](const Packet<T>& p) { return square_root<T>(p); }, T(0)) == T(0));
}

TEST_CASE_TEMPLATE("the exponential of negative numbers", T, float, double) {
  const auto exponential = [](T x) {
    return one<T>([](const Packet<T>& p) { return exponential_of_negative<T>(p); }, x);
  };
  const double lowest = std::is_same_v<T, float> ? -87.2 : -708.2;
  double worst = 0;
  for (int i = 0; i <= 20000; ++i) {
    const T x = T(lowest * i / 20000);
    worst = std::max(worst, ulps(exponential(x), double(std::exp(static_cast<long double>(x)))));
  }
  MESSAGE("largest error in units of the last place: " << worst);
  CHECK(worst <= 2);
  CHECK(exponential(T(0)) == T(1));
  CHECK(exponential(T(-1e4)) == T(0));
  CHECK(exponential(-std::numeric_limits<T>::infinity()) == T(0));
}
