// Any loss can be trained: a term, a sum, a function with a name and numbers, one without; draws too. A loss
// says all of its numbers, and whoever listens is told of every step.
#include <doctest/doctest.h>
#include <unistd.h>

#include <filesystem>

#include "device.hpp"
#include "line.hpp"
#include "mno/law/sample.hpp"
#include "mno/layer/noise.hpp"
#include "mno/loss/fair_crps.hpp"
#include "mno/loss/fair_energy_score.hpp"
#include "mno/metric/energy_score.hpp"
#include "mno/metric/scorecard.hpp"
#include "mno/train/checkpoint.hpp"

using namespace mno;

namespace {

using mno_test::Line;
using M = Mno<Line, float>;

/// u_t = u_0 plus a wave of random amplitude and phase, of deviation .5 everywhere: `members` of it are kept.
Ensemble<float, 1> data(Index conditions, Index members, std::uint64_t seed) {
  const Grid<1> grid{{16}};
  const std::vector<Index> counts(std::size_t(conditions), members);
  auto result = make_ensemble<float, 1>(std::span<const Index>(counts), grid, 1,
                                        {.factors = members > 1 ? 2 : 0, .members = true});
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
      for (Index p = 0; p < 16; ++p) u(m, p, 0) = float(wave(double(p) / 16, c, s));
    }
    set_condition<float, 1>(result, i, initial.view(), 1.0f, i, std::as_const(u).view());
  }
  return result;
}
TrainingOptions short_run(Index epochs = 3) {
  TrainingOptions options;
  options.epochs = epochs;
  options.batch = 8;
  options.adamw.learning_rate = 1e-2;
  return options;
}

/// |u − m| averaged over entries, smooth at 0: as a term of one entry, and as a function.
struct Absolute {
  static constexpr const char* name = "absolute";
  double weight = 1;
  double width = 0.1;
  MNO_HOST_DEVICE EntryTerm at(double m, double, const EntryTarget& e) const {
    const double d = m - e.mean, root = std::sqrt(d * d + width * width);
    return {root, d / root, 0};
  }
};
template <class T> auto absolute(double width) {
  return [width](const LawBlock<T, 1>& law, const Target<T, 1>& target, double scale) {
    double total = 0;
    const double share = scale / double(law.mean.points());
    for (Index b = 0; b < law.mean.batch; ++b)
      for (Index x = 0; x < law.mean.points(); ++x) {
        const auto at = Absolute{.width = width}.at(double(law.mean(b, x, 0)), 0,
                                                    {double(target.mean(law.first + b, x, 0)), 0, 1});
        total += share * at.value;
        law.mean_bar(b, x, 0) += T(share * at.mean_bar);
      }
    return total;
  };
}

/// f(text) for a loss with each of its numbers changed, one at a time.
template <class L, class Terms, class F> int for_each_change(const L& loss, Terms terms, F&& f) {
  int changes = 0;
  const auto change = [&](std::size_t number) {
    L other = loss;
    std::size_t place = 0;
    bool changed = false;
    const auto look = [&](const auto& value) {
      if (place++ != number) return;
      auto& writable = const_cast<std::remove_cvref_t<decltype(value)>&>(value);  // `other` is not const
      if constexpr (std::is_same_v<std::remove_cvref_t<decltype(value)>, bool>)
        writable = !writable;
      else
        writable += 1;
      changed = true;
    };
    std::apply([&](auto&... term) { (detail::for_each_number(term, look), ...); }, terms(other));
    if (changed) f(other);
    changes += changed;
    return changed;
  };
  for (std::size_t number = 0; change(number); ++number) {
  }
  return changes;
}
Recipe all_terms() {
  Recipe recipe;
  std::apply([](auto&... term) { ((term.weight = 0.5), ...); }, recipe.terms());
  return recipe;
}
const auto terms_of_recipe = [](Recipe& r) { return r.terms(); };

/// The mean energy score of draws of all conditions.
double energy_score(const Field<float, 1>& draws, Index each, const Ensemble<float, 1>& data) {
  metric::EnergyScore score(data.grid());
  for (Index i = 0; i < data.size(); ++i)
    score.add(metric::members(draws.view(), i, each), metric::members(data.members_of(i)));
  return score.value();
}

}  // namespace

