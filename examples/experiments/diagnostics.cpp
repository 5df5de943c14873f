// The paper's structural diagnostics I to V, each as a table.
//
//   I    residuals of a Brownian field: centred at all times, a variance that grows like t, increments that
//        do not depend on the past; with t statistics over conditions
//   II   the mirror: fractional Brownian motion by a model of single times that is reused step by step, which
//        makes it Brownian, by a model of paths (mno/data/paths.hpp), which does not, and by reuse of a model
//        that sees a window of frames (mno/data/trajectories.hpp), which remembers what it has seen
//   III  trained on 64 points, variances on finer grids, beside operators with noise inside
//   IV   drift alone, noise alone, both: energies of the two heads
//   V    what noise is and what the models do not know, by an ensemble of five (mno/law/mixture.hpp), on the
//        initial fields that they were trained for and on fields twice as large
//
// A Chapman–Kolmogorov defect stands beside I and II: the law at once against the one through half the time.
// Two more tables do not belong to the paper's five:
//
//   composition   that defect for the equations of the other experiments, of laws that are trained with the
//                 term for it (mno/loss/chapman_kolmogorov.hpp) and of laws that are trained without, by the
//                 same loss else
//   priors        a drift of rank 3 and noise of rank 5, by the usual heads, by a separable drift and by a
//                 Mercer factor (mno/model/priors.hpp), which are made for it
#include <mno/core/channel_first.hpp>
#include <mno/data/paths.hpp>
#include <mno/data/trajectories.hpp>
#include <mno/law/mixture.hpp>
#include <mno/metric/composition.hpp>
#include <mno/metric/hurst.hpp>
#include <mno/simulate/finite_rank.hpp>
#include <mno/simulate/heat.hpp>
#include <mno/simulate/toy.hpp>

#include "derived.hpp"
#include "experiments.hpp"
#include "units.hpp"

namespace experiment {

namespace {

using mno::metric::Members;
using program::Prediction;
using Rows = std::vector<Row>;

/// The mean of one number per condition, and its t statistic.
struct Statistic {
  std::vector<double> values{};
  double mean() const {
    double sum = 0;
    for (const double x : values) sum += x / double(values.size());
    return sum;
  }
  double t() const {
    double square = 0;
    for (const double x : values) square += std::pow(x - mean(), 2);
    const double n = double(values.size());
    return mean() / std::sqrt(square / (n - 1) / n);
  }
};

double correlation(const Members& a, const Members& b) {
  const double mean_a = a.mean(), mean_b = b.mean();
  const auto x = (a.array() - mean_a).eval(), y = (b.array() - mean_b).eval();
  return (x * y).sum() / std::sqrt(x.square().sum() * y.square().sum());
}

/// The slope of log y over log x.
double exponent(const std::vector<double>& x, const std::vector<double>& y) {
  double mx = 0, my = 0, xx = 0, xy = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    mx += std::log(x[i]) / double(x.size());
    my += std::log(y[i]) / double(x.size());
  }
  for (std::size_t i = 0; i < x.size(); ++i) {
    xx += std::pow(std::log(x[i]) - mx, 2);
    xy += (std::log(x[i]) - mx) * (std::log(y[i]) - my);
  }
  return xy / xx;
}

mno::Field<float, 1> initial_in_units(const Prediction<1>& p, const program::Predictor<1>& model) {
  mno::Field<float, 1> u = p.initial;
  model.normaliser().undo(u);
  return u;
}

/// The defect of a model that was trained for t and t/2, on these initial fields.
mno::metric::Composition composition(const program::Predictor<1>& model,
                                     const std::vector<mno::Field<float, 1>>& initial, double t,
                                     std::uint64_t seed) {
  constexpr Index draws = 128;
  mno::metric::Composition defect;
  const std::vector<double> halves{t / 2, t / 2}, whole{t};
  for (std::size_t i = 0; i < initial.size(); ++i) {
    const auto composed =
                   mno::metric::rollout<float, 1>(model, initial[i], halves, draws, seed + 2 * i).back(),
               at_once =
                   mno::metric::rollout<float, 1>(model, initial[i], whole, draws, seed + 2 * i + 1).back();
    defect.add(mno::metric::members(at_once.view()), mno::metric::members(composed.view()));
  }
  return defect;
}
void put(Rows& rows, const mno::metric::Composition& defect) {
  rows.push_back({.metric = "composition_energy", .value = defect.energy()});
  rows.push_back({.metric = "composition_shift", .value = defect.shift()});
  rows.push_back({.metric = "composition_spread", .value = defect.spread()});
}

Splits splits(Study& study, const program::Equation& equation, const std::vector<double>& times = {},
              bool paths = false) {
  const Sizes& s = study.sizes();
  using Use = Study::Use;
  const auto part = [&](Use use, Index samples) {
    return study.data(equation, use, {.samples = samples, .times = times, .paths = paths});
  };
  return {part(Use::training, s.train), part(Use::validation, s.validation), part(Use::test, s.test)};
}

// --- I

struct Centring {
  std::vector<double> times{0.125, 0.25, 0.5, 1};
  Splits data{};
  Trained mno{};

