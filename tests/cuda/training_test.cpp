// Training on a GPU's stand-in: the same numbers as on the processor, the same bits for any number of ranks,
// and nothing lost when a call fails.
#include <doctest/doctest.h>

#include <filesystem>

#include "mno/cuda.hpp"
#include "mno/train/checkpoint.hpp"
#include "support.hpp"
#include "thread_ranks.hpp"
#ifdef MNO_STANDIN_NCCL
#include "mno/cuda/nccl.hpp"
#endif

using namespace mno;
using standin::test::Clean;

namespace {

struct Small {
  static constexpr int dimension = 1, channels = 2, rank = 3, width = 6, modes = 3, depth = 2, projection = 6;
};
struct Forced : Small {
  static constexpr int known = 1, harmonics = 2;
};
/// With parameters for several ranks: six chunks of the optimiser's.
struct Wide {
  static constexpr int dimension = 1, channels = 2, rank = 3, width = 24, modes = 8, depth = 2,
                       projection = 16;
};
struct Plane {
  static constexpr int dimension = 2, channels = 1, rank = 2, width = 4, modes = 3, depth = 1, projection = 5;
};

/// Ensembles without any meaning: what counts is that both devices see the same. Conditions have four
/// members, or four, five, two and so on.
template <class T, int D>
Ensemble<T, D> data(Index entries, const Grid<D>& grid, Index channels, std::uint64_t seed,
                    bool uneven = false) {
  std::vector<Index> counts(std::size_t(entries), Index(4));
  if (uneven)
    for (Index e = 0; e < entries; ++e)
      counts[std::size_t(e)] = Index(std::array{4, 5, 2}[std::size_t(e % 3)]);
  auto result =
      make_ensemble<T, D>(std::span<const Index>(counts), grid, channels, {.factors = 2, .members = true});
  for (Index e = 0; e < entries; ++e) {
    Stream random(seed, std::uint64_t(e));
    Field<T, D> initial(1, grid, channels), members(counts[std::size_t(e)], grid, channels);
    for (T& value : initial.span()) value = T(random.normal());
    for (T& value : members.span()) value = T(0.5 * random.normal());
    set_condition<T, D>(result, e, std::as_const(initial).view(), T(0.2 + random.uniform()), e,
                        std::as_const(members).view());
  }
  return result;
}

template <class T> double distance(std::span<const T> a, std::span<const T> b) {
  double difference = 0, size = 1e-300;
  for (std::size_t i = 0; i < a.size(); ++i) {
    difference += std::pow(double(a[i]) - double(b[i]), 2);
    size += std::pow(double(b[i]), 2);
  }
  return std::sqrt(difference / size);
}

TrainingOptions short_run() {
  TrainingOptions options;
  options.epochs = 3;
  options.batch = 4;
  options.average = 0.9;
  options.clip = 2;
  return options;
}

template <class M>
void same_loss_and_gradient(const Ensemble<typename M::Scalar, M::dimension>& ensemble, double tolerance,
                            Index least_points = 0) {
  using T = typename M::Scalar;
  M model(3, ensemble.grid().domain);
  model.set_factor_scale(T(0.7));
  model.set_least_points(least_points);
  Stream random(5);
  for (T& value : model.values()) value += T(0.1 * random.normal());
  Cuda cuda;
  Cpu cpu(1);
  Recipe all;
  std::apply([](auto&... term) { ((term.weight = 0.5), ...); }, all.terms());
  std::vector<Recipe> recipes{all};
  for (const char* name : Recipe::names()) {
    recipes.emplace_back();
    recipes.back().weight(name) = 1;
  }
  for (Recipe& recipe : recipes) {
    recipe.exact_nll.floor = 1e-3;
    recipe.chapman_kolmogorov.weight = 0;  // it has no version for a GPU, and says so
  }
  recipes.push_back(recipes[0]);
  recipes.back().exact_nll = {.weight = 1, .floor = 1e-3, .decoupled = true};
  for (const Recipe& recipe : recipes) {
    M a = model.zeros(), b = model.zeros();
    TermValues a_values, b_values;
    auto target = ensemble.target();
    target.step = 17;
    const double got = value_and_gradient(model, ensemble.condition(), recipe.on(target, a_values), a, cuda);
    const double expected =
        value_and_gradient(model, ensemble.condition(), recipe.on(target, b_values), b, cpu);
    for (std::size_t i = 0; i < Recipe::size; ++i) {
      CAPTURE(std::string(Recipe::names()[i]));
      CHECK(a_values[i] == doctest::Approx(b_values[i]).epsilon(tolerance));
    }
    CHECK(got == doctest::Approx(expected).epsilon(tolerance));
    CHECK(distance<T>(std::as_const(a).values(), std::as_const(b).values()) < 10 * tolerance);
  }
}

}  // namespace

