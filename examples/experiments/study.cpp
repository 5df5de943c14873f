#include "study.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <exception>
#include <iostream>
#include <mno/simulate/simulate.hpp>
#include <numeric>
#include <thread>

#include "command.hpp"
#include "demand/kind_list.hpp"
#include "exact.hpp"
#include "history.hpp"
#include "ranks.hpp"
#include "recipes.hpp"
#include "stopwatch.hpp"

namespace experiment {

namespace {

// Where in a seed's sequence of initial conditions its pieces begin: whatever their sizes, no condition is in
// two of them, and a larger training set leaves the others as they are. Test conditions begin at 700000 since
// those from 200000 on have been looked at while choices were made.
Index begin_of(Study::Use use) {
  switch (use) {
    case Study::Use::training:
      return 0;
    case Study::Use::validation:
      return 100000;
    case Study::Use::calibration:
      return 300000;
    case Study::Use::sweep:
      return 400000;
    case Study::Use::sweep_validation:
      return 500000;
    default:
      return 700000;
  }
}

// Part of every name in the cache. To be raised when simulators, or training, change what they compute.
constexpr const char *data_version = "4", *model_version = "5";

constexpr double seconds_between_lines = 15;

/// Only one kind of diffusion: the others have the same weights.
const std::vector<std::string> all_rivals{
    "noise-fno",  "noise-ffno",  "wiener-chaos",          "sdeno",       "f-spdeno", "neural-sde",
    "neural-cde", "neural-spde", "neural-sde-transition", "diffusion-50"};
/// In a step, operators with noise inside run once for every draw of every condition, and these three run
/// their networks in 8 steps of a solver each time. `fit`'s search for a length would take hours, so each of
/// the two classes has one length; the second is half of the first.
const std::vector<std::string> with_noise{"noise-fno", "noise-ffno", "wiener-chaos", "sdeno", "f-spdeno"};
const std::vector<std::string> solvers{"neural-sde", "neural-cde", "neural-spde"};
bool among(const std::vector<std::string>& all, const std::string& method) {
  return std::ranges::find(all, method) != all.end();
}

std::string numbers(const std::vector<double>& values) {
  std::string out;
  for (const double value : values) out += " " + mno::io::detail::number(value);
  return out;
}

/// What `fit` would choose: part of a model's name, so that other choices give other names.
std::string choices_text(Index rows, Index batch) {
  mno::Ensemble<float, 1> factors;
  factors.covariance_factor = mno::Field<float, 1>(1, mno::Grid<1>{{1}}, 1);
  std::string out = mno::ensemble_recipe(factors).text() + " | " + mno::draws_recipe(1, 0).text() + " | " +
                    mno::default_field_recipe().text() + " |";
  for (const bool draws : {false, true})
    for (const bool symmetric : {false, true})
      for (const Index epochs : mno::default_lengths(rows, batch, draws, symmetric))
        out += " " + std::to_string(epochs);
  return out;
}

template <int D>
std::shared_ptr<const mno::Ensemble<float, D>> coarser(const mno::Ensemble<float, D>& fine, Index points) {
  using Ensemble = mno::Ensemble<float, D>;
  auto coarse = fine;
  for (auto field : {&Ensemble::initial, &Ensemble::mean, &Ensemble::variance, &Ensemble::covariance_factor,
                     &Ensemble::members, &Ensemble::known})
    if ((fine.*field).size() > 0) coarse.*field = mno::subsample(fine.*field, points);
  return std::make_shared<const Ensemble>(std::move(coarse));
}

/// 16 digits that name a content.
std::string content_hash(const std::string& text) {
  std::uint64_t state = 0xCBF29CE484222325;  // FNV-1a
  for (const char c : text) state = (state ^ std::uint64_t(static_cast<unsigned char>(c))) * 0x100000001B3;
  char digits[17];
  std::snprintf(digits, sizeof digits, "%016llx", static_cast<unsigned long long>(state));
  return digits;
}

}  // namespace

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
  Data result = *this;
  result.points = coarser;
  for (File& file : result.pairs) file.key += " at points=" + std::to_string(coarser);
  return result;
}
Splits Splits::at(Index coarser) const {
  return {train.at(coarser), validation.rows > 0 ? validation.at(coarser) : validation, test.at(coarser)};
}