  void declare(Study& study) {
    data = splits(study, mno::spde::brownian_field(), times);
    mno = study.train("mno", study.shape(), {}, data);
  }
  Rows rows(Study& study, std::size_t pair) const {
    const auto model = study.load(mno, pair);
    const std::size_t k = times.size();
    std::vector<Statistic> centre(k), past(k - 1), initial(k - 1);
    std::vector<double> predicted(k), seen(k);
    std::vector<mno::Field<float, 1>> fields;
    std::vector<Members> residuals;  // of one initial field at all times
    study.for_each_prediction(mno, pair, data.test, [&](const Prediction<1>& p) {
      const LawInUnits law = in_units(p.law, *model);
      const Members members = in_units(p.members, *model);
      const Eigen::VectorXd mean = mno::flat(mno::mean(law), 0).cast<double>();
      residuals.push_back(members.colwise() - mean);
      const std::size_t at = residuals.size() - 1;
      centre[at].values.push_back(residuals.back().mean());
      predicted[at] += mno::flat(mno::variance(law), 0).cast<double>().mean();
      seen[at] += residuals.back().array().square().mean();
      if (at > 0) {
        const Members step = residuals[at] - residuals[at - 1];
        past[at - 1].values.push_back(correlation(step, residuals[at - 1]));
        const auto start = initial_in_units(p, *model);
        const Eigen::VectorXd u0 = mno::flat(start, 0).cast<double>();
        initial[at - 1].values.push_back(correlation(step, u0.replicate(1, step.cols())));
      }
      if (residuals.size() < k) return;
      residuals.clear();
      fields.push_back(initial_in_units(p, *model));
    });
    const auto largest = [](const std::vector<Statistic>& all, auto&& of) {
      double most = 0;
      for (const Statistic& one : all)
        if (std::abs(of(one)) > std::abs(most)) most = of(one);
      return most;
    };
    const auto t = [](const Statistic& s) { return s.t(); };
    const auto mean = [](const Statistic& s) { return s.mean(); };
    Rows result{{.metric = "centring_mean", .value = largest(centre, mean)},
                {.metric = "centring_t", .value = largest(centre, t)},
                {.metric = "variance_exponent", .value = exponent(times, predicted)},
                {.metric = "variance_exponent_of_members", .value = exponent(times, seen)},
                {.metric = "increment_past_correlation", .value = largest(past, mean)},
                {.metric = "increment_past_t", .value = largest(past, t)},
                {.metric = "increment_initial_correlation", .value = largest(initial, mean)},
                {.metric = "increment_initial_t", .value = largest(initial, t)}};
    put(result, composition(*model, fields, times.back(), pair + 1));
    return result;
  }
};

// --- II

struct Mirror {
  static constexpr Index steps = 16;
  double hurst = 0.1;
  static constexpr Index window = 6,
                         each = 4;  // frames that are given; paths of every u_0 that are learned from
  Splits single{}, whole{}, windows{};
  Trained at_once{}, paths{}, remembering{};

