// Patterns with a kernel of their own against the same expression leaf by leaf: values and gradients, at
// widths that fill vector registers and widths that do not, on odd and even grids, in float and double.
#include <doctest/doctest.h>

#include "mno/expression/chain.hpp"
#include "mno/expression/oracle.hpp"

using namespace mno;

namespace {

// An identity in between, so that no pattern is found.
template <int Width, int D, int Modes>
using FusedLayer = Chain<Sum<SpectralConv<Width, Width, D, Modes>, Pointwise<Width, Width>>, Gelu<Width>>;
template <int Width, int D, int Modes>
using PlainLayer =
    Chain<Sum<SpectralConv<Width, Width, D, Modes>, Pointwise<Width, Width>>, Identity<Width>, Gelu<Width>>;
/// The summands in the other order, and so their parameters.
template <int Width, int D, int Modes>
using Swapped = Sum<Pointwise<Width, Width>, SpectralConv<Width, Width, D, Modes>>;
template <int Width, int D, int Modes> using SwappedLayer = Chain<Swapped<Width, D, Modes>, Gelu<Width>>;
template <int Width, int D, int Modes>
using PlainSwappedLayer = Chain<Swapped<Width, D, Modes>, Identity<Width>, Gelu<Width>>;
template <int Width, int Out> using FusedHead = Chain<Pointwise<Width, 40>, Gelu<40>, Pointwise<40, Out>>;
template <int Width, int Out>
using PlainHead = Chain<Pointwise<Width, 40>, Identity<40>, Gelu<40>, Pointwise<40, Out>>;

/// ‖a − b‖ / ‖b‖
template <class T> double distance(std::span<const T> a, std::span<const T> b) {
  double error = 0, norm = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    error += double(a[i] - b[i]) * double(a[i] - b[i]);
    norm += double(b[i]) * double(b[i]);
  }
  return std::sqrt(error / norm);
}

template <int D, class T> void compare(ProbeData<D, T>& fused, ProbeData<D, T>& plain) {
  CAPTURE(fused.x.channels());
  CAPTURE(fused.ybar.channels());
  CAPTURE(sizeof(T));
  INFO(fused.x.grid().str());
  CHECK(fused.w == plain.w);
  const double tolerance = std::is_same_v<T, float> ? 3e-6 : 1e-14;
  const auto y = fused.forward(), z = plain.forward();
  CHECK(distance<T>(y.span(), z.span()) < tolerance);
  fused.pull_back();
  plain.pull_back();
  CHECK(distance<T>(fused.xbar.span(), plain.xbar.span()) < tolerance);
  CHECK(distance<T>(fused.wbar, plain.wbar) < tolerance);
}
template <class Fused, class Plain, class T, int D> void compare(Grid<D> grid, Index batch) {
  static_assert(!std::is_same_v<Fused, Plain> && Fused::parameters == Plain::parameters);
  Probe<Fused, D, T> fused(grid, batch, 1, 5);
  Probe<Plain, D, T> plain(grid, batch, 1, 5);
  compare<D, T>(fused, plain);
}

template <int Width, class T> void compare_width() {
  for (const Index n : {8, 9, 10, 64})
    compare<FusedLayer<Width, 1, 4>, PlainLayer<Width, 1, 4>, T, 1>({{n}}, 5);
  compare<FusedHead<Width, 3>, PlainHead<Width, 3>, T, 1>({{37}}, 5);  // more rows than a strip
}

}  // namespace

TEST_CASE_TEMPLATE("fused patterns equal their leaves at every width", T, float, double) {
  compare_width<5, T>();
  compare_width<16, T>();
  compare_width<24, T>();
  compare_width<32, T>();
  compare_width<48, T>();
  compare_width<64, T>();
  compare_width<96, T>();
}

TEST_CASE_TEMPLATE("fused patterns in two and three dimensions", T, float, double) {
  for (const Grid<2>& grid : {Grid<2>{{8, 8}}, Grid<2>{{5, 12}}, Grid<2>{{6, 7}}})
    compare<FusedLayer<6, 2, 3>, PlainLayer<6, 2, 3>, T, 2>(grid, 3);
  compare<FusedLayer<4, 3, 2>, PlainLayer<4, 3, 2>, T, 3>({{4, 5, 6}}, 2);
}

TEST_CASE_TEMPLATE("fused patterns with the summands in the other order", T, float, double) {
  for (const Index n : {8, 9}) compare<SwappedLayer<5, 1, 4>, PlainSwappedLayer<5, 1, 4>, T, 1>({{n}}, 5);
  compare<SwappedLayer<4, 2, 3>, PlainSwappedLayer<4, 2, 3>, T, 2>({{6, 7}}, 3);
}

TEST_CASE("forward adds to what is there, and may leave its trace empty") {
  using L = FusedLayer<5, 1, 3>;
  using PassType = Pass<double, 1>;
  Probe<L, 1> probe({{12}}, 3, 1, 7);
  const auto y = probe.forward();
  Workspace workspace;
  PassType pass(workspace);
  pass.recording = false;
  Field<double, 1> sum(3, {{12}}, 5);
  sum.fill([](auto, Index c) { return double(c); });
  TraceOf<L, PassType> trace;
  const Field<double, 1>& x = probe.x;
  forward_of<L, PassType>(probe.w, x.view(), sum.view(), trace, pass, Write::add);
  CHECK(!std::get<0>(trace.steps).derivative);
  for (Index r = 0; r < 36; ++r)
    for (Index c = 0; c < 5; ++c)
      CHECK(sum.view().row(r)[c] == doctest::Approx(double(c) + y.view().row(r)[c]).epsilon(1e-13));
}
