// On a real GPU: the oracle of the layers that models are made of, and a training run, a law and draws beside
// the processor's. Larger tests of both devices are compiled for it too, in the preset gpu.
#include <doctest/doctest.h>

#include "device.hpp"
#include "mno/train/checkpoint.hpp"

using namespace mno;

namespace {

struct Line {
  static constexpr int dimension = 1, channels = 1, rank = 4, width = 8, modes = 5, depth = 2, projection = 8;
};

template <class T> double distance(std::span<const T> a, std::span<const T> b) {
  double difference = 0, size = 1e-300;
  for (std::size_t i = 0; i < a.size(); ++i) {
    difference += std::pow(double(a[i]) - double(b[i]), 2);
    size += std::pow(double(b[i]), 2);
  }
  return std::sqrt(difference / size);
}

Ensemble<float, 1> data(Index entries, std::uint64_t seed) {
  const Grid<1> grid{{32}};
  auto result = make_ensemble<float, 1>(entries, grid, 1, {.factors = 2});
  for (Index e = 0; e < entries; ++e) {
    Stream random(seed, std::uint64_t(e));
    Field<float, 1> initial(1, grid, 1), members(8, grid, 1);
    for (float& value : initial.span()) value = float(random.normal());
    for (float& value : members.span()) value = float(0.5 * random.normal());
    set_condition<float, 1>(result, e, std::as_const(initial).view(), 0.5f, e, std::as_const(members).view());
  }
  return result;
}

}  // namespace

TEST_CASE("the oracle on the device") {
  CHECK(check_gradients<MnoOperator<Line, PathDriftHead<Line>>, 1, Cuda>(Grid<1>{{10}}).largest() < 1e-6);
  CHECK(check_gradients<SpectralConv<2, 3, 2, 4>, 2, Cuda>(Grid<2>{{6, 8}}).largest() < 1e-6);
  CHECK(check_gradients<FactorisedSpectralConv<2, 3, 2, 4>, 2, Cuda>(Grid<2>{{6, 8}}).largest() < 1e-6);
  CHECK(check_gradients<Conv<2, 3, 2, 3, Reflecting, 2>, 2, Cuda>(Grid<2>{{6, 8}}).largest() < 1e-6);
  CHECK(check_gradients<GroupNorm<6, 2>, 2, Cuda>(Grid<2>{{6, 8}}).largest() < 1e-6);
}

TEST_CASE("training, prediction and draws are the processor's to rounding") {
  using M = PathMno<Line>;
  const auto train = data(24, 1);
  TrainingOptions options;
  options.epochs = 2;
  options.batch = 8;
  Recipe recipe = Recipe::decoupled();
  recipe.hilbert_schmidt.weight = 0.1;
  recipe.hutchinson.weight = 0.1;
  M here(1), there(1);
  Cpu cpu;
  Trainer a(here, train, nullptr, recipe, options, cpu);
  Trainer b(there, train, nullptr, recipe, options, test::device());
  while (!a.finished()) a.run_epoch();
  while (!b.finished()) b.run_epoch();
  CHECK(distance<float>(std::as_const(there).values(), std::as_const(here).values()) < 1e-3);
  const auto law = predict(here, train.initial, 0.5f, cpu),
             other = predict(here, train.initial, 0.5f, test::device());
  CHECK(distance<float>(other.mean.span(), law.mean.span()) < 1e-5);
  CHECK(distance<float>(other.factor.span(), law.factor.span()) < 1e-4);
  CHECK(distance<float>(sample(law, 10, 3, test::device()).span(), sample(law, 10, 3).span()) < 1e-5);
}