TEST_CASE(
    "a term, a sum of terms, a function with a name, a function without: the same loss is the same run") {
  const auto train = data(16, 4, 1);
  const auto run = [&](const auto& loss, auto& device) {
    M model(1);
    Trainer trainer(model, train, nullptr, loss, short_run(), device);
    std::vector<double> losses;
    while (!trainer.finished()) losses.push_back(trainer.run_epoch().loss);
    CHECK(losses.back() < losses.front());
    return losses;
  };
  const auto term = run(Absolute{.width = 0.2}, test::device());
  const auto sum = run(Loss{Absolute{.weight = 0.25, .width = 0.2}, Absolute{.weight = 0.75, .width = 0.2}},
                       test::device());
  for (std::size_t i = 0; i < term.size(); ++i) CHECK(sum[i] == doctest::Approx(term[i]).epsilon(1e-4));
#ifndef MNO_TEST_CUDA  // where functions do not run
  const auto named = run(own_term("absolute", absolute<float>(0.2), {0.2}), test::device());
  const auto nameless = run(absolute<float>(0.2), test::device());
  for (std::size_t i = 0; i < term.size(); ++i) CHECK(named[i] == doctest::Approx(term[i]).epsilon(1e-5));
  CHECK(nameless == named);
#endif
}

TEST_CASE("the text of a loss changes with every number of every term") {
  const Recipe recipe = all_terms();
  std::vector<std::string> seen{recipe.text()};
  const int numbers = for_each_change(recipe, terms_of_recipe, [&](const Recipe& other) {
    CAPTURE(other.text());
    CHECK(std::ranges::find(seen, other.text()) == seen.end());
    seen.push_back(other.text());
  });
  CHECK(numbers > int(Recipe::size) + 15);  // weights, and ν, β, floors, probes …
  Recipe later = recipe;
  later.warmup_epochs = 1;
  CHECK(later.text() != recipe.text());
  later = recipe;
  later.ramp_epochs = 1;
  CHECK(later.text() != recipe.text());

  const Loss draws{OnDraws{4, FairEnergyScore{}, FairCrps{}}, Absolute{}};
  std::vector<std::string> texts{draws.text()};
  using Draws = OnDraws<FairEnergyScore, FairCrps>;
  const auto add = [&](const Draws& term) { texts.push_back(Loss{term, Absolute{}}.text()); };
  const Draws term = std::get<0>(draws.terms());
  for_each_change(
      term, [](Draws& t) { return std::tie(std::get<0>(t.terms), std::get<1>(t.terms)); }, add);
  Draws other = term;
  other.weight = 2, add(other), other = term;
  other.seed = 2, add(other), other = term;
  other.draws = 5, add(other);
  texts.push_back(Loss{term, Absolute{.width = 1}}.text());
  std::ranges::sort(texts);
  CHECK(texts.size() == 9);
  CHECK(std::ranges::adjacent_find(texts) == texts.end());

  const auto f = absolute<float>(0.2);
  CHECK(Loss(own_term("own", f, {0.2})).text() == "own(1, 0.2)");
  CHECK(Loss(own_term("own", f, {0.3})).text() != Loss(own_term("own", f, {0.2})).text());
}

TEST_CASE("a checkpoint of a run with another number in any term, or in the options, is refused") {
  const auto path = std::filesystem::temp_directory_path() / ("mno-any-loss-" + std::to_string(::getpid()));
  const auto train = data(8, 4, 1);
  M model(1);
  const Recipe recipe = all_terms();
  {
    Trainer trainer(model, train, nullptr, recipe, short_run(), test::device());
    write_checkpoint(path, model, Normaliser::identity(1), trainer);
  }
  const auto refused = [&](const auto& loss, const TrainingOptions& options) {
    try {
      Trainer trainer(model, train, nullptr, loss, options, test::device());
      read_checkpoint(path, model, trainer);
    } catch (const Error& error) {
      return std::string(error.what()).find("expected a run with ") != std::string::npos;
    }
    return false;
  };
  CHECK_FALSE(refused(recipe, short_run()));
  for_each_change(recipe, terms_of_recipe, [&](const Recipe& other) {
    CAPTURE(other.text());
    CHECK(refused(other, short_run()));
  });
  CHECK(refused(Loss{GaussianNll{}}, short_run()));
  const auto changed = [&](auto&& change) {
    TrainingOptions options = short_run();
    change(options);
    return refused(recipe, options);
  };
  CHECK(changed([](auto& o) { o.patience = 3; }));
  CHECK(changed([](auto& o) { o.validation_draws = 3; }));
  CHECK(changed([](auto& o) { o.epochs = 4; }));
  CHECK(changed([](auto& o) { o.seed = 4; }));
  CHECK(changed([](auto& o) { o.decay = Decay::none; }));
  CHECK(changed([](auto& o) { o.warmup_steps = 1; }));
  CHECK(changed([](auto& o) { o.clip = 1; }));
  CHECK(changed([](auto& o) { o.adamw.learning_rate = 1; }));
  CHECK(changed([](auto& o) { o.adamw.beta1 = 0.5; }));
  CHECK(changed([](auto& o) { o.adamw.beta2 = 0.5; }));
  CHECK(changed([](auto& o) { o.adamw.epsilon = 0.5; }));
  CHECK(changed([](auto& o) { o.adamw.weight_decay = 0.5; }));
  std::filesystem::remove(path);
  std::filesystem::remove(path.string() + ".previous");
}