  void declare(Study& study) {
    mno::spde::RoughVolatility motion;  // one fractional Brownian motion for the whole field
    motion.hurst = hurst;
    motion.steps = steps;
    motion.noise = {{1.}};
    std::vector<double> all, few;
    for (Index k = 1; k <= steps; ++k) all.push_back(motion.time * double(k) / double(steps));
    for (const Index k : {1, 2, 4, 8, 16}) few.push_back(all[std::size_t(k - 1)]);
    single = splits(study, motion, few);
    whole = splits(study, motion, all, true);
    at_once = study.train("mno", study.shape("mno-nugget", 2), {}, single);
    paths = study.train("mno-paths", study.shape("mno-nugget", int(steps)), {}, whole);
    time = motion.time;
  }
  double time = 0;

  /// Call it after the paths are simulated: it makes windows of them, each with the frame after it.
  void declare_history(Study& study) {
    windows = {with_history(whole.train), with_history(whole.validation), with_history(whole.test)};
    program::ShapeNumbers shape = study.shape("mno-nugget", 2);
    shape.known = int(window) - 1;
    remembering = study.train("mno-history", shape, {}, windows);
  }
  Data with_history(const Data& data) const {
    namespace io = mno::io;
    const auto cut = [step = time / double(steps)](io::EnsembleReader& from, io::NpzWriter& to) {
      std::vector<double> times;
      for (Index k = 0; k < steps; ++k) times.push_back(step * double(k + 1));
      const Index points = from.points()[0];
      std::vector<float> initial, known, drawn;
      std::vector<double> lags;
      std::vector<std::int64_t> groups;
      from.for_each<float, 1>([&](Index row, mno::Field<float, 1>&, float, mno::Field<float, 1>& members) {
        const auto frames = mno::frames_of<float, 1>(std::as_const(members).view().samples(0, each), steps);
        const auto pairs = mno::ensemble_of_trajectories<float, 1>(frames.view(), times, {.history = window});
        const auto put = [](std::vector<float>& all, const mno::Field<float, 1>& fields) {
          const auto numbers = mno::to_channel_first(fields.view());
          all.insert(all.end(), numbers.begin(), numbers.end());
        };
        put(initial, pairs.initial);
        put(known, pairs.known);
        put(drawn, pairs.members);
        for (const float lag : pairs.times) lags.push_back(double(lag));
        groups.insert(groups.end(), std::size_t(pairs.size()), row);
      });
      const auto rows = Index(lags.size());
      to.write("u0", io::Array::of({rows, 1, points}, initial));
      to.write("uT", io::Array::of({rows, 1, points}, drawn));
      to.write("fields", io::Array::of({rows, window - 1, points}, known));
      to.write("t", io::Array::of({rows}, lags));
      to.write("group", io::Array::of({rows}, groups));
    };
    Data result = derived(data, "history " + std::to_string(window) + " of " + std::to_string(each), cut);
    result.channels = result.members = 1;
    result.rows = data.rows * each * (steps - window);
    return result;
  }

  /// Adds u_0 and the numbers of a path at one point.
  static void add(mno::metric::Hurst& to, double start, const std::function<double(Index)>& at) {
    std::vector<double> path{start};
    for (Index k = 0; k < steps; ++k) path.push_back(at(k));
    to.add(std::span<const double>(path));
  }
  /// The marginal at the last time: its variance divided by that of members, and W2 of two normal laws.
  struct Terminal {
    double predicted = 0, seen = 0, distance = 0, count = 0;
    void add(const LawInUnits& law, const Members& members) {
      const Eigen::VectorXd mean = mno::flat(mno::mean(law), 0).cast<double>(),
                            variance = mno::flat(mno::variance(law), 0).cast<double>(),
                            truth = members.rowwise().mean(),
                            spread = (members.colwise() - truth).rowwise().squaredNorm() /
                                     double(members.cols() - 1);
      predicted += variance.mean();
      seen += spread.mean();
      distance +=
          ((mean - truth).array().square() + (variance.array().sqrt() - spread.array().sqrt()).square())
              .sqrt()
              .mean();
      ++count;
    }
    void put(Rows& rows) const {
      rows.push_back({.metric = "terminal_variance_ratio", .value = predicted / seen});
      rows.push_back({.metric = "terminal_w2g", .value = distance / count});
    }
  };

