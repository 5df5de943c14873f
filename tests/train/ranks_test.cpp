// Several ranks come to the same bits as one alone: gradients, training, scores, fit, and a run that goes on
// with another number of them. Here ranks are threads; tests/mpi has them as processes.
#include <doctest/doctest.h>

#include <map>

#include "io/scratch.hpp"
#include "mno/baseline/noise_fno.hpp"
#include "mno/train/fit.hpp"
#include "thread_ranks.hpp"

using namespace mno;
using test::ThreadRanks;

namespace {

struct Small {
  static constexpr int dimension = 1, channels = 1, rank = 2, width = 24, modes = 8, depth = 2,
                       projection = 8;
};
struct TwoBackbones : Small {
  static constexpr bool shared_backbone = false;
};
using Lawful = NuggetMno<Small>;
static_assert(Lawful::parameters > 4 * detail::parameter_chunk, "several ranks have a slice");
constexpr Index points = 256;  // blocks of four samples

Ensemble<float, 1> waves(Index conditions, Index members, std::uint64_t seed, Index on = points) {
  const Grid<1> grid{{on}};
  const std::vector<Index> counts(std::size_t(conditions), members);
  auto data = make_ensemble<float, 1>(std::span<const Index>(counts), grid, 1, {.members = true});
  for (Index i = 0; i < conditions; ++i) {
    Stream random(seed, std::uint64_t(i));
    Field<float, 1> initial(1, grid, 1), u(members, grid, 1);
    const double a = random.normal(), b = random.normal();
    const auto wave = [&](double x, double c, double s) {
      return c * std::cos(6.2831853 * x) + s * std::sin(6.2831853 * x);
    };
    initial.fill([&](auto x, Index) { return wave(x[0], a, b); });
    for (Index m = 0; m < members; ++m) {
      const double c = a + 0.5 * random.normal(), s = b + 0.5 * random.normal();
      for (Index p = 0; p < on; ++p) u(m, p, 0) = float(wave(double(p) / double(on), c, s));
    }
    set_condition<float, 1>(data, i, initial.view(), 0.5f + float(i % 3), i, std::as_const(u).view());
  }
  return data;
}

struct Team {
  Index ranks;
  int threads;
};
constexpr Team teams[] = {{1, 1}, {1, 2}, {1, 3}, {1, 7}, {1, 64}, {2, 1}, {3, 2}, {5, 1}, {8, 3}};

/// f(device) on every rank of every team; all that come back are the same bits as those of one alone.
template <class F> void same_for_all(F&& f) {
  std::vector<double> alone;
  for (const Team& team : teams) {
    std::vector<std::vector<double>> results(std::size_t(team.ranks));
    ThreadRanks(team.ranks).run([&](Communicator& ranks) {
      Cpu device(team.threads, ranks);
      results[std::size_t(ranks.rank())] = f(device);
    });
    if (alone.empty()) alone = results[0];
    for (const auto& result : results) {
      INFO("ranks " << team.ranks << ", threads " << team.threads);
      REQUIRE(result.size() == alone.size());
      std::size_t different = 0;
      for (std::size_t i = 0; i < result.size(); ++i) different += !detail::same_bits(result[i], alone[i]);
      CHECK(different == 0);
    }
  }
  REQUIRE(alone.size() > 1);
}
template <class M> void append(std::vector<double>& to, const M& model) {
  for (const auto w : model.values()) to.push_back(double(w));
}

/// Loss, terms and gradient of a batch.
template <class M, class L> auto gradient_of(const Ensemble<float, 1>& data, const L& loss) {
  return [&](Cpu& device) {
    const M model(3);
    M gradient = model.zeros();
    TermValues values;
    std::vector<double> all{
        value_and_gradient(model, data.condition(), loss.on(data.target(), values), gradient, device)};
    for (std::size_t term = 0; term < values.size(); ++term) all.push_back(values[term]);
    append(all, gradient);
    return all;
  };
}

FitOptions quick() {
  FitOptions options;
  options.training.epochs = 3;
  options.training.batch = 24;
  options.training.adamw.learning_rate = 5e-3;
  options.training.seed = 1;
  options.validation = 0.2;
  return options;
}

}  // namespace

TEST_CASE("loss, terms and gradient of a batch") {
  const auto data = waves(45, 16, 1);  // 12 shards
  same_for_all(gradient_of<Lawful>(data, Recipe::decoupled()));
  same_for_all(gradient_of<Mno<TwoBackbones>>(data, Recipe::paper()));
  same_for_all(gradient_of<NoiseFno<Small>>(data, as_loss(energy_loss(4))));  // noise inside, draws together
  const auto single = waves(3, 16, 2);                                        // fewer shards than ranks
  same_for_all(gradient_of<Lawful>(single, Recipe::decoupled()));
}