TEST_CASE("whoever listens is told of every step, and may stop between two") {
  const auto train = data(20, 4, 1);
  M model(1);
  Trainer trainer(model, train, nullptr, Loss{GaussianNll{}, MeanError{.weight = 2}}, short_run(),
                  test::device());
  std::vector<StepReport> steps;
  std::vector<Index> seen;
  const auto listen = [&](const StepReport& step) {
    steps.push_back(step);
    seen.insert(seen.end(), step.conditions.begin(), step.conditions.end());
  };
  const EpochReport epoch = trainer.run_epoch(listen);
  REQUIRE(steps.size() == 3);  // 8 + 8 + 4
  double loss = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    CHECK(steps[i].epoch == 0);
    CHECK(steps[i].step == Index(i) + 1);
    CHECK(steps[i].terms.size() == 2);
    CHECK(steps[i].terms[0] + steps[i].terms[1] == doctest::Approx(steps[i].loss));
    CHECK(steps[i].gradient_norm > 0);
    loss += steps[i].loss * (i < 2 ? 8 : 4) / 20;
  }
  CHECK(steps[0].learning_rate > steps[2].learning_rate);
  CHECK(epoch.loss == doctest::Approx(loss));
  std::ranges::sort(seen);
  for (Index i = 0; i < 20; ++i) CHECK(seen[std::size_t(i)] == i);

  const EpochReport stopped = trainer.run_epoch([](const StepReport&) { return true; });
  CHECK_FALSE(stopped.finished);
  CHECK(trainer.epoch() == 1);
  int rest = 0;
  CHECK(trainer.run_epoch([&](const StepReport& step) { return step.step > 4 + ++rest && false; }).finished);
  CHECK(rest == 2);
  CHECK(trainer.epoch() == 2);
}

TEST_CASE(
    "the energy score goes down: an operator with noise inside, and a law, from one draw per condition") {
  const auto train = data(64, 1, 1), validation = data(32, 1, 2);
  // [draws]
  const OnDraws loss{4, FairEnergyScore{}, FairCrps{.weight = 0.1}};  // four draws of every condition
  // [draws] end
  auto options = short_run(12);
  options.adamw.learning_rate = 3e-2;
  options.batch = 16;

  // [noisy]
  constexpr auto noisy = (Lift<Line>{} + (Noise<2, 4, 1, 2>{} >> Pointwise<4, 8>{})) >>
                         FourierLayer<Line>{} >> DriftHead<Line>{};
  auto model = make_model<Line, float>(noisy, /*seed=*/4);
  // [noisy] end
  const auto score_of = [&] {
    auto condition = validation.condition();
    condition.draws = 16;
    return energy_score(predict(model, condition, test::device()), 16, validation);
  };
  const double before = score_of();
  auto& device = test::device();
  // [train]
  Trainer trainer(model, train, &validation, loss, options, device);
  while (!trainer.finished()) trainer.run_epoch();
  trainer.take_best();
  // [train] end
  const double after = score_of();
  const auto truth = data(32, 64, 2);  // of the same conditions, the validation's member among them
  // [visits]
  Condition<float, 1> condition = validation.condition();
  condition.draws = 64;                                  // visits of every condition,
  condition.noise = 7;                                   // and the name of their noise
  const auto draws = predict(model, condition, device);  // (condition·64 + draw, grid…, channel)
  const auto table = metric::scorecard(draws, 64, validation);
  // [visits] end
  CHECK(table.front().metric == "crps");
  double spread = 0;
  for (Index i = 0; i < 32; ++i)
    spread += metric::moments(metric::members(draws.view(), i, 64)).variance.mean() / 32;
  MESSAGE("noise inside: energy score ", before, " → ", after, ", of the truth ",
          energy_score(truth.members, 64, validation), "; variance ", spread, " for .25");
  CHECK(after < 0.7 * before);
  CHECK(spread > 0.1);  // noise is used
  CHECK(spread < 0.5);

  M law(1);
  const auto law_score = [&] {
    return energy_score(sample(predict(law, validation.condition(), test::device()), 16, 3), 16, validation);
  };
  const double law_before = law_score();
  // [law]
  Trainer of_law(law, train, &validation, Loss{loss, MeanSquaredError{.weight = 0.1}}, options, device);
  // [law] end
  while (!of_law.finished()) of_law.run_epoch();
  of_law.take_best();
  MESSAGE("a law: energy score ", law_before, " → ", law_score());
  CHECK(law_score() < 0.9 * law_before);
}