Study::Study(const Experiment& experiment, const Options& options)
    : experiment_(experiment),
      options_(options),
      swept_(options.sweep),
      progress_(std::make_unique<program::Progress>(options.json || program::silent_rank())) {
  Sizes& sizes = options_.sizes;
  const Sizes& standard = options_.full ? experiment.full : experiment.quick;
  for (const auto member :
       {&Sizes::train, &Sizes::validation, &Sizes::test, &Sizes::members, &Sizes::epochs, &Sizes::pairs})
    if (sizes.*member == 0) sizes.*member = standard.*member;
  mno::require(sizes.train <= begin_of(Use::validation), "experiment", "--samples",
               mno::Text("at most ", begin_of(Use::validation)), mno::Text(sizes.train));
  if (std::ranges::find(options_.rivals, "all") != options_.rivals.end()) options_.rivals = all_rivals;
  options_.threads = program::threads_of_rank(options_.threads);
  if (options_.cache.empty()) {
    const auto parent = std::filesystem::absolute(options_.folder).lexically_normal().parent_path();
    options_.cache = std::filesystem::relative(parent) / "cache";
  }
  std::filesystem::create_directories(options_.cache);
  stop_ = program::interruption;
  record_.version = mno::library_version;
  record_.methods.emplace();
}

void Study::say(const std::string& text) const {
  if (!options_.json && !program::silent_rank()) std::cerr << text << "\n";
}

program::ShapeNumbers Study::shape(const std::string& kind, int rank) const {
  program::ShapeNumbers wanted = options_.shape, own = experiment_.shape;
  if (const demand::Kind* rival = demand::kind_of(kind); rival && rival->width > 0)
    own = demand::completed({.kind = kind, .dimension = own.dimension});  // it has numbers of its own
  const auto fill = [](int& number, int value) {
    if (number == 0) number = value;
  };
  wanted.dimension = experiment_.shape.dimension;
  wanted.channels = experiment_.shape.channels;
  wanted.kind = kind;
  fill(wanted.rank, own.rank);
  fill(wanted.width, own.width);
  fill(wanted.modes, own.modes);
  fill(wanted.depth, own.depth);
  if (rank > 0) wanted.rank = rank;
  if (!kind.starts_with("mno")) wanted.rank = 0;  // it has none
  return wanted;
}

std::vector<int> Study::ranks(std::vector<int> standard) const {
  return options_.ranks.empty() ? standard : options_.ranks;
}

Data Study::data(const program::Equation& equation, Use use, Draw draw) {
  const Index members = draw.members > 0 ? draw.members : options_.sizes.members;
  Data data;
  data.equation = equation;
  data.first = begin_of(use);
  const program::DataShape shape = program::data_shape(equation);
  data.dimension = shape.dimension;
  data.points = shape.points;
  data.channels = shape.channels;
  data.known = shape.known;
  data.members = members;
  for (Index pair = 0; pair < options_.sizes.pairs; ++pair) {
    const mno::Sampling sampling{.samples = draw.samples,
                                 .members = members * (1 + draw.further),
                                 .seed = options_.data_seed + std::uint64_t(pair),
                                 .first_sample = data.first,
                                 .times = draw.times};
    data.queries = draw.paths ? 1 : sampling.queries();
    if (draw.paths) data.channels = shape.channels * sampling.queries();
    data.rows = draw.samples * data.queries;
    Data::File& file = data.pairs.emplace_back();
    file.seed = sampling.seed;
    file.key = "data " + std::string(data_version) + ": " + program::description(equation) +
               " samples=" + std::to_string(draw.samples) + " members=" + std::to_string(sampling.members) +
               " seed=" + std::to_string(sampling.seed) + " first=" + std::to_string(data.first) +
               " times=" + numbers(sampling.times) + (draw.paths ? " paths" : "");
    file.path = options_.cache / (program::name_of(equation) + "-" + content_hash(file.key) + ".npz");
    const bool there = std::any_of(simulations_.begin(), simulations_.end(),
                                   [&](const Simulation& one) { return one.file == file.path; });
    if (!there) simulations_.push_back({equation, sampling, file.path, draw.paths});
  }
  return data;
}