TEST_CASE("every term of the loss has the processor's value and gradient") {
  const Clean clean;
  same_loss_and_gradient<Mno<Small, double>>(data<double, 1>(5, {{9}, {{2.0}}}, 2, 1), 1e-12);
  same_loss_and_gradient<Mno<Small, float>>(data<float, 1>(5, {{8}}, 2, 1), 2e-5);
  same_loss_and_gradient<Mno<Plane, double>>(data<double, 2>(3, {{6, 5}}, 1, 1), 1e-12);
  same_loss_and_gradient<NuggetMno<Small, double>>(data<double, 1>(5, {{9}, {{2.0}}}, 2, 1), 1e-12);
  same_loss_and_gradient<PathMno<Small, double>>(data<double, 1>(3, {{8}}, 2, 1), 1e-12,
                                                 20);  // on a finer grid
  const Domain<1> walls{{2.0}, {true}};
  same_loss_and_gradient<PathMno<Small, double>>(data<double, 1>(3, {{8}, walls}, 2, 1), 1e-12);
  same_loss_and_gradient<PathMno<Small, double>>(data<double, 1>(3, {{6}, walls}, 2, 1), 1e-12, 12);
  same_loss_and_gradient<Mno<Plane, double>>(data<double, 2>(3, {{6, 5}, {{1, 1}, {true, false}}}, 1, 1),
                                             1e-12);
  same_loss_and_gradient<Mno<Small, double>>(data<double, 1>(5, {{9}, {{2.0}}}, 2, 1, /*uneven=*/true),
                                             1e-12);
}

TEST_CASE("known fields, stored or given, and coordinates") {
  const Clean clean;
  auto ensemble = data<double, 1>(3, {{8}}, 2, 1);
  ensemble.known = Field<double, 1>(3, ensemble.grid(), 1);
  Stream random(8);
  for (double& value : ensemble.known.span()) value = random.normal();
  same_loss_and_gradient<Mno<Forced, double>>(ensemble, 1e-12);
  Mno<Forced, double> model(3);
  Field<double, 1> coarse(1, {{6}}, 1);
  coarse.fill([](auto x, Index) { return std::cos(6.283185307179586 * x[0]); });
  model.store_known_fields(coarse);
  Cuda cuda;
  const auto law = predict(model, ensemble.initial, 0.3, cuda), same = predict(model, ensemble.initial, 0.3);
  CHECK(distance<double>(law.mean.span(), same.mean.span()) < 1e-13);
  CHECK(distance<double>(law.factor.span(), same.factor.span()) < 1e-13);
}

TEST_CASE("between walls, with known fields that the model brings: prediction and training") {
  const Clean clean;
  const Domain<1> walls{{2.0}, {true}};
  const auto train = data<double, 1>(6, {{8}, walls}, 2, 1);
  Field<double, 1> coarse(1, {{4}, walls}, 1);
  coarse.fill([](auto x, Index) { return std::cos(2 * x[0]); });
  Mno<Forced, double> there(3, walls);
  there.store_known_fields(coarse);
  there.set_input_units({{0.2, -0.1}, {2.0, 0.7}});
  Mno<Forced, double> here = there;
  Cuda cuda;
  Cpu cpu(1);
  const auto law = predict(there, train.initial, 0.3, cuda), same = predict(here, train.initial, 0.3, cpu);
  CHECK(distance<double>(law.mean.span(), same.mean.span()) < 1e-12);
  CHECK(distance<double>(law.factor.span(), same.factor.span()) < 1e-12);
  Trainer a(there, train, nullptr, Recipe::decoupled(), short_run(), cuda);
  Trainer b(here, train, nullptr, Recipe::decoupled(), short_run(), cpu);
  a.run_epoch();
  b.run_epoch();
  CHECK(distance<double>(std::as_const(there).values(), std::as_const(here).values()) < 1e-9);
}