TEST_CASE("coefficients in several rounds, and a batch of more blocks than shards") {
  const auto data = waves(150, 2, 4, /*points=*/1024);  // blocks of one sample: 64 shards of two or three
  same_for_all([&](Cpu& device) {
    const Lawful model(3);
    Lawful gradient = model.zeros();
    const auto loss = Recipe::decoupled().on(data.target());
    detail::BlockLossOf<Lawful> any(loss);
    const Condition<float, 1> condition = data.condition();
    const detail::Refined<float, 1, Cpu> fine(condition, {}, 0, device);
    detail::ModelStep<Lawful, decltype(any), Cpu> step(model, condition, fine, any);
    detail::BlockSizes sizes = detail::block_sizes(1024, Index(Lawful::parameters));
    std::vector<double> all;
    for (const std::size_t bytes : {std::size_t(0), std::size_t{32} << 20}) {  // 8 shards at a time, or all
      sizes.most_bytes = bytes;
      all.push_back(detail::pull_back<Lawful::Expression, float, 1>(model.values(), step, gradient.values(),
                                                                    sizes, device));
      detail::gather_parameters(device.communicator(), gradient.values());
      const std::size_t before = all.size();
      append(all, gradient);
      if (before > 1)
        for (std::size_t i = 0; i < Lawful::parameters; ++i)
          CHECK(all[before + i] == all[1 + i]);  // rounds do not change a bit
    }
    return all;
  });
}

TEST_CASE("training with clipping, an average, symmetries and early stopping; scores") {
  const auto train = waves(50, 16, 1), validation = waves(11, 16, 2), draws = waves(11, 3, 3);
  TrainingOptions options = quick().training;
  options.epochs = 6;
  options.patience = 2;
  options.clip = 0.5;
  options.average = 0.9;
  options.symmetries = {.negative = true, .shifted = true};
  same_for_all([&](Cpu& device) {
    Lawful model(2);
    Trainer trainer(model, train, &validation, Recipe::decoupled(), options, device);
    std::vector<double> all;
    while (!trainer.finished()) {
      const EpochReport report = trainer.run_epoch();
      all.insert(all.end(), {report.loss, report.gradient_norm, report.validation->w2g,
                             report.validation->mean_rmse, report.validation->variance_rmse});
      all.insert(all.end(), report.terms.begin(), report.terms.end());
    }
    trainer.take_best();
    append(all, model);
    const Scores scores = score(model, draws, device, 16, AnyResidual::parse("student_t 5"));
    all.push_back(scores.crps);
    all.push_back(scores.residual_variance[0]);
    return all;
  });
}

TEST_CASE("fit: what it chooses, and where it arrives") {
  const auto data = waves(80, 3, 5, /*points=*/64);
  std::map<std::string, std::string> chosen;
  same_for_all([&](Cpu& device) {
    const auto [surrogate, report] = fit<Lawful>(data, quick(), device);
    std::vector<double> all{report.factor_scale, report.scores->crps, surrogate.shrinkage()};
    for (const double s : surrogate.normaliser().shift) all.push_back(s);
    for (const double s : surrogate.normaliser().scale) all.push_back(s);
    append(all, surrogate.model());
    if (device.communicator().rank() == 0)
      for (const FitChoice& choice : report.choices)
        CHECK(chosen.emplace(choice.what, choice.why).first->second == choice.why);
    return all;
  });
  CHECK(chosen.size() >= 2);
}

TEST_CASE("rank 0 interrupts and writes, and a run goes on with any number of ranks") {
  const auto data = waves(60, 16, 6);
  const Scratch folder;
  FitOptions options = quick();
  options.training.epochs = 5;  // ten steps, of which each part but the last makes two
  std::vector<float> undisturbed;
  {
    Cpu device(1);
    const auto whole = fit<Lawful>(data, Recipe::decoupled(), options, device);
    undisturbed.assign(whole.surrogate.model().values().begin(), whole.surrogate.model().values().end());
  }
  const Team parts[] = {{3, 1}, {1, 2}, {5, 1}, {2, 2}};
  options.checkpoint = folder / "run.checkpoint";
  Index told = 0, part = 0;
  for (const Team& team : parts) {
    const bool last = ++part == 4;
    Index steps = 0;
    ThreadRanks(team.ranks).run([&](Communicator& ranks) {
      FitOptions own = options;
      own.resume = part > 1;
      own.after_epoch = [&](const EpochReport&) {
        CHECK(ranks.rank() == 0);
        ++told;
      };
      own.interrupted = [&] {
        CHECK(ranks.rank() == 0);
        return !last && ++steps >= 2;
      };
      Cpu device(team.threads, ranks);
      const auto [surrogate, report] = fit<Lawful>(data, Recipe::decoupled(), own, device);
      CHECK(report.interrupted == !last);
      if (last)
        CHECK(std::ranges::equal(surrogate.model().values(), undisturbed,
                                 [](float a, float b) { return detail::same_bits(a, b); }));
    });
  }
  CHECK(told >= 4);
}

TEST_CASE("cotangents of a condition are not for several ranks") {
  const auto data = waves(8, 4, 1);
  ThreadRanks(2).run([&](Communicator& ranks) {
    Cpu device(1, ranks);
    const Lawful model(1);
    Lawful gradient = model.zeros();
    std::vector<float> times_bar(8);
    CHECK_THROWS_WITH_AS(value_and_gradient(model, data.condition(), Recipe::decoupled().on(data.target()),
                                            gradient, device, {.times = times_bar}),
                         doctest::Contains("none on a device of several ranks"), Error);
  });
}