Index Study::further(const program::Equation& equation) {
  if (has_exact_law(equation)) return 0;
  return program::data_shape(equation).dimension == 1 ? 16 : 4;
}

Splits Study::splits(const program::Equation& equation, const std::vector<double>& times, Index members) {
  const Sizes& s = options_.sizes;
  Splits all;
  all.train = data(equation, Use::training, {s.train, members, times});
  if (s.validation > 0) all.validation = data(equation, Use::validation, {s.validation, members, times});
  all.test = data(equation, Use::test, {s.test, 0, times, further(equation)});
  return all;
}

std::vector<Trained> controls(const Trained& field) {
  std::vector<Trained> both(2, field);
  both[0].method += "-constant-variance";
  both[0].spread = Spread::constant;
  both[1].method += "-residual-covariance";
  both[1].spread = Spread::residuals;
  return both;
}

Trained Study::train(const std::string& method, const program::ShapeNumbers& shape, Training training,
                     const Splits& data) {
  program::ShapeNumbers full = shape;
  full.dimension = data.train.dimension;
  full.channels = int(data.train.channels);
  full.known = int(data.train.known);
  full = demand::completed(full);
  auto& options = training.options;
  const Index per_epoch = (data.train.rows + options.batch - 1) / options.batch;
  if (training.steps > 0) options.epochs = std::max<Index>(1, training.steps / per_epoch);
  if (const Index epochs = options_.sizes.epochs; epochs > 0) options.epochs = epochs;
  const Index length = options.epochs * per_epoch;
  if (training.beginning > 0)
    training.recipe().warmup_epochs = training.recipe().ramp_epochs =
        Index(std::lround(training.beginning * double(options.epochs)));
  Trained trained{method, training.name, full, data.train, {}, Spread::own, length};
  for (std::size_t pair = 0; pair < data.train.pairs.size(); ++pair) {
    options.seed = std::uint64_t(pair + 1) + (training.other_seed << 16);
    const std::string key =
        "model " + std::string(model_version) + ": " + full.list() + " " + training.text(data.train.rows) +
        (training.chosen() ? " chosen: " + choices_text(data.train.rows, options.batch) : "") +
        " scale=" + mno::io::detail::number(training.factor_scale.value_or(0)) +
        " least_points=" + std::to_string(training.least_points) +
        (training.warp.identity() ? "" : " warp=" + training.warp.text()) +
        (training.choose_residual ? " residual=auto" : "") + "\n" + data.train.pairs[pair].key + "\n" +
        (data.validation.rows > 0 ? data.validation.pairs[pair].key : std::string("held back"));
    const std::filesystem::path file =
        options_.cache / (full.kind + "-" + content_hash(key) + ".safetensors");
    trained.models.push_back(file);
    const bool there =
        std::any_of(jobs_.begin(), jobs_.end(), [&](const Job& job) { return job.request.model == file; });
    if (there) continue;
    Job job;
    job.what = method + ", pair " + std::to_string(pair + 1);
    job.shape = full;
    job.request.fit.training = options;
    job.request.loss = training.loss;
    job.request.fit.split_seed = options.seed;
    job.request.fit.factor_scale = training.factor_scale;
    job.request.fit.least_points = training.least_points;
    job.request.fit.warp = training.warp;
    job.request.fit.choose_residual = training.choose_residual;
    job.request.fit.data = data.train.pairs[pair].path.string();
    job.request.fit.checkpoint = file.string() + ".checkpoint";
    job.request.recipe = training.name;
    job.request.model = file;
    job.train = data.train;
    job.validation = data.validation;
    job.pair = pair;
    job.lengths = options.epochs > 0
                      ? std::vector<Index>{options.epochs}
                      : mno::default_lengths(data.train.rows, options.batch, data.train.members == 1, true);
    job.work = double(data.train.rows) * std::pow(double(data.train.points), data.train.dimension) *
               double(std::accumulate(job.lengths.begin(), job.lengths.end(), Index(0)));
    jobs_.push_back(std::move(job));
  }
  return trained;
}