TEST_CASE("a training run is the processor's to rounding, also from the other's checkpoint") {
  const Clean clean;
  const auto train = data<double, 1>(10, {{8}}, 2, 1, /*uneven=*/true),
             validation = data<double, 1>(3, {{8}}, 2, 2);
  using M = PathMno<Wide, double>;
  const auto options = short_run();
  Recipe recipe = Recipe::decoupled();
  recipe.crps.weight = 0.3;  // a term of members
  const auto path =
      std::filesystem::temp_directory_path() / ("mno-cuda-" + std::to_string(::getpid()) + ".safetensors");
  Cpu cpu(1);
  M reference(1);
  Trainer whole(reference, train, &validation, recipe, options, cpu);
  while (!whole.finished()) whole.run_epoch();

  M model(1);
  Cuda cuda;
  Trainer trainer(model, train, &validation, recipe, options, cuda);
  const auto report = trainer.run_epoch();
  CHECK(report.finished);
  write_checkpoint(path, model, Normaliser::identity(2), trainer);
  while (!trainer.finished()) trainer.run_epoch();
  CHECK(distance<double>(std::as_const(model).values(), std::as_const(reference).values()) < 1e-9);
  CHECK(distance<double>(trainer.state().average.span(), whole.state().average.span()) < 1e-9);
  CHECK(trainer.state().stopping.best == doctest::Approx(whole.state().stopping.best).epsilon(1e-9));

  M moved(77);  // begun there, ended here
  Trainer here(moved, train, &validation, recipe, options, cpu);
  read_checkpoint(path, moved, here);
  while (!here.finished()) here.run_epoch();
  CHECK(distance<double>(std::as_const(moved).values(), std::as_const(reference).values()) < 1e-9);
  M back(78);  // and goes on there as if nothing had been
  Trainer there(back, train, &validation, recipe, options, cuda);
  read_checkpoint(path, back, there);
  while (!there.finished()) there.run_epoch();
  CHECK(std::ranges::equal(std::as_const(back).values(), std::as_const(model).values()));
  std::filesystem::remove(path);
  std::filesystem::remove(path.string() + ".previous");
}

TEST_CASE("a step allocates nothing after the first") {
  const Clean clean;
  const auto train = data<float, 1>(12, {{16}}, 2, 1, /*uneven=*/true);
  PathMno<Small> model(1);
  Cuda cuda;
  Trainer<PathMno<Small>, Recipe, Cuda> trainer(model, train, nullptr, Recipe::decoupled(), short_run(),
                                                cuda);
  trainer.run_epoch();
  const auto allocations = standin::counts().allocations;
  trainer.run_epoch();
  CHECK(standin::counts().allocations == allocations);
}

TEST_CASE("whichever call fails, training ends in a sentence, keeps its state, and goes on") {
  const Clean clean;
  const auto train = data<float, 1>(8, {{8}}, 2, 1);
  using M = PathMno<Small>;
  auto options = short_run();
  options.epochs = 1;
  M reference(1);
  {
    Cuda cuda;
    Trainer<M, Recipe, Cuda> trainer(reference, train, nullptr, Recipe::decoupled(), options, cuda);
    trainer.run_epoch();
  }
  const auto held = standin::usage();
  const M start(1);
  for (const bool allocations : {false, true}) {
    int failures = 0;
    for (std::uint64_t n = 1;; ++n) {
      M model(1);
      bool done = false;
      {
        Cuda cuda;  // its own calls are another test's
        std::unique_ptr<Trainer<M, Recipe, Cuda>> trainer;
        allocations ? standin::fail_allocation(n) : standin::fail_call(n);
        try {
          trainer = std::make_unique<Trainer<M, Recipe, Cuda>>(model, train, nullptr, Recipe::decoupled(),
                                                               options, cuda);
          trainer->run_epoch();
          done = true;
        } catch (const CudaError& error) {
          ++failures;
          CHECK(std::string(error.what()).find("mno::Cuda: ") == 0);
        }
        const bool pending = standin::failure_pending();
        CAPTURE(n);
        if (!done && trainer) {  // the weights are those of a whole step, and the run can go on
          for (const float value : std::as_const(model).values()) CHECK(std::isfinite(value));
          while (!trainer->finished()) trainer->run_epoch();
          CHECK(std::ranges::equal(std::as_const(model).values(), std::as_const(reference).values()));
        }
        if (pending)
          done = true;
        else if (done)
          FAIL_CHECK("call " << n << " failed and nobody said so");
      }
      CHECK(standin::usage() == held);
      if (done) break;
    }
    CHECK(failures > (allocations ? 5 : 100));
    MESSAGE(std::string(allocations ? "allocations: " : "calls: ") << failures << " failures");
    for (const auto& violation : standin::violations()) FAIL_CHECK(violation);
    standin::reset();
  }
}

