#include "study.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <exception>
#include <iostream>
#include <limits>
#include <mno/simulate/simulate.hpp>
#include <thread>

#include "command.hpp"
#include "history.hpp"

namespace experiment {

namespace {

// Where in a seed's sequence of initial conditions the splits begin: whatever their sizes, no condition is in
// two of them, and a larger training set leaves the others as they are.
constexpr Index begin_validation = 100000, begin_test = 200000, begin_calibration = 300000;

// Part of every name in the cache. To be raised when simulators or training change what they compute.
constexpr const char* version = "1";

constexpr double seconds_between_lines = 15;

std::string numbers(const std::vector<double>& values) {
  std::string out;
  for (const double value : values) out += " " + mno::io::detail::number(value);
  return out;
}

std::shared_ptr<const mno::Ensemble<float, 1>> coarser(const mno::Ensemble<float, 1>& fine, Index points) {
  auto coarse = fine;
  for (auto field :
       {&mno::Ensemble<float, 1>::initial, &mno::Ensemble<float, 1>::mean, &mno::Ensemble<float, 1>::variance,
        &mno::Ensemble<float, 1>::covariance_factor, &mno::Ensemble<float, 1>::members})
    if ((fine.*field).size() > 0) coarse.*field = mno::subsample(fine.*field, points);
  return std::make_shared<const mno::Ensemble<float, 1>>(std::move(coarse));
}

}  // namespace

std::string content_hash(const std::string& text) {
  std::uint64_t state = 0xCBF29CE484222325;  // FNV-1a
  for (const char c : text) state = (state ^ std::uint64_t(static_cast<unsigned char>(c))) * 0x100000001B3;
  char digits[17];
  std::snprintf(digits, sizeof digits, "%016llx", static_cast<unsigned long long>(state));
  return digits;
}

double value_of(const std::vector<Row>& rows, const std::string& metric) {
  for (const Row& row : rows)
    if (row.metric == metric) return row.value;
  return std::numeric_limits<double>::quiet_NaN();
}
double floor_of(const std::vector<Row>& rows, const std::string& metric) {
  for (const Row& row : rows)
    if (row.metric == metric && row.floor) return *row.floor;
  return std::numeric_limits<double>::quiet_NaN();
}

void side_by_side(std::size_t count, int threads, const std::function<void(std::size_t)>& f) {
  std::atomic<std::size_t> next = 0;
  std::vector<std::exception_ptr> errors(count);
  const auto work = [&] {
    for (std::size_t i; (i = next++) < count;) {
      try {
        f(i);
      } catch (...) {
        errors[i] = std::current_exception();
      }
    }
  };
  std::vector<std::thread> others;
  for (std::size_t t = 1; t < std::min(count, std::size_t(threads)); ++t) others.emplace_back(work);
  work();
  for (std::thread& other : others) other.join();
  for (const auto& error : errors)
    if (error) std::rethrow_exception(error);
}

Data Data::at(Index coarser) const {
  if (coarser == points) return *this;
  mno::require(coarser >= 1 && points % coarser == 0, "Data::at", "coarser",
               mno::Text("a divisor of ", points), mno::Text(coarser));
  return {key + " at points=" + std::to_string(coarser), file, rows, coarser};
}

Study::Study(const Experiment& experiment, const Options& options)
    : experiment_(experiment),
      options_(options),
      progress_(std::make_unique<program::Progress>(options.json)) {
  Sizes& sizes = options_.sizes;
  const Sizes& standard = options_.full ? experiment.full : experiment.quick;
  for (const auto member :
       {&Sizes::train, &Sizes::validation, &Sizes::test, &Sizes::members, &Sizes::epochs, &Sizes::seeds})
    if (sizes.*member == 0) sizes.*member = standard.*member;
  mno::require(sizes.train <= begin_validation, "experiment", "--samples",
               mno::Text("at most ", begin_validation), mno::Text(sizes.train));
  options_.threads = program::threads(options_.threads);
  if (options_.cache.empty()) {
    const auto parent = std::filesystem::absolute(options_.folder).lexically_normal().parent_path();
    options_.cache = std::filesystem::relative(parent) / "cache";
  }
  std::filesystem::create_directories(options_.cache);
  stop_ = program::interruption;
}

void Study::say(const std::string& text) const {
  if (!options_.json) std::cerr << text << "\n";
}

program::ShapeNumbers Study::shape(const std::string& kind, int rank) const {
  program::ShapeNumbers wanted = options_.shape;
  const program::ShapeNumbers& own = experiment_.shape;
  const auto fill = [](int& number, int value) {
    if (number == 0) number = value;
  };
  wanted.dimension = wanted.channels = 1;
  wanted.kind = kind;
  fill(wanted.rank, own.rank);
  fill(wanted.width, own.width);
  fill(wanted.modes, own.modes);
  fill(wanted.depth, own.depth);
  if (rank > 0) wanted.rank = rank;
  if (!kind.starts_with("mno")) wanted.rank = 0;  // it has none
  return wanted;
}

program::ShapeNumbers Study::standard(const std::string& kind) const {
  program::ShapeNumbers wanted = options_.shape;
  wanted.dimension = wanted.channels = 1;
  wanted.kind = kind;
  if (!kind.starts_with("mno")) wanted.rank = 0;
  return demand::completed(wanted);
}

std::vector<int> Study::ranks(std::vector<int> standard) const {
  return options_.ranks.empty() ? standard : options_.ranks;
}

Data Study::data(const program::Equation& equation, Index samples, Index first, std::vector<double> times,
                 Index members) {
  mno::Sampling sampling{.samples = samples,
                         .members = members > 0 ? members : options_.sizes.members,
                         .seed = options_.data_seed,
                         .first_sample = first,
                         .times = std::move(times)};
  Data data;
  data.key = "data " + std::string(version) + ": " + program::description(equation) +
             " samples=" + std::to_string(samples) + " members=" + std::to_string(sampling.members) +
             " seed=" + std::to_string(sampling.seed) + " first=" + std::to_string(first) +
             " times=" + numbers(sampling.times);
  data.file = options_.cache / (program::name_of(equation) + "-" + content_hash(data.key) + ".npz");
  data.rows = samples * sampling.queries();
  data.points = program::points_of(equation);
  const bool there = std::any_of(simulations_.begin(), simulations_.end(),
                                 [&](const Simulation& one) { return one.file == data.file; });
  if (!there) simulations_.push_back({equation, sampling, data.file});
  return data;
}

Splits Study::splits(const program::Equation& equation, const std::vector<double>& times) {
  const Sizes& s = options_.sizes;
  return {data(equation, s.train, 0, times), data(equation, s.validation, begin_validation, times),
          data(equation, s.test, begin_test, times)};
}

Data Study::calibration(const program::Equation& equation, Index samples) {
  return data(equation, samples, begin_calibration);
}

Trained Study::train(const std::string& method, const program::ShapeNumbers& shape, Training training,
                     const Splits& data) {
  const program::ShapeNumbers full = demand::completed(shape);
  auto& options = training.options;
  if (const Index epochs = options_.sizes.epochs; epochs > 0) {  // a shorter run has a shorter beginning
    for (Index* phase : {&training.recipe.warmup_epochs, &training.recipe.ramp_epochs})
      *phase = *phase * epochs / std::max(epochs, options.epochs);
    options.epochs = epochs;
  }
  Trained trained{method, training.name, full, {}};
  for (Index seed = 1; seed <= options_.sizes.seeds; ++seed) {
    options.seed = std::uint64_t(seed);
    const std::string key =
        "model " + std::string(version) + ": " + full.list() + " " + training.text(data.train.rows) +
        " scaled=" + std::to_string(training.scaled_factor) + " factors=" + std::to_string(training.factors) +
        (training.least_points > 0 ? " least_points=" + std::to_string(training.least_points) : "") + "\n" +
        data.train.key + "\n" + data.validation.key;
    const std::filesystem::path file =
        options_.cache / (full.kind + "-" + content_hash(key) + ".safetensors");
    trained.models.push_back(file);
    const bool there =
        std::any_of(jobs_.begin(), jobs_.end(), [&](const Job& job) { return job.request.model == file; });
    if (there) continue;
    Job job;
    job.what = method + ", seed " + std::to_string(seed);
    job.shape = full;
    job.request.fit.training = options;
    job.request.loss = training.loss();
    job.request.recipe = training.name;
    if (!training.scaled_factor) job.request.fit.factor_scale = 1;
    job.request.fit.least_points = training.least_points;
    job.request.fit.data = data.train.file.string();
    job.request.model = file;
    job.request.fit.checkpoint = file.string() + ".checkpoint";
    job.train = data.train;
    job.validation = data.validation;
    job.factors = training.factors;
    job.work = double(data.train.rows) * double(data.train.points) * double(options.epochs);
    jobs_.push_back(std::move(job));
  }
  return trained;
}

void Study::run() {
  if (options_.restart) {
    for (const Simulation& one : simulations_) std::filesystem::remove(one.file);
    for (const Job& job : jobs_)
      for (const char* end : {"", ".checkpoint", ".checkpoint.previous", ".history.jsonl"})
        std::filesystem::remove(job.request.model.string() + end);
  }
  simulate();
  std::vector<program::ShapeNumbers> shapes;
  for (const Job& job : jobs_) shapes.push_back(job.shape);
  program::prepare(shapes);
  train_all();
}

void Study::simulate() {
  for (const Simulation& one : simulations_) {
    if (std::filesystem::exists(one.file)) continue;
    say("Simulating " + program::name_of(one.equation) + ": " + std::to_string(one.sampling.samples) +
        " initial conditions, " + std::to_string(one.sampling.members) + " members each …");
    if (!program::simulate_equation(one.equation, one.sampling, one.file, options_.threads, *progress_))
      throw Interrupted();
  }
}

std::shared_ptr<const mno::Ensemble<float, 1>> Study::statistics(const Data& data,
                                                                 mno::EnsembleOptions keep) {
  const std::lock_guard lock(statistics_mutex_);
  const auto named = [&](const std::string& key) -> auto& {
    return statistics_[key + " factors=" + std::to_string(keep.factors) +
                       " kept=" + std::to_string(keep.members)];
  };
  auto& all = named(data.file.string());
  if (!all) {
    const auto file = program::open_ensembles(data.file);
    all = std::make_shared<const mno::Ensemble<float, 1>>(program::read_statistics<1>(*file, keep));
  }
  if (all->grid().points[0] == data.points) return all;
  auto& coarse = named(data.key);
  if (!coarse) coarse = coarser(*all, data.points);
  return coarse;
}

/// False if it was interrupted: then its checkpoint is there.
bool Study::train_one(const Job& job, const std::function<void(const mno::EpochReport&)>& report) {
  program::TrainRequest request = job.request;
  request.fit.resume = std::filesystem::exists(request.fit.checkpoint);
  request.fit.interrupted = stop_;
  program::HistoryWriter history(program::history_of(request.model), request.fit.resume);
  request.fit.after_epoch = [&](const mno::EpochReport& now) {
    report(now);
    history.add(now);
  };
  const program::OperatorIn<1> model(program::choose(job.shape));
  const auto keep = program::needed(request.loss, model, job.factors);
  const auto train = statistics(job.train, keep);
  const auto validation = statistics(job.validation, {.members = keep.members && model.gives_draws()});
  if (model.train(*train, *validation, request).interrupted) return false;
  for (const char* end : {".checkpoint", ".checkpoint.previous"})
    std::filesystem::remove(request.model.string() + end);
  return true;
}

void Study::train_all() {
  std::vector<const Job*> open;
  double work = 0, done = 0;
  for (const Job& job : jobs_)
    if (!std::filesystem::exists(job.request.model)) {
      open.push_back(&job);
      work += job.work;
    }
  if (open.empty()) return;
  // The longest first, so that at the end all threads have something to do.
  std::stable_sort(open.begin(), open.end(), [](const Job* a, const Job* b) { return a->work > b->work; });
  say("Training " + std::to_string(open.size()) + " model(s)" +
      (open.size() < jobs_.size() ? ", " + std::to_string(jobs_.size() - open.size()) + " are there already"
                                  : "") +
      ", " + std::to_string(std::min(std::size_t(options_.threads), open.size())) + " at a time …");
  using Clock = std::chrono::steady_clock;
  const auto begin = Clock::now();
  auto shown = begin - std::chrono::hours(1);
  std::size_t finished = 0;
  std::mutex mutex;
  std::atomic<bool> failed = false, interrupted = false;
  stop_ = [&failed] { return failed || program::interruption(); };
  side_by_side(open.size(), options_.threads, [&](std::size_t i) {
    if (stop_()) {
      interrupted = true;
      return;
    }
    const Job& job = *open[i];
    double before = -1;  // what of this job is done, -1: not known
    try {
      const bool whole = train_one(job, [&](const mno::EpochReport& report) {
        const std::lock_guard lock(mutex);
        const double part = job.work * double(report.epoch) / double(report.epochs);
        if (before < 0) {  // what an earlier run did does not count
          before = job.work * std::max(0.0, double(report.epoch - 1)) / double(report.epochs);
          work -= before;
        }
        done += part - before;
        before = part;
        const auto now = Clock::now();
        const double since = std::chrono::duration<double>(now - shown).count();
        if (since < (progress_->terminal() ? 0.2 : seconds_between_lines)) return;
        shown = now;
        const double passed = std::chrono::duration<double>(now - begin).count();
        progress_->show(
            std::to_string(finished) + " of " + std::to_string(open.size()) + " models, " +
            program::clock(passed * (work - done) / std::max(done, 1e-9)) + " left  (" + job.what +
            ": epoch " + std::to_string(report.epoch) + "/" + std::to_string(report.epochs) +
            (report.validation ? ", on validation: " + program::text_of(*report.validation) : "") + ")");
      });
      if (!whole) interrupted = true;
    } catch (...) {
      failed = true;
      throw;
    }
    const std::lock_guard lock(mutex);
    ++finished;
  });
  progress_->close();
  stop_ = program::interruption;
  if (interrupted) throw Interrupted();
  say("  " + program::clock(std::chrono::duration<double>(Clock::now() - begin).count()));
}

void Study::for_each_seed(const Trained& trained, const std::function<void(std::size_t)>& f) {
  side_by_side(trained.models.size(), options_.threads, [&](std::size_t seed) {
    if (program::interruption()) throw Interrupted();
    f(seed);
  });
}

void Study::for_each_prediction(const Trained& trained, std::size_t seed, const Data& data,
                                const std::function<void(const program::Prediction<1>&)>& sink) const {
  const auto model = load(trained, seed);
  const auto file = program::open_ensembles(data.file);
  program::for_each_prediction<1>(*model, *file, {.points = data.points}, sink);
}

std::unique_ptr<program::Predictor<1>> Study::load(const Trained& trained, std::size_t seed) const {
  return program::OperatorIn<1>(program::choose(trained.shape)).load(trained.models.at(seed), 1);
}

program::Cost Study::cost(const Trained& trained, const Data& data, Index draws) const {
  return program::cost(*load(trained, 0), *program::open_ensembles(data.file), draws);
}

Index Study::first_test() { return begin_test; }

/// Rows for every seed. The floor is the data's, whatever the seed.
std::vector<std::vector<Row>> Study::evaluate(const Place& place, const Trained& trained, const Data& data) {
  std::vector<std::vector<Row>> seeds(trained.models.size());
  for_each_seed(trained, [&](std::size_t seed) {
    program::EvaluateRequest request;
    request.model = trained.models[seed];
    request.selection = {place.time, data.points};
    request.metrics = place.metrics;
    request.examples = 0;
    request.floors = seed == 0;
    request.seed = std::uint64_t(seed + 1);
    const auto file = program::open_ensembles(data.file);
    seeds[seed] = program::evaluate(*file, request).rows;
  });
  for (auto& rows : seeds)
    for (std::size_t r = 0; r < rows.size(); ++r) rows[r].floor = seeds[0][r].floor;
  return seeds;
}

std::vector<Row> Study::table(const Place& place, const std::string& method,
                              const std::vector<std::vector<Row>>& seeds) {
  std::vector<Row> rows = program::over_seeds(seeds);
  for (Row& row : rows) row.at.insert(place.at.begin(), place.at.end());
  program::name_rows(rows, place.table, place.benchmark, method, place.paper_method);
  record_.rows.insert(record_.rows.end(), rows.begin(), rows.end());
  return rows;
}

std::vector<Row> Study::table(const Place& place, const Trained& trained, const Data& data) {
  return table(place, trained.method, evaluate(place, trained, data));
}

void Study::again(std::vector<Row> rows, const Place& place, const std::string& without) {
  for (Row& row : rows) {
    row.at.erase(without);
    row.paper.reset();
  }
  program::name_rows(rows, place.table, place.benchmark, rows.front().method, place.paper_method);
  record_.rows.insert(record_.rows.end(), rows.begin(), rows.end());
}

void Study::show(const Trained& trained, const Data& data) {
  program::EvaluateRequest request;
  request.model = trained.models.at(0);
  request.selection.points = data.points;
  request.seed = 1;
  request.metrics = {"crps"};
  request.floors = false;
  const auto file = program::open_ensembles(data.file);
  const auto seen = program::evaluate(*file, request);
  record_.verdict = seen.verdict;
  if (record_.verdict)
    record_.verdict->sentence =
        trained.method + (trained.models.size() > 1 ? ", first seed: " : ": ") + record_.verdict->sentence;
  record_.conditions = seen.conditions;
  record_.examples = seen.examples;
  record_.calibration = seen.calibration;
  record_.pit = seen.pit;
  record_.spectra = seen.spectra;
  record_.curves = program::curves_of(request.model);
  record_.settings = program::settings_of(request.model);
}

}  // namespace experiment