  struct Result {
    Rows truth, reused, drawn, remembered;
  };
  /// Paths that begin with a window of the data and go on by reuse of the model; beside them, the data's own
  /// paths after the window.
  void remember(Study& study, std::size_t pair, Result& result) const {
    const auto model = study.load(remembering, pair);
    const std::vector<double> further(std::size_t(steps - window), time / double(steps));
    mno::metric::Hurst truth, drawn;
    const auto file = program::open_ensembles(whole.test.pairs.at(pair).path);
    file->for_each<float, 1>([&](Index row, mno::Field<float, 1>&, float, mno::Field<float, 1>& members) {
      const Index count = std::min<Index>(32, members.batch());
      mno::Field<float, 1> now(count, members.grid(), 1), past(count, members.grid(), window - 1);
      for (Index j = 0; j < count; ++j)
        for (Index x = 0; x < members.points(); ++x) {
          now(j, x, 0) = members(j, x, window - 1);
          for (Index k = 0; k + 1 < window; ++k) past(j, x, k) = members(j, x, window - 2 - k);
        }
      const auto all =
          mno::metric::rollout<float, 1>(*model, now, further, 1, 1000 * pair + std::uint64_t(row), past);
      for (const Index x : {0, 21, 42})
        for (Index j = 0; j < count; ++j) {
          std::vector<double> here{double(now(j, x, 0))}, there = here;
          for (Index k = window; k < steps; ++k) {
            here.push_back(double(all[std::size_t(k - window)](j, x, 0)));
            there.push_back(double(members(j, x, k)));
          }
          drawn.add(std::span<const double>(here));
          truth.add(std::span<const double>(there));
        }
    });
    result.remembered = {{.metric = "hurst_estimate", .value = drawn.value()},
                         {.metric = "hurst_estimate_of_data", .value = truth.value()}};
  }
  Result rows(Study& study, std::size_t pair) const {
    Result result;
    const auto of_paths = study.load(paths, pair), of_times = study.load(at_once, pair);
    mno::metric::Hurst truth, drawn, reused;
    Terminal last_of_paths, last_of_times;
    study.for_each_prediction(paths, pair, whole.test, [&](const Prediction<1>& p) {
      const LawInUnits law = in_units(p.law, *of_paths);
      const Members members = in_units(p.members, *of_paths);
      const auto start = initial_in_units(p, *of_paths);
      const auto draws = mno::sample(law, 64, pair + 1);
      for (const Index x : {0, 21, 42}) {
        for (Index j = 0; j < members.cols(); ++j)
          add(truth, double(start(0, x, 0)), [&](Index k) { return members(x * steps + k, j); });
        for (Index j = 0; j < draws.batch(); ++j)
          add(drawn, double(start(0, x, 0)), [&](Index k) { return double(draws(j, x, k)); });
      }
      const auto last = mno::at_time(law, steps - 1, steps);
      Members at_end(last.size(), members.cols());
      for (Index x = 0; x < last.size(); ++x) at_end.row(x) = members.row(x * steps + steps - 1);
      last_of_paths.add(last, at_end);
    });
    std::vector<mno::Field<float, 1>> fields;
    const std::vector<double> every(std::size_t(steps), time / double(steps));
    double reused_variance = 0, seen = 0;
    study.for_each_prediction(at_once, pair, single.test, [&](const Prediction<1>& p) {
      if (std::abs(double(p.time) - time) > 1e-6) return;
      const LawInUnits law = in_units(p.law, *of_times);
      const Members members = in_units(p.members, *of_times);
      last_of_times.add(law, members);
      const auto start = initial_in_units(p, *of_times);
      const auto all = mno::metric::rollout<float, 1>(*of_times, start, every, 32, pair + 7 + fields.size());
      for (const Index x : {0, 21, 42})
        for (Index j = 0; j < 32; ++j)
          add(reused, double(start(0, x, 0)), [&](Index k) { return double(all[std::size_t(k)](j, x, 0)); });
      const Members end = mno::metric::members(all.back().view());
      reused_variance += (end.colwise() - end.rowwise().mean()).squaredNorm() / double(end.cols() - 1);
      seen += (members.colwise() - members.rowwise().mean()).squaredNorm() / double(members.cols() - 1);
      fields.push_back(start);
    });
    result.truth = {{.metric = "hurst_estimate", .value = truth.value()}};
    result.reused = {{.metric = "hurst_estimate", .value = reused.value()},
                     {.metric = "reused_variance_ratio", .value = reused_variance / seen}};
    last_of_times.put(result.reused);
    put(result.reused, composition(*of_times, fields, time, pair + 3));
    result.drawn = {{.metric = "hurst_estimate", .value = drawn.value()}};
    last_of_paths.put(result.drawn);
    remember(study, pair, result);
    return result;
  }
};

// --- III

struct Resolution {
  Splits data{};
  Data test{};
  std::vector<Trained> all{};