TEST_CASE("data that does not fit the model is refused before anything is trained") {
  const Clean clean;
  Cuda cuda;
  PathMno<Small> model(1);  // on a domain of length 1
  const auto longer = data<float, 1>(4, {{8}, {{2.0}}}, 2, 1);
  CHECK_THROWS_WITH_AS(
      (Trainer<PathMno<Small>, Recipe, Cuda>(model, longer, nullptr, Recipe::decoupled(), short_run(), cuda)),
      "mno::Trainer: argument 'initial': expected a domain of length 1 on axis 0, as the model has, got 2.",
      Error);
  auto broken = data<float, 1>(4, {{8}}, 2, 1);
  broken.mean(1, 2, 0) = std::numeric_limits<float>::quiet_NaN();
  CHECK_THROWS_AS(
      (Trainer<PathMno<Small>, Recipe, Cuda>(model, broken, nullptr, Recipe::decoupled(), short_run(), cuda)),
      Error);
}

TEST_CASE("whichever call fails, a prediction ends in a sentence and nothing is left queued") {
  const Clean clean;
  const PathMno<Small> model(1);
  const auto ensemble = data<float, 1>(3, {{8}}, 2, 1);
  const auto expected = predict(model, ensemble.initial, 0.5f);
  Cuda cuda;
  int failures = 0;
  for (std::uint64_t n = 1;; ++n) {
    standin::fail_call(n);
    try {
      const auto law = predict(model, ensemble.initial, 0.5f, cuda);
      CHECK(distance<float>(law.factor.span(), expected.factor.span()) < 1e-5);
    } catch (const CudaError& error) {
      ++failures;
      CHECK(std::string(error.what()).find("mno::Cuda: ") == 0);
      CHECK(standin::queued() == 0);
    }
    if (standin::failure_pending()) break;
  }
  CHECK(failures > 20);
}

namespace {

/// A training run over ranks, all that it depends on and all that came of it.
struct Run {
  std::vector<double> weights, first, second, average, best;
  std::vector<double> steps;  // loss, norm and terms of every step, and the criterion of every epoch
  bool operator==(const Run&) const = default;
};
using Wider = PathMno<Wide, double>;
using WideTrainer = Trainer<Wider, Recipe, Cuda>;

/// Twelve conditions in batches of nine and three: shards are uneven, and five ranks have none for the last.
struct Work {
  Ensemble<double, 1> train = data<double, 1>(12, {{16}}, 2, 1, /*uneven=*/true),
                      validation = data<double, 1>(3, {{16}}, 2, 2);
  TrainingOptions options = short_run();
  Recipe recipe = Recipe::decoupled();
  Index shards = 6;

  Work() {
    options.epochs = 2;
    options.batch = 9;
    recipe.warmup_epochs = recipe.ramp_epochs = 0;
    recipe.crps.weight = 0.3;             // a term of members
    recipe.hutchinson.weight = 0.1;       // of random numbers, by the place in the batch
    recipe.hilbert_schmidt.weight = 0.1;  // of factors
  }
  Run run(Cuda& cuda, Index epochs, const Run* from = nullptr, const TrainingState<Wider>* state = nullptr,
          TrainingState<Wider>* left = nullptr) const {
    Wider model(1);
    WideTrainer trainer(model, train, &validation, recipe, options, cuda);
    Run result;
    if (from) {
      std::ranges::copy(from->weights, model.values().begin());
      trainer.resume(*state);
      result.steps = from->steps;
    }
    const auto note = [&](const StepReport& report) {
      result.steps.insert(result.steps.end(), {report.loss, report.gradient_norm});
      result.steps.insert(result.steps.end(), report.terms.begin(), report.terms.end());
    };
    while (trainer.epoch() < epochs) result.steps.push_back(trainer.run_epoch(note).validation->criterion());
    auto end = trainer.state();
    const auto copy = [](std::span<const double> values) {
      return std::vector<double>(values.begin(), values.end());
    };
    result.weights = copy(std::as_const(model).values());
    result.first = copy(end.adamw.first.span());
    result.second = copy(end.adamw.second.span());
    result.average = copy(end.average.span());
    result.best = copy(end.best.span());
    if (left) *left = std::move(end);
    return result;
  }
  /// body(device) on so many ranks, through the host or by NCCL.
  template <class Body> void on_ranks(Index size, bool by_nccl, Body&& body) const {
    test::ThreadRanks(size).run([&](Communicator& ranks) {
      [[maybe_unused]] const int gpu = 0;  // they share the stand-in's
      if (!by_nccl) {
        Cuda device({.shards = shards}, ranks);
        return body(device);
      }
#ifdef MNO_STANDIN_NCCL
      // [nccl]
      mno::NcclWorld nccl(ranks, gpu);  // ranks: a Communicator, such as mno::MpiWorld
      mno::Cuda device({.device = gpu, .shards = shards}, nccl);
      // [nccl] end
      body(device);
#endif
    });
  }
};
#ifdef MNO_STANDIN_NCCL
constexpr bool both_ways[] = {false, true};
#else
constexpr bool both_ways[] = {false};
#endif

}  // namespace

