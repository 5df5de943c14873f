// The layers on a GPU's stand-in beside the processor: the same numbers, the same bits for every order of
// threads, and a convolution in parts.
#include <doctest/doctest.h>

#include "mno/cuda.hpp"
#include "mno/cuda/oracle.hpp"
#include "support.hpp"

using namespace mno;
using standin::test::Clean;

namespace {

/// A convolution whose patches are made for one tap of one sample at a time, and one with room for two taps.
template <class L> struct InSmallParts : L {};
template <class L> struct InTaps : L {};
template <class L> cuda::ConvOnCuda<L, 1> on_cuda(const InSmallParts<L>*);
template <class L> cuda::ConvOnCuda<L, 2 * 3 * 30> on_cuda(const InTaps<L>*);  // three inputs, 30 outputs

/// y, x̄ and w̄, one after the other.
template <class L, class T, class Device, int D> std::vector<T> results(const Grid<D>& grid) {
  Probe<L, D, T, Device> probe(grid, 3, 1, 5);
  const Field<T, D> y = probe.forward();
  probe.pull_back();
  std::vector<T> all(y.span().begin(), y.span().end());
  all.insert(all.end(), probe.xbar.span().begin(), probe.xbar.span().end());
  all.insert(all.end(), probe.wbar.begin(), probe.wbar.end());
  return all;
}

template <class T> double distance(const std::vector<T>& a, const std::vector<T>& b) {
  REQUIRE(a.size() == b.size());
  double difference = 0, size = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    difference += std::pow(double(a[i]) - double(b[i]), 2);
    size += std::pow(double(b[i]), 2);
  }
  return std::sqrt(difference / size);
}

/// f.operator()<Layer>(grid) for all layers that expressions are made of.
template <class F> void for_each_leaf(F&& f) {
  const Grid<1> line{{12}, {{2.5}}};
  const Grid<2> plane{{6, 10}, {{2.0, 0.5}}};
  const Grid<3> box{{4, 2, 6}};
  f.template operator()<Conv<3, 5, 1, 5>>(line);
  f.template operator()<Conv<3, 5, 2, 3, Zero>>(plane);
  f.template operator()<Conv<3, 2, 2, 3, Reflecting, 2>>(plane);
  f.template operator()<Conv<2, 3, 3, 3, Circular, 2>>(box);
  f.template operator()<GroupNorm<6, 3>>(plane);
  f.template operator()<AveragePool<3, 2>>(plane);
  f.template operator()<MaxPool<3, 2>>(box);
  f.template operator()<GlobalMean<4>>(plane);
  f.template operator()<Nearest<3, 2>>(plane);
  f.template operator()<SpectralUp<2, 2>>(plane);
  f.template operator()<SpectralDown<2, 2>>(box);
  f.template operator()<Film<3>>(plane);
  f.template operator()<Noise<2, 3, 1, 4>>(line);
  f.template operator()<Noise<1, 2, 2, 3>>(plane);
  f.template operator()<Noise<1, 2, 3, 5>>(box);  // waves that the grid does not carry
  f.template operator()<FactorisedSpectralConv<2, 3, 2, 3>>(plane);
  f.template operator()<FactorisedSpectralConv<2, 2, 3, 3>>(box);
}

}  // namespace

TEST_CASE("every layer gives the processor's numbers") {
  const Clean clean;
  for_each_leaf([]<class L, int D>(const Grid<D>& grid) {
    INFO(std::string(L::name) << " on " << grid.str());
    CHECK(distance(results<L, double, Cuda>(grid), results<L, double, Cpu>(grid)) < 1e-13);
    CHECK(distance(results<L, float, Cuda>(grid), results<L, float, Cpu>(grid)) < 1e-5);
  });
}

TEST_CASE("the order of the threads and their number change no bit") {
  const Clean clean;
  for_each_leaf([]<class L, int D>(const Grid<D>& grid) {
    INFO(std::string(L::name) << " on " << grid.str());
    standin::settings() = {};
    const auto expected = results<L, float, Cuda>(grid);
    for (const std::uint64_t order : {1u, 2u, 3u}) {
      standin::settings().thread_order = order;
      standin::settings().blocks = order == 3 ? 3 : 0;
      standin::settings().threads = order == 3 ? 5 : 0;
      CHECK(results<L, float, Cuda>(grid) == expected);
    }
  });
}

TEST_CASE("a convolution whose patches do not fit at once") {
  const Clean clean;
  using Plain = Conv<3, 4, 2, 3, Reflecting>;
  using Strided = Conv<2, 5, 2, 3, Zero, 2>;
  const Grid<2> grid{{5, 6}}, even{{4, 6}};
  const auto plain = results<Plain, double, Cpu>(grid);
  CHECK(distance(results<InSmallParts<Plain>, double, Cuda>(grid), plain) < 1e-14);
  CHECK(distance(results<InTaps<Plain>, double, Cuda>(grid), plain) < 1e-14);
  CHECK(distance(results<InSmallParts<Strided>, double, Cuda>(even), results<Strided, double, Cpu>(even)) <
        1e-14);
  CHECK(distance(results<InTaps<Strided>, double, Cuda>(even), results<Strided, double, Cpu>(even)) < 1e-14);
}