  void declare(Study& study) {
    mno::spde::Burgers fine;
    fine.simulated = 512;
    fine.kept = 256;
    data = splits(study, mno::spde::Burgers{});
    test = study.data(fine, Study::Use::test, {.samples = study.sizes().test});
    const Training refined{.name = "auto, 64 points at least", .least_points = 64};
    all = {study.train("mno", study.shape(), refined, data)};
    for (const char* kind : {"noise-fno", "noise-ffno"})
      all.push_back(study.train(kind, study.shape(kind), study.tuned(kind), data));
  }
  void tables(Study& study) const {
    for (const Trained& one : all)
      for (const Index points : {64, 128, 256})
        study.table({.table = "diagnostic-3-resolution-variance",
                     .benchmark = "superres-1d",
                     .at = {{"trained_at", 64.0}, {"resolution", double(points)}}},
                    one, test.at(points));
  }
};

// --- IV

struct Separation {
  std::string name;
  mno::spde::DriftAndNoise equation;
  Splits data{};
  Trained mno{};

  void declare(Study& study) {
    data = splits(study, equation);
    mno = study.train("mno", study.shape(), {}, data);
  }
  Rows rows(Study& study, std::size_t pair) const {
    const auto model = study.load(mno, pair);
    double drift = 0, noise = 0, conditions = 0;
    study.for_each_prediction(mno, pair, data.test, [&](const Prediction<1>& p) {
      const LawInUnits law = in_units(p.law, *model);
      drift += mno::flat(law.mean, 0).cast<double>().array().square().mean();
      noise += mno::flat(mno::variance(law), 0).cast<double>().mean();
      ++conditions;
    });
    const double a = std::pow(equation.drift * equation.time, 2),
                 b = std::pow(equation.sigma, 2) * equation.time;
    Rows result{{.metric = "drift_energy", .value = drift / conditions},
                {.metric = "covariance_energy", .value = noise / conditions},
                {.metric = "drift_energy_expected", .value = a},
                {.metric = "covariance_energy_expected", .value = b}};
    if (a == 0 || b == 0)
      result.push_back({.metric = "off_target_share", .value = a == 0 ? drift / noise : noise / drift});
    return result;
  }
};

// --- V

struct Decomposition {
  static constexpr std::uint64_t models = 5;
  mno::spde::Heat heat{};
  Splits data{};
  Data beyond{};  // initial fields twice as large
  std::vector<Trained> converged{}, under_trained{};