TEST_CASE("weights, moments, losses, norms, scores and averages have the same bits for any number of ranks") {
  const Clean clean;
  const auto held = standin::usage();
  const Work work;
  static_assert(Wider::parameters > 5 * detail::parameter_chunk);
  Run expected;
  {
    Cuda alone({.shards = work.shards});
    expected = work.run(alone, 1);
    Cpu cpu(1);  // the processor's, to rounding
    Wider model(1);
    Trainer trainer(model, work.train, &work.validation, work.recipe, work.options, cpu);
    std::vector<double> first;
    trainer.run_epoch([&](const StepReport& report) {
      if (!first.empty()) return;
      first = {report.loss, report.gradient_norm};
      first.insert(first.end(), report.terms.begin(), report.terms.end());
    });
    for (std::size_t i = 0; i < first.size(); ++i)
      CHECK(expected.steps[i] == doctest::Approx(first[i]).epsilon(1e-12));
    CHECK(distance<double>(expected.weights, std::as_const(model).values()) < 1e-9);
    Cuda whole;  // one shard
    Work one = work;
    one.shards = 1;
    const Run same = one.run(whole, 1);
    CHECK(distance<double>(expected.weights, same.weights) < 1e-9);
    CHECK_FALSE(same == expected);  // shards are what bits depend on
  }
  for (const bool nccl : both_ways)
    for (const Index size : {1, 2, 3, 5}) {
      CAPTURE(nccl);
      CAPTURE(size);
      std::vector<Run> got(std::size_t(size), Run{});
      work.on_ranks(size, nccl,
                    [&](Cuda& cuda) { got[std::size_t(cuda.communicator().rank())] = work.run(cuda, 1); });
      for (const Run& run : got) CHECK((run == expected));
    }
  CHECK(standin::usage() == held);
}

TEST_CASE("a run goes on with another number of ranks, bit for bit") {
  const Clean clean;
  const Work work;
  Cuda alone({.shards = work.shards});
  const Run expected = work.run(alone, 2);
  Run half;
  TrainingState<Wider> state;
  work.on_ranks(3, both_ways[std::size(both_ways) - 1], [&](Cuda& cuda) {
    TrainingState<Wider> left;
    const Run mine = work.run(cuda, 1, nullptr, nullptr, &left);
    if (cuda.communicator().rank() != 1) return;  // all have the whole
    half = mine;
    state = std::move(left);
  });
  std::vector<Run> got(2, Run{});
  work.on_ranks(2, false, [&](Cuda& cuda) {
    got[std::size_t(cuda.communicator().rank())] = work.run(cuda, 2, &half, &state);
  });
  CHECK((got[0] == expected));
  CHECK((got[1] == expected));
}

TEST_CASE("there is a shard for every rank, and ranks are no more than shards can be") {
  const Clean clean;
  test::ThreadRanks(3).run([&](Communicator& ranks) {
    CHECK_THROWS_WITH_AS(Cuda({.shards = 2}, ranks),
                         "mno::Cuda: argument 'shards': expected at most 64, and one for each of the 3 "
                         "rank(s) at least, got 2.",
                         Error);
    CHECK(Cuda({}, ranks).options().shards == 8);
  });
  CHECK(Cuda().options().shards == 1);
  CHECK_THROWS_AS(Cuda({.shards = 65}), Error);
}