std::vector<std::string> Study::compared() const {
  std::vector<std::string> all{"mno", "fno"};
  const auto& rivals = options_.rivals.empty() ? all_rivals : options_.rivals;
  all.insert(all.end(), rivals.begin(), rivals.end());
  return all;
}
program::ShapeNumbers Study::shape_of(const std::string& method) const {
  return method == "mno" ? shape() : shape(method);
}
Training Study::tuned(const std::string& method) const {
  const bool solver = among(solvers, method), noisy = solver || among(with_noise, method);
  Training training =
      noisy ? recipe::energy(solver ? recipe::steps_of_solvers : recipe::steps_of_rivals) : Training();
  training.options.adamw = swept_.best(method, training.options.adamw);
  return training;
}

std::vector<Trained> Study::rivals(const Splits& data, Index least_points) {
  std::vector<Trained> all;
  if (options_.rivals.empty()) return all;
  const auto add = [&](const std::string& method, const program::ShapeNumbers& of, Training training) {
    training.least_points = least_points;
    all.push_back(train(method, of, std::move(training), data));
  };
  for (const std::string& kind : options_.rivals) add(kind, shape(kind), tuned(kind));
  Training energy = recipe::energy(recipe::steps_of_rivals);
  energy.options.adamw = tuned("mno").options.adamw;
  add("mno-energy", shape(), energy);
  for (const std::string method : {"mno", "fno"}) {
    Training same = tuned(method);
    same.name += ", the rivals' steps";
    same.steps = recipe::steps_of_rivals;
    add(method + "-same-steps", shape_of(method), same);
  }
  return all;
}

void Study::run() {
  // Of several ranks each does a share of what is not there yet; then all have all, in the cache.
  mno::Communicator& ranks = program::ranks();
  const auto share = [&](auto&& work) {
    bool interrupted = false;
    try {
      work();
    } catch (const Interrupted&) {
      interrupted = true;
    }
    if (ranks.any(interrupted)) throw Interrupted();
  };
  share([&] {
    if (options_.restart) remove_results();
  });
  share([&] { simulate(); });
  std::vector<program::ShapeNumbers> shapes;
  for (const Job& job : jobs_) shapes.push_back(job.shape);
  share([&] {
    if (ranks.rank() == 0) program::prepare(shapes);
  });
  share([&] { program::prepare(shapes); });  // where they are not compiled any more
  share([&] { train_all(); });
}

/// What an earlier call of this made is not removed.
void Study::remove_results() {
  const bool first = program::ranks().rank() == 0;
  for (const Simulation& one : simulations_)
    if (made_.insert(one.file).second && first) std::filesystem::remove(one.file);
  for (const Job& job : jobs_)
    if (made_.insert(job.request.model).second && first)
      for (const char* end :
           {"", ".checkpoint", ".checkpoint.previous", ".checkpoint.shorter", ".history.jsonl", ".seconds"})
        std::filesystem::remove(job.request.model.string() + end);
}

void Study::simulate() {
  const mno::Communicator& ranks = program::ranks();
  for (std::size_t i = 0; i < simulations_.size(); ++i) {
    const Simulation& one = simulations_[i];
    if (Index(i) % ranks.size() != ranks.rank() || std::filesystem::exists(one.file)) continue;
    say("Simulating " + program::name_of(one.equation) + ": " + std::to_string(one.sampling.samples) +
        " initial conditions, " + std::to_string(one.sampling.members) + " members each …");
    if (!program::simulate_equation(one.equation, one.sampling, one.file, options_.threads, *progress_,
                                    one.paths))
      throw Interrupted();
  }
}