  void declare(Study& study) {
    data = splits(study, heat);
    mno::spde::Heat large = heat;
    large.initial.amplitude = 2;
    beyond = study.data(large, Study::Use::test, {.samples = study.sizes().test});
    for (std::uint64_t i = 0; i < models; ++i) {
      Training one{.name = "auto"}, few{.name = "auto, 100 steps", .steps = 100};
      one.other_seed = few.other_seed = i;
      converged.push_back(study.train("mno-ensemble", study.shape(), one, data));
      under_trained.push_back(study.train("mno-ensemble-under-trained", study.shape(), few, data));
    }
  }
  Rows rows(Study& study, const std::vector<Trained>& all, const Data& test, std::size_t pair) const {
    std::vector<std::vector<LawInUnits>> laws;  // (condition, model)
    for (const Trained& one : all) {
      const auto model = study.load(one, pair);
      std::size_t i = 0;
      study.for_each_prediction(one, pair, test, [&](const Prediction<1>& p) {
        if (laws.size() <= i) laws.emplace_back();
        laws[i++].push_back(in_units(p.law, *model));
      });
    }
    double aleatoric = 0, epistemic = 0, truth = 0, error = 0;
    const double count = double(laws.size());
    for (std::size_t i = 0; i < laws.size(); ++i) {
      const mno::Mixture<float, 1, mno::AnyResidual, mno::AnyWarp> mixture(laws[i]);
      const auto parts = mno::uncertainty(mixture);
      const auto exact = mno::exact_law(std::get<mno::spde::Heat>(test.equation), test.pairs[pair].seed,
                                        test.first + Index(i), heat.time);
      aleatoric += mno::flat(parts.aleatoric, 0).cast<double>().mean() / count;
      epistemic += mno::flat(parts.epistemic, 0).cast<double>().mean() / count;
      truth += mno::flat(exact.variance, 0).mean() / count;
      error += (mno::flat(mno::mean(mixture), 0).cast<double>() - mno::flat(exact.mean, 0)).squaredNorm() /
               double(mixture.size()) / count;
    }
    return {{.metric = "aleatoric_variance", .value = aleatoric},
            {.metric = "aleatoric_of_truth", .value = aleatoric / truth},
            {.metric = "epistemic_variance", .value = epistemic},
            {.metric = "total_variance", .value = aleatoric + epistemic},
            {.metric = "epistemic_share", .value = epistemic / (aleatoric + epistemic)},
            {.metric = "mean_square_error", .value = error}};
  }
};

// --- composition

struct Consistency {
  std::string name;
  program::Equation equation;
  double time;
  Splits data{};
  std::vector<Trained> both{};  // without the term and with it

  void declare(Study& study) {
    data = study.splits(equation, {time / 2, time});
    Training training{.name = "mean, variance and covariance"};
    mno::Recipe recipe = mno::Recipe::decoupled();
    recipe.mean_error.weight = 30;
    recipe.hilbert_schmidt.weight = 1;
    training.loss = recipe;
    both.push_back(study.train("mno", study.shape(), training, data));
    training.name += ", composition";
    training.recipe().chapman_kolmogorov = {
        .weight = 10, .draws = 4, .conditions = 8, .least_time = time / 2};
    both.push_back(study.train("mno-composition", study.shape(), training, data));
  }
  Rows rows(Study& study, const Trained& of, std::size_t pair) const {
    const auto model = study.load(of, pair);
    std::vector<mno::Field<float, 1>> fields;
    study.for_each_prediction(of, pair, data.test, [&](const Prediction<1>& p) {
      if (std::abs(double(p.time) - time) < 1e-6) fields.push_back(initial_in_units(p, *model));
    });
    Rows result;
    put(result, composition(*model, fields, time, pair + 1));
    return result;
  }
  void tables(Study& study) const {
    for (const Trained& one : both) {
      const Study::Place place{.table = "composition", .benchmark = name, .time = time};
      study.table(place, one, data.test);
      std::vector<Rows> pairs(one.models.size());
      study.for_each_pair(one, [&](std::size_t pair) { pairs[pair] = rows(study, one, pair); });
      study.table(place, one.method, pairs);
    }
  }
};

// --- priors

struct Priors {
  Splits data{};
  std::vector<Trained> all{};

