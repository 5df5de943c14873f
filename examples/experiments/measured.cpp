// Measured data that public packages carry: winds on circles of latitude, and daily curves of electricity.
// The sets are small and noisy, with one draw per condition: does a law from `fit` beat cheap baselines?
//
// Baselines have the covariance of their residuals (measured.hpp), and so has FNO, whose length and weight
// decay are chosen on validation. Validation is one connected part of the training period, not random days,
// because neighbouring days are alike.
#include "measured.hpp"

#include <mno/data/fingerprint.hpp>
#include <mno/io/safetensors/model_file.hpp>
#include <mno/loss/default_recipe.hpp>
#include <mno/metric/block_bootstrap.hpp>
#include <mno/metric/references.hpp>
#include <mno/metric/scorecard.hpp>

#include "experiments.hpp"

namespace experiment {

namespace measured {

namespace {

namespace metric = mno::metric;

/// In what the two sets differ.
struct Set {
  std::string name, what;
  bool (*for_validation)(double group, double last_group);
  Index days_of_block;  // conditions of a place that are drawn together in the bootstrap
  std::vector<Index> steps;
};

/// Files of examples/measured/fetch, split and normalised.
struct Record {
  Splits files;
  Data train, validation, test;
  mno::Normaliser normaliser;
  Places places;
  std::vector<Index> blocks;  // of the test conditions
};

Data read(const std::filesystem::path& file) {
  return program::read_statistics<1>(*program::open_ensembles(file), {.members = true});
}

Record open(const Study& study, const Set& set) {
  const auto folder = study.options().measured;
  const auto train_file = folder / (set.name + "_train.npz"), test_file = folder / (set.name + "_test.npz");
  for (const auto& file : {train_file, test_file})
    if (!std::filesystem::exists(file))
      throw mno::Error("mno experiment " + set.name + ": there is no file '" + file.string() +
                       "'. 'examples/measured/fetch " + folder.string() +
                       "' brings it; --measured FOLDER says where it is.");
  const auto opened = program::open_ensembles(train_file);
  double last = -std::numeric_limits<double>::infinity();
  for (Index s = 0; s < opened->samples(); ++s) last = std::max(last, opened->group(s).value_or(0));
  std::vector<Index> train, validation;
  for (Index s = 0; s < opened->samples(); ++s)
    (set.for_validation(opened->group(s).value_or(0), last) ? validation : train).push_back(s);
  const Data all = read(train_file), test = read(test_file);
  mno::Fingerprint content;
  content.add(all);
  const std::string key = "measured " + set.name + " " + content.str();
  const auto part = [&](const char* use, const std::filesystem::path& file, std::vector<Index> samples,
                        Index conditions) {
    experiment::Data data;  // the same for every pair, whose model seeds differ
    data.pairs.assign(std::size_t(study.sizes().pairs), {key + " " + use, file, 0});
    data.rows = conditions;
    data.points = all.grid().points[0];
    data.channels = all.channels();
    data.known = all.known.channels();
    data.members = 1;
    data.samples = std::move(samples);
    return data;
  };
  Record record{{part("train", train_file, train, Index(train.size())),
                 part("validation", train_file, validation, Index(validation.size())),
                 part("test", test_file, {}, test.size())},
                mno::subset(all, train),
                mno::subset(all, validation),
                test,
                {},
                Places(all),
                {}};
  record.normaliser = mno::Normaliser::fit(record.train);
  for (Data* part : {&record.train, &record.validation, &record.test}) record.normaliser.apply(*part);
  for (Index s = 0; s < test.size(); ++s)
    record.blocks.push_back(s / (record.places.count() * set.days_of_block));
  return record;
}

/// Scores of one law, condition by condition.
struct Scored {
  std::vector<double> crps{}, energy{}, log{}, coverage{};
};
const std::vector<double> levels{0.5, 0.8, 0.9, 0.95};

template <class L> Scored score(const L& law, const Data& test, std::uint64_t seed) {
  constexpr Index draws = 64;
  Scored result;
  metric::Crps crps;
  metric::Coverage coverage(levels);
  const auto drawn = mno::sample(law, draws, seed);
  for (Index s = 0; s < test.size(); ++s) {
    const metric::Members truth = metric::members(test.members_of(s));
    crps.add(law, s, truth);
    coverage.add(law, s, truth);
    metric::EnergyScore energy(test.grid());
    energy.add(metric::members(std::as_const(drawn).view(), s, draws), truth);
    result.energy.push_back(energy.value());
    metric::LogScore log;
    log.add(law, s, truth);
    result.log.push_back(log.value());
  }
  result.crps = crps.per_condition();
  result.coverage = coverage.value();
  return result;
}

double mean_of(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value / double(values.size());
  return sum;
}

/// A method with one law per seed; a cheap baseline has no seed.
struct Method {
  std::string name;
  bool baseline;
  std::vector<Scored> seeds;