template <int D>
std::shared_ptr<const mno::Ensemble<float, D>> Study::statistics(const Data& data, std::size_t pair,
                                                                 mno::EnsembleOptions keep) {
  using Ensemble = mno::Ensemble<float, D>;
  const std::lock_guard lock(mutex_);
  const auto named = [&](const std::string& key, const auto& made) {
    auto& found = statistics_[key + " factors=" + std::to_string(keep.factors) +
                              " kept=" + std::to_string(keep.members)];
    if (!found) found = made();
    return std::static_pointer_cast<const Ensemble>(found);
  };
  const Data::File& from = data.pairs[pair];
  const auto all = named(from.path.string(), [&] {
    return std::make_shared<const Ensemble>(
        program::read_statistics<D>(*program::open_ensembles(from.path), keep));
  });
  if (all->grid().points[0] == data.points && data.samples.empty()) return all;
  return named(from.key, [&] {
    return data.samples.empty() ? coarser(*all, data.points)
                                : std::make_shared<const Ensemble>(mno::subset(*all, data.samples));
  });
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
  const Stopwatch watch(request.model, request.fit.resume);
  const bool whole =
      program::in_dimension(program::choose(job.shape), [&]<int D>(const program::OperatorIn<D>& model) {
        const auto keep = program::needed(request, model);
        const auto train = statistics<D>(job.train, job.pair, keep);
        std::optional<mno::Ensemble<float, D>> validation;
        if (job.validation.rows > 0)
          validation = *statistics<D>(job.validation, job.pair, {.members = keep.members});
        return !model.train(*train, validation, request).interrupted;
      });
  if (!whole) return false;
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
  const mno::Communicator& ranks = program::ranks();
  say("Training " + std::to_string(open.size()) + " model(s)" +
      (open.size() < jobs_.size() ? ", " + std::to_string(jobs_.size() - open.size()) + " are there already"
                                  : "") +
      ", " + std::to_string(std::min(std::size_t(options_.threads), open.size())) + " at a time" +
      (ranks.size() > 1 ? " on each of " + std::to_string(ranks.size()) + " ranks, of which this one tells"
                        : "") +
      " …");
  if (ranks.size() > 1) {  // every rank takes one in turn
    std::vector<const Job*> own;
    work = 0;
    for (std::size_t i = std::size_t(ranks.rank()); i < open.size(); i += std::size_t(ranks.size())) {
      own.push_back(open[i]);
      work += open[i]->work;
    }
    open = std::move(own);
  }
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
    double before = -1;  // the part of this job that is done; -1: not known
    try {
      const bool whole = train_one(job, [&](const mno::EpochReport& report) {
        const std::lock_guard lock(mutex);
        Index epochs = report.epoch, all = 0;
        for (const Index length : job.lengths) {
          all += length;
          if (length < report.epochs) epochs += length;  // shorter runs came before
        }
        const double part = job.work * std::min(1.0, double(epochs) / double(all));
        if (before < 0) {  // work of an earlier run does not count
          before = job.work * std::max(0.0, double(epochs - 1)) / double(all);
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
    if (before > 0) work -= job.work - before;  // longer runs were not needed
    ++finished;
  });
  progress_->close();
  stop_ = program::interruption;
  if (interrupted) throw Interrupted();
  say("  " + program::clock(std::chrono::duration<double>(Clock::now() - begin).count()));
}

void Study::for_each_pair(const Trained& trained, const std::function<void(std::size_t)>& f) {
  side_by_side(trained.models.size(), options_.threads, [&](std::size_t pair) {
    if (program::interruption()) throw Interrupted();
    f(pair);
  });
}

program::Cost Study::cost(const Trained& trained, const Data& data, Index draws) const {
  return program::in_dimension(
      program::choose(trained.shape), [&]<int D>(const program::OperatorIn<D>& model) {
        return program::cost<D>(*model.load(trained.models.at(0), 1),
                                *program::open_ensembles(data.pairs.at(0).path), draws);
      });
}

std::vector<program::Times> Study::times(const std::vector<Trained>& all, const Data& data,
                                         Index draws) const {
  return program::in_dimension(program::choose(all.at(0).shape), [&]<int D>(const program::OperatorIn<D>&) {
    std::vector<std::unique_ptr<program::Predictor<D>>> models;
    for (const Trained& one : all) models.push_back(load<D>(one, 0));
    return program::times<D>(models, *program::open_ensembles(data.pairs.at(0).path), draws);
  });
}

}  // namespace experiment