  void declare(Study& study) {
    data = study.splits(mno::spde::FiniteRank{});
    for (const auto& [method, kind] :
         {std::pair("mno", "mno-nugget"), std::pair("mno-separable", "mno-separable"),
          std::pair("mno-mercer", "mno-mercer")})
      all.push_back(study.train(method, study.shape(kind), {}, data));
  }
  void tables(Study& study) const {
    for (const Trained& one : all)
      study.table({.table = "priors", .benchmark = "finite-rank"}, one, data.test);
  }
};

void run_diagnostics(Study& study) {
  Centring centring;
  centring.declare(study);
  std::vector<Mirror> mirrors;
  for (const double hurst :
       study.options().quick ? std::vector{0.1, 0.5} : std::vector{0.1, 0.2, 0.3, 0.4, 0.5}) {
    mirrors.emplace_back().hurst = hurst;
    mirrors.back().declare(study);
  }
  Resolution resolution;
  resolution.declare(study);
  std::vector<Separation> separations{{"drift-only", mno::spde::pure_drift()},
                                      {"noise-only", mno::spde::pure_noise()},
                                      {"drift-and-noise", mno::spde::drift_and_noise()}};
  for (Separation& one : separations) one.declare(study);
  Decomposition decomposition;
  decomposition.declare(study);
  std::vector<Consistency> consistencies{{"heat", mno::spde::Heat{}, mno::spde::Heat{}.time},
                                         {"burgers", mno::spde::Burgers{}, mno::spde::Burgers{}.time},
                                         {"phi4", mno::spde::Phi4{}, mno::spde::Phi4{}.time}};
  for (Consistency& one : consistencies) one.declare(study);
  Priors priors;
  priors.declare(study);
  study.run();
  for (Mirror& one : mirrors) one.declare_history(study);
  study.run();

  const auto pairs = [&](const Trained& of, const std::function<Rows(std::size_t)>& rows) {
    std::vector<Rows> all(of.models.size());
    study.for_each_pair(of, [&](std::size_t pair) { all[pair] = rows(pair); });
    return all;
  };
  study.table({.table = "diagnostic-1-centring", .benchmark = "brownian"}, "mno",
              pairs(centring.mno, [&](std::size_t pair) { return centring.rows(study, pair); }));
  for (const Mirror& one : mirrors) {
    const Study::Place place{
        .table = "diagnostic-2-martingale-mirror", .benchmark = "fbm", .at = {{"hurst", one.hurst}}};
    std::vector<Mirror::Result> all(one.paths.models.size());
    study.for_each_pair(one.paths, [&](std::size_t pair) { all[pair] = one.rows(study, pair); });
    const auto of = [&](Rows Mirror::Result::*which) {
      std::vector<Rows> rows;
      for (const auto& result : all) rows.push_back(result.*which);
      return rows;
    };
    study.table(place, "truth", of(&Mirror::Result::truth));
    study.table(place, "mno-autoregressive", of(&Mirror::Result::reused));
    study.table(place, "mno-paths", of(&Mirror::Result::drawn));
    study.table(place, "mno-history", of(&Mirror::Result::remembered));
  }
  resolution.tables(study);
  for (const Separation& one : separations)
    study.table(
        {.table = "diagnostic-4-head-separation", .benchmark = "synthetic", .at = {{"case", one.name}}},
        "mno", pairs(one.mno, [&](std::size_t pair) { return one.rows(study, pair); }));
  for (const auto* ensemble : {&decomposition.converged, &decomposition.under_trained})
    for (const Data* test : {&decomposition.data.test, &decomposition.beyond})
      study.table(
          {.table = "diagnostic-5-uncertainty",
           .benchmark = "heat",
           .at = {{"fields", std::string(test == &decomposition.beyond ? "twice as large" : "as trained")}}},
          ensemble->front().method, pairs(ensemble->front(), [&](std::size_t pair) {
            return decomposition.rows(study, *ensemble, *test, pair);
          }));
  for (const Consistency& one : consistencies) one.tables(study);
  priors.tables(study);
}

}  // namespace

const Experiment diagnostics{"diagnostics",
                             "the paper's structural diagnostics I to V",
                             {512, 100, 100, 128, 0, 3},
                             {96, 24, 24, 64, 20, 1},
                             usual_shape,
                             run_diagnostics};

}  // namespace experiment
