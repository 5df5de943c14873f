// test program: reference (its expressions take long to compile)
// The algebra is open: a U-Net, a ResNet, Euler–Maruyama steps and a modulated layer on a coarser grid are
// expressions, in one dimension and in two, and agree with PyTorch in values and in every gradient, in a
// plain pass and as they are trained.
#include <functional>
#include <numeric>
#include <utility>

#include "../reference/file.hpp"
#include "mno/expression/coarse.hpp"
#include "mno/expression/concat.hpp"
#include "mno/expression/oracle.hpp"
#include "mno/expression/product.hpp"
#include "mno/expression/repeat.hpp"
#include "mno/expression/sum.hpp"
#include "mno/layer/conv.hpp"
#include "mno/layer/factorised_spectral.hpp"
#include "mno/layer/film.hpp"
#include "mno/layer/group_norm.hpp"
#include "mno/layer/nearest.hpp"
#include "mno/layer/noise.hpp"
#include "mno/layer/pooling.hpp"
#include "mno/layer/scale.hpp"

using namespace mno;

namespace {

// [u-net]
template <int In, int Out, int D, class Edge, int Stride = 1>
using Block = decltype(Conv<In, Out, D, 3, Edge, Stride>{} >> GroupNorm<Out, Out / 2>{} >> Silu<Out>{});

template <int D, class Edge> constexpr auto u_net() {
  constexpr auto coarse = AveragePool<6, 2>{} >> Block<6, 6, D, Edge>{} >> Nearest<6, 2>{};
  constexpr auto middle = Block<2, 6, D, Edge, 2>{} >> concat(Identity<6>{}, coarse) >>
                          Block<12, 6, D, Edge>{} >> Nearest<6, 2>{};
  return Block<2, 2, D, Edge>{} >> concat(Identity<2>{}, middle) >> Block<8, 2, D, Edge>{} >>
         Conv<2, 1, D, 1>{};
}
// [u-net] end

// [res-net]
template <int D, class Edge, int Size> constexpr auto res_net() {
  constexpr auto layer =
      Conv<5, 5, D, Size, Edge>{} >> GroupNorm<5, 1>{} >> Gelu<5>{} >> Conv<5, 5, D, 3, Edge>{};
  return Conv<3, 5, D, 3, Edge>{} >> repeat<3>(skip(layer)) >> Pointwise<5, 2>{};
}
// [res-net] end

// [euler-maruyama]
struct Step {
  static constexpr double value = 0.125;
};
struct RootOfStep {
  static constexpr double value = 0.35355339059327376;
};

/// x + f(x) h + g(x) √h ξ, three times
template <int D, int Modes, int NoiseModes> constexpr auto euler_maruyama() {
  constexpr auto f = (SpectralConv<2, 2, D, Modes>{} + Pointwise<2, 2>{}) >> Gelu<2>{} >> Pointwise<2, 2>{};
  constexpr auto g = Conv<2, 2, D, 3>{} >> Tanh<2>{};
  return tied<3>(skip((f >> Scale<2, Step>{}) + g * Noise<2, 2, D, NoiseModes, RootOfStep>{}));
}
// [euler-maruyama] end

/// v = (1 + a) u + b of three convolutions u, a, b;  v + tanh(R v on every second point)
template <int D> constexpr auto modulated() {
  constexpr auto part = Conv<2, 3, D, 3, Zero>{};
  constexpr auto layer = FactorisedSpectralConv<3, 3, D, 3>{} >> Tanh<3>{};
  return concat(part, part, part) >> Film<3>{} >> skip(coarse<2>(layer));
}

using reference::File, reference::Worst;

/// The largest errors of values and gradients.
struct Errors {
  Worst value, slope;
};

/// How a training step cuts its batch.
struct Blocks {
  Index samples, last_part;
};

template <class T> constexpr double most = std::is_same_v<T, double> ? 1e-11 : 1e-4;

template <int D, class T>
void compare_in(ProbeData<D, T>& probe, const std::function<double(const Blocks&)>& pull_back_in_blocks,
                const std::vector<NamedLeaf>& leaves, const Field<T, D>& x, const Field<T, D>& y_bar,
                const File& file, Errors& errors) {
  REQUIRE(probe.ybar.grid() == y_bar.grid());
  probe.x = x;
  probe.ybar = y_bar;
  if (file.has("seed")) probe.noise_seed = std::uint64_t(file["seed"].values.front());
  for (const NamedLeaf& leaf : leaves) {
    const auto from = file.values<T>("parameter/" + leaf.name);
    REQUIRE_MESSAGE(file["parameter/" + leaf.name].shape == leaf.shape, leaf.name);
    std::copy(from.begin(), from.end(), probe.w.begin() + Index(leaf.offset));
  }
  REQUIRE(file.count("parameter/") == leaves.size());

  const auto compare_gradients = [&] {
    for (const auto& [name, values, bar] : probe.variables())
      if (name != "u_0" && name != "t")
        errors.slope.compare<T>(file, "gradient/" + name, std::span<const T>(bar), most<T>);
  };
  const Field<T, D> value = probe.forward();
  errors.value.compare<T>(file, "y", value.span(), most<T>);
  probe.pull_back();
  compare_gradients();

  const auto& y = file["y"].values;
  const double loss = std::inner_product(y.begin(), y.end(), file["y_bar"].values.begin(), 0.0);
  for (const Blocks& blocks : {Blocks{1, 1}, {2, 1}, {3, 2}}) {
    INFO("in blocks of " << blocks.samples << ", " << blocks.last_part << " at the end");
    CHECK(pull_back_in_blocks(blocks) == doctest::Approx(loss).epsilon(most<T>));
    compare_gradients();
  }
}
template <int D, class T, class E> void compare_in(E, const File& file, Errors& errors) {
  Domain<D> domain;
  std::copy_n(file["length"].values.begin(), D, domain.length.begin());
  const Field<T, D> x = file.field<T, D>("x", domain), y_bar = file.field<T, D>("y_bar", domain);
  Probe<E, D, T> probe(x.grid(), x.batch(), 1, 0);
  const auto in_blocks = [&](const Blocks& blocks) {
    return probe.pull_back_in_blocks(blocks.samples, blocks.last_part);
  };
  compare_in<D, T>(probe, in_blocks, named_leaves<E>(), x, y_bar, file, errors);
}

template <int D, class E> void compare(E expression, const std::string& name) {
  const File file(name);
  Errors in_double, in_float;
  compare_in<D, double>(expression, file, in_double);
  compare_in<D, float>(expression, file, in_float);
  MESSAGE(name << ": largest relative errors of values and gradients: double " << in_double.value.error
               << ", " << in_double.slope.error << " (" << in_double.slope.where << "); float "
               << in_float.value.error << ", " << in_float.slope.error << " (" << in_float.slope.where
               << ")");
}

}  // namespace

