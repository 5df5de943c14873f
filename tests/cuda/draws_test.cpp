// Draws on a GPU's stand-in: from an operator with noise inside and from a law, the processor's numbers.
#include <doctest/doctest.h>

#include "mno/cuda.hpp"
#include "mno/layer/noise.hpp"
#include "support.hpp"

using namespace mno;
using standin::test::Clean;

namespace {

struct Small {
  static constexpr int dimension = 1, channels = 2, rank = 3, width = 6, modes = 3, depth = 2, projection = 6;
};
struct Plane {
  static constexpr int dimension = 2, channels = 1, rank = 2, width = 4, modes = 3, depth = 1, projection = 5;
};
template <class S> auto noisy_model() {
  constexpr int D = S::dimension, w = S::width;
  constexpr auto expression = (Lift<S>{} + Noise<input_channels<S>(), w, D, 2>{}) >> FourierLayer<S>{} >>
                              skip(Noise<w, w, D, S::modes>{}) >> DriftHead<S>{};
  return make_model<S, double>(expression, 4);
}

/// Conditions with four, one, two, four … members.
template <int D> Ensemble<double, D> data(Index conditions, const Grid<D>& grid, Index channels) {
  std::vector<Index> counts;
  for (Index i = 0; i < conditions; ++i) counts.push_back(std::array<Index, 3>{4, 1, 2}[std::size_t(i % 3)]);
  auto result = make_ensemble<double, D>(std::span<const Index>(counts), grid, channels);
  for (Index i = 0; i < conditions; ++i) {
    Stream random(3, std::uint64_t(i));
    Field<double, D> initial(1, grid, channels), members(counts[std::size_t(i)], grid, channels);
    for (double& value : initial.span()) value = random.normal();
    for (double& value : members.span()) value = 0.5 * random.normal();
    set_condition<double, D>(result, i, std::as_const(initial).view(), 0.2 + random.uniform(), i,
                             std::as_const(members).view());
  }
  return result;
}

double distance(std::span<const double> a, std::span<const double> b) {
  double difference = 0, size = 1e-300;
  for (std::size_t i = 0; i < a.size(); ++i) {
    difference += std::pow(a[i] - b[i], 2);
    size += b[i] * b[i];
  }
  return std::sqrt(difference / size);
}

template <class M, class L, int D>
void same_loss_and_gradient(M model, const Ensemble<double, D>& ensemble, const L& loss) {
  Stream random(5);
  for (double& value : model.values()) value += 0.1 * random.normal();
  M there = model.zeros(), here = model.zeros();
  TermValues there_values, here_values;
  auto target = ensemble.target();
  target.step = 17;
  auto condition = ensemble.condition();
  condition.noise = 12345;
  Cuda cuda;
  Cpu cpu(1);
  Field<double, D> there_bar(ensemble.size(), ensemble.grid(), ensemble.channels()), here_bar = there_bar;
  const double got = value_and_gradient(model, condition, loss.on(target, there_values), there, cuda,
                                        {.initial = there_bar.view()});
  const double expected = value_and_gradient(model, condition, loss.on(target, here_values), here, cpu,
                                             {.initial = here_bar.view()});
  CHECK(got == doctest::Approx(expected).epsilon(1e-12));
  for (std::size_t i = 0; i < L::size; ++i)
    CHECK(there_values[i] == doctest::Approx(here_values[i]).epsilon(1e-12));
  CHECK(distance(std::as_const(there).values(), std::as_const(here).values()) < 1e-12);
  CHECK(distance(there_bar.span(), here_bar.span()) < 1e-12);
}

const OnDraws energy{4, FairEnergyScore{.weight = 0.7}};
const OnDraws pointwise{4, FairCrps{}};
const OnDraws both{3, FairEnergyScore{}, FairCrps{.weight = 0.3}};

}  // namespace

TEST_CASE("draws of an operator with noise inside: the processor's loss and gradient") {
  const Clean clean;
  const auto line = data<1>(5, {{9}, {{2.0}}}, 2);
  const auto plane = data<2>(3, {{6, 5}}, 1);
  auto model = noisy_model<Small>();
  model = decltype(model)(4, line.grid().domain);
  for (const Index least : {0, 20}) {
    model.set_least_points(least);
    same_loss_and_gradient(model, line, Loss{energy});
    same_loss_and_gradient(model, line, Loss{pointwise});
    same_loss_and_gradient(model, line, Loss{both});
  }
  same_loss_and_gradient(noisy_model<Plane>(), plane, Loss{energy, pointwise});
}

TEST_CASE("draws from a law, with a nugget and without, beside other terms") {
  const Clean clean;
  const auto line = data<1>(5, {{9}}, 2);
  const auto plane = data<2>(3, {{6, 5}}, 1);
  same_loss_and_gradient(Mno<Small, double>(3), line, Loss{energy});
  same_loss_and_gradient(Mno<Small, double>(3), line, Loss{pointwise});
  same_loss_and_gradient(NuggetMno<Small, double>(3), line, Loss{both, MeanSquaredError{}});
  same_loss_and_gradient(Mno<Plane, double>(3), plane, Loss{both, Centring{.weight = 0.2}});
}

TEST_CASE("single draws that are kept as means alone") {
  const Clean clean;
  auto ensemble = data<1>(4, {{8}}, 2);
  ensemble.counts.assign(4, 1);
  ensemble.members = {};
  ensemble.offsets.clear();
  same_loss_and_gradient(noisy_model<Small>(), ensemble, Loss{both});
  same_loss_and_gradient(Mno<Small, double>(3), ensemble, Loss{both});
}

TEST_CASE("a prediction in several visits is the processor's, also in pieces") {
  const Clean clean;
  const auto ensemble = data<1>(5, {{8}}, 2);
  const auto model = noisy_model<Small>();
  auto condition = ensemble.condition();
  condition.noise = 9;
  condition.draws = 3;
  Cuda cuda;
  const auto here = predict(model, condition);
  CHECK(here.batch() == 15);
  CHECK(distance(predict(model, condition, cuda).span(), here.span()) < 1e-13);
  const Scores there = score(model, ensemble, cuda, 6), same = score(model, ensemble, default_device(), 6);
  CHECK(there.criterion() == doctest::Approx(same.criterion()).epsilon(1e-12));
}

TEST_CASE("training on draws is the processor's to rounding, and allocates nothing after the first epoch") {
  const Clean clean;
  const auto train = data<1>(10, {{8}}, 2), validation = data<1>(3, {{8}}, 2);
  TrainingOptions options;
  options.epochs = 3;
  options.batch = 4;
  const auto run = [&](auto model, const auto& loss, Index shards) {
    auto reference = model;
    Cpu cpu(1);
    Trainer here(reference, train, &validation, loss, options, cpu);
    while (!here.finished()) here.run_epoch();
    Cuda cuda({.shards = shards});  // noise belongs to a place in the batch, not in a shard
    Trainer there(model, train, &validation, loss, options, cuda);
    there.run_epoch();
    const auto allocations = standin::counts().allocations;
    while (!there.finished()) there.run_epoch();
    CHECK(standin::counts().allocations == allocations);
    CHECK(distance(std::as_const(model).values(), std::as_const(reference).values()) < 1e-9);
    CHECK(there.state().stopping.best == doctest::Approx(here.state().stopping.best).epsilon(1e-9));
  };
  for (const Index shards : {1, 3}) {
    run(noisy_model<Small>(), both, shards);
    run(PathMno<Small, double>(1), Loss{both, MeanSquaredError{.weight = 0.1}}, shards);
  }
}