  /// The mean over seeds, for every condition.
  std::vector<double> averaged(std::vector<double> Scored::*part) const {
    std::vector<double> result((seeds.front().*part).size(), 0.0);
    for (const Scored& seed : seeds)
      for (std::size_t i = 0; i < result.size(); ++i) result[i] += (seed.*part)[i] / double(seeds.size());
    return result;
  }
};

/// The training that came out best on validation, among these lengths and weight decays, for all seeds.
Trained best_on_validation(Study& study, const std::string& method, const program::ShapeNumbers& shape,
                           const Training& training, const Set& set, const Record& record,
                           const std::string& criterion) {
  std::vector<Training> candidates;
  for (const Index steps : set.steps)
    for (const double decay : {1e-4, 0.1, 1.0}) {
      candidates.push_back(training);
      candidates.back().steps = steps;
      candidates.back().options.adamw.weight_decay = decay;
    }
  Splits one_pair = record.files;
  for (experiment::Data* part : {&one_pair.train, &one_pair.validation, &one_pair.test})
    part->pairs.resize(1);
  std::vector<Trained> tried;
  for (const Training& one : candidates) tried.push_back(study.train(method, shape, one, one_pair));
  study.run();
  std::size_t best = 0;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < tried.size(); ++i) {
    const mno::io::SafetensorsReader file(tried[i].models.front());
    const double value = std::stod(mno::io::model_metadata(file).at("validation." + criterion));
    Study::Place place{.table = set.name + "-choice", .benchmark = set.name};
    place.at = {{"steps", double(candidates[i].steps)},
                {"weight decay", candidates[i].options.adamw.weight_decay}};
    study.table(place, method, {{{.metric = criterion, .value = value}}});
    if (value < least) {
      least = value;
      best = i;
    }
  }
  return study.train(method, shape, candidates[best], record.files);
}

mno::Law<float, 1, mno::AnyResidual> law_of(const Trained& trained, std::size_t seed, const Data& data) {
  return program::OperatorIn<1>(program::choose(trained.shape))
      .load(trained.models.at(seed), 1)
      ->own_law(data.condition());
}

/// Rows of every method: scores, and their difference from the best baseline's, with the interval that the
/// choice of the test period leaves.
void put(Study& study, const Set& set, const Record& data, const std::vector<Method>& methods) {
  struct Score {
    const char *name, *difference;
    std::vector<double> Scored::*part;
    bool relative;
  };
  const Score scores[] = {{"crps", "crps_to_best", &Scored::crps, true},
                          {"energy_score", "energy_to_best", &Scored::energy, true},
                          {"log_score", "log_to_best", &Scored::log, false}};
  const auto best_baseline = [&](const Score& score) -> const Method& {
    const Method* best = nullptr;
    for (const Method& one : methods)
      if (one.baseline && (!best || mean_of(one.averaged(score.part)) < mean_of(best->averaged(score.part))))
        best = &one;
    return *best;
  };
  const Study::Place place{.table = set.name, .benchmark = set.name};
  for (const Method& method : methods) {
    std::vector<std::vector<Row>> seeds;
    for (const Scored& one : method.seeds) {
      std::vector<Row> rows;
      for (const Score& score : scores)
        rows.push_back({.metric = score.name, .value = mean_of(one.*score.part)});
      for (std::size_t l = 0; l < levels.size(); ++l)
        rows.push_back({.metric = "coverage", .value = one.coverage[l], .at = {{"level", levels[l]}}});
      seeds.push_back(std::move(rows));
    }
    study.table(place, method.name, seeds);
    std::vector<Row> differences;
    for (const Score& score : scores) {
      const auto others = best_baseline(score).averaged(score.part);
      const auto difference = metric::block_bootstrap(method.averaged(score.part), others, data.blocks);
      const double unit = score.relative ? 100 / mean_of(others) : 1;
      differences.push_back({.metric = score.difference,
                             .value = unit * difference.value,
                             .interval95 = unit * (difference.upper - difference.lower) / 2});
    }
    study.table(place, method.name, {differences});
    auto& rows = study.record().rows;  // of means over seeds
    for (auto row = rows.end() - Index(differences.size()); row != rows.end(); ++row)
      row->seeds = int(method.seeds.size());
  }
  mno::report::Figure coverage{.name = "coverage",
                               .title = "Coverage of central bands in the years that were held back",
                               .x_label = "nominal probability",
                               .y_label = "fraction covered"};
  coverage.lines.push_back({"nominal", levels, levels});
  for (const Method& method : methods)
    coverage.lines.push_back({method.name, levels, method.averaged(&Scored::coverage)});
  study.add(coverage);
  if (data.places.count() == 1) return;
  mno::report::Figure by_place{.name = "places",
                               .title = "CRPS by place",
                               .x_label = "known field",
                               .y_label = "CRPS / that of climatology"};
  const auto at_places = [&](const Method& method) {
    std::vector<double> sums(std::size_t(data.places.count()), 0.0);
    const auto crps = method.averaged(&Scored::crps);
    for (Index s = 0; s < data.test.size(); ++s)
      sums[std::size_t(data.places.of(data.test, s))] += crps[std::size_t(s)];
    return sums;
  };
  const auto climatology = at_places(methods.front());
  for (const Method& method : methods) {
    auto ratio = at_places(method);
    for (std::size_t p = 0; p < ratio.size(); ++p) ratio[p] /= climatology[p];
    by_place.lines.push_back({method.name, data.places.values(), ratio});
  }
  study.add(by_place);
}

void run_measured(Study& study, const Set& set) {
  const Record data = open(study, set);
  const Index rank = study.shape().rank;
  const Trained mno = study.train("mno", study.shape(), {}, data.files);
  const Training mean{.name = "mean", .loss = mno::default_field_recipe()};
  const Trained fno = best_on_validation(study, "fno", study.shape("fno"), mean, set, data, "mean_rmse");
  study.run();

  std::vector<Method> methods;
  const auto add = [&](const std::string& name, const Means& means, bool by_place) {
    const Spread spread(means, data.train, data.validation, data.places, rank, by_place);
    methods.push_back({name, true, {score(spread.around(means.test, data.test), data.test, 1)}});
  };
  const auto three = [&](auto&& of) { return Means{of(data.train), of(data.validation), of(data.test)}; };
  add("climatology", three([&](const Data& part) {
        Field none(part.size(), part.grid(), part.channels());
        data.normaliser.apply(none);  // zero anomaly, in the units of the file
        return none;
      }),
      true);
  add("persistence", three([](const Data& part) { return part.initial; }), true);
  const Eigen::MatrixXd coefficients = damping(data.train, data.places);
  add("damped persistence", three([&](const Data& part) { return damped(part, data.places, coefficients); }),
      true);
  const Eigen::MatrixXd weights = linear_weights(data.train, data.validation);
  add("linear", three([&](const Data& part) { return linear(part, weights); }), true);

  const bool places = data.places.count() > 1;
  Method constant{"fno, one variance", true, std::vector<Scored>(fno.models.size())},
      residual{"fno, residual covariance", true, constant.seeds},
      by_place{"fno, residual covariance by place", true, constant.seeds};
  study.for_each_pair(fno, [&](std::size_t seed) {
    const Means means = three([&](const Data& part) { return law_of(fno, seed, part).mean; });
    metric::References<float, 1> one;
    one.residual_variance = mean_square(means.validation, data.validation);
    constant.seeds[seed] = score(one.constant_variance(means.test), data.test, seed + 1);
    const auto spread = [&](bool apart) {
      return Spread(means, data.train, data.validation, data.places, rank, apart)
          .around(means.test, data.test);
    };
    residual.seeds[seed] = score(spread(false), data.test, seed + 1);
    if (places) by_place.seeds[seed] = score(spread(true), data.test, seed + 1);
  });
  methods.push_back(std::move(constant));
  methods.push_back(std::move(residual));
  if (places) methods.push_back(std::move(by_place));
  Method law{"mno", false, std::vector<Scored>(mno.models.size())},
      own_mean{"mean of mno, residual covariance", false, law.seeds};
  study.for_each_pair(mno, [&](std::size_t seed) {
    law.seeds[seed] = score(law_of(mno, seed, data.test), data.test, seed + 1);
    const Means means = three([&](const Data& part) { return law_of(mno, seed, part).mean; });
    own_mean.seeds[seed] = score(
        Spread(means, data.train, data.validation, data.places, rank, places).around(means.test, data.test),
        data.test, seed + 1);
  });
  methods.push_back(std::move(law));
  methods.push_back(std::move(own_mean));
  put(study, set, data, methods);
  study.show(mno, data.files.test);
  study.record().description =
      mno::Text(
          set.what, " Trained on ", data.train.size(), " conditions, validated on ", data.validation.size(),
          ", scored on ", data.test.size(), " of the years that were held back; one draw each, ",
          mno.models.size(),
          " seed(s). The columns …_to_best are differences from the best baseline by that score, CRPS and "
          "energy score in per cent of it, log score in nats, with half the 95 % interval of a paired "
          "bootstrap over blocks of the test period. Scores are in normalised coordinates.")
          .str();
}

const Set winds_set{"winds",
                    "Next month's anomaly of the wind on circles of latitude, given this month's.",
                    [](double year, double last) { return year == last; },
                    1,
                    {250, 1000}};
const Set electricity_set{"electricity",
                          "Tomorrow's anomaly of a daily curve of electricity, given today's.",
                          [](double month, double) { return int(month) % 5 == 0; },
                          7,
                          {250, 1000, 4000}};

}  // namespace

}  // namespace measured

const Experiment winds{"winds",
                       "measured winds on circles of latitude, next month given this one",
                       {0, 0, 0, 0, 0, 5},
                       {0, 0, 0, 0, 0, 1},
                       usual_shape,
                       [](Study& study) { measured::run_measured(study, measured::winds_set); },
                       true};
const Experiment electricity{"electricity",
                             "measured daily curves of electricity, tomorrow given today",
                             {0, 0, 0, 0, 0, 5},
                             {0, 0, 0, 0, 0, 1},
                             usual_shape,
                             [](Study& study) { measured::run_measured(study, measured::electricity_set); },
                             true};

}  // namespace experiment