TEST_CASE("U-Nets agree with PyTorch: three scales, circular and zero edges") {
  compare<1>(u_net<1, Circular>(), "1d_u_net_circular");
  compare<1>(u_net<1, Zero>(), "1d_u_net_zero");
  compare<2>(u_net<2, Circular>(), "2d_u_net_circular");
  compare<2>(u_net<2, Zero>(), "2d_u_net_zero");
}

TEST_CASE("ResNets agree with PyTorch: circular, zero and reflecting edges") {
  compare<1>(res_net<1, Circular, 5>(), "1d_res_net_circular");
  compare<1>(res_net<1, Reflecting, 5>(), "1d_res_net_reflecting");
  compare<2>(res_net<2, Zero, 3>(), "2d_res_net_zero");
  compare<2>(res_net<2, Reflecting, 3>(), "2d_res_net_reflecting");
}

TEST_CASE("tied Euler–Maruyama steps agree with PyTorch, and their noise with another Philox") {
  compare<1>(euler_maruyama<1, 3, 4>(), "1d_euler_maruyama");
  compare<1>(euler_maruyama<1, 5, 6>(), "1d_euler_maruyama_coarse");
  compare<2>(euler_maruyama<2, 3, 3>(), "2d_euler_maruyama");
}

TEST_CASE("modulation and a factorised Fourier layer on a coarser grid agree with PyTorch") {
  compare<1>(modulated<1>(), "1d_modulated");
  compare<2>(modulated<2>(), "2d_modulated");
}
