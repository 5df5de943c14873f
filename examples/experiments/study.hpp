#pragma once
// What the experiments share: data by content, models by what they were trained with, tables over seeds.
//
//   void burgers(Study& study) {
//     const Splits data = study.splits(mno::spde::Burgers{});
//     const Trained mno = study.train("mno", study.shape(), recipe::decoupled(), data);
//     study.run();
//     study.table({"1d-spde", "burgers"}, mno, data.test);
//   }
//
// Declaring costs nothing: run() simulates what is not in the cache and trains what is not, several models
// side by side, each on one thread. A file of the cache is named by all that defines its content, so that
// experiments share what they can, and a run that is interrupted or given again loses nothing.
#include <mno/train/checkpoint.hpp>
#include <mutex>

#include "results.hpp"
#include "simulate.hpp"

namespace experiment {

using mno::Index;
using mno::report::Row;

/// How much of everything. 0: what the experiment says.
struct Sizes {
  Index train = 0, validation = 0, test = 0, members = 0, epochs = 0, seeds = 0;
};

/// A recipe: loss, optimiser and length of a training, under a name.
struct Training {
  std::string name{};
  mno::TrainingOptions options{};
  mno::Recipe recipe{};
  bool scaled_factor = true;                // by 4√(mean training variance)
  Index factors = 16;                       // of the ensemble's covariance, for losses that look at it
  Index least_points = 0;                   // that the layers work on; 0: as given
  std::optional<mno::EnergyLoss> energy{};  // scores of draws, in the place of the recipe

  demand::LossChoice loss() const {
    return energy ? demand::LossChoice(*energy) : demand::LossChoice(recipe);
  }
  std::string text(Index rows) const {
    return energy ? mno::detail::training_text(options, *energy, rows)
                  : mno::detail::training_text(options, recipe, rows);
  }
};

/// Ensembles of one equation in a file of the cache, on some of its points.
struct Data {
  std::string key{};  // all that defines its content
  std::filesystem::path file{};
  Index rows = 0, points = 0;

  /// The same fields on a coarser grid.
  Data at(Index coarser) const;
};
struct Splits {
  Data train{}, validation{}, test{};

  Splits at(Index coarser) const { return {train.at(coarser), validation.at(coarser), test.at(coarser)}; }
};

/// One model per seed.
struct Trained {
  std::string method{}, recipe{};
  program::ShapeNumbers shape{};
  std::vector<std::filesystem::path> models{};
};

struct Options {
  Sizes sizes{};
  program::ShapeNumbers shape{};  // 0: what the experiment says
  std::vector<int> ranks{};       // of ablations; none: what the experiment says
  std::uint64_t data_seed = 1;
  std::filesystem::path folder{}, cache{};
  int threads = 0;
  bool full = false, quick = false, restart = false, json = false;
};

class Study;

struct Experiment {
  const char *name, *what;
  Sizes full, quick;
  program::ShapeNumbers shape;
  void (*run)(Study&);
};

/// Thrown by run() and evaluate() where Ctrl-C or SIGTERM asked for it: what is done stays.
using demand::Interrupted;

class Study {
 public:
  Study(const Experiment& experiment, const Options& options);

  // --- what there is to do
  const Sizes& sizes() const { return options_.sizes; }
  bool full() const { return options_.full; }
  /// The experiment's own operator, or another kind or rank of it.
  program::ShapeNumbers shape(const std::string& kind = "mno", int rank = 0) const;
  /// An operator of the standard numbers, whatever the experiment's own are, but for what the command line
  /// says.
  program::ShapeNumbers standard(const std::string& kind) const;
  /// Ranks to compare: those of the command line, or these.
  std::vector<int> ranks(std::vector<int> standard) const;

  /// Initial conditions [first, first + samples) of an equation. Nothing is simulated yet.
  Data data(const program::Equation& equation, Index samples, Index first, std::vector<double> times = {},
            Index members = 0);
  /// Initial conditions to train, validate and test on, none of them in two.
  Splits splits(const program::Equation& equation, const std::vector<double>& times = {});
  /// Others, to calibrate on.
  Data calibration(const program::Equation& equation, Index samples);
  /// A model for every seed. Nothing is trained yet.
  Trained train(const std::string& method, const program::ShapeNumbers& shape, Training training,
                const Splits& data);

  /// Simulates and trains what is not there.
  void run();

  // --- what comes out
  /// Rows of a table: means over seeds, with floors, and the paper's numbers for this method or for
  /// another name of it.
  struct Place {
    std::string table{}, benchmark{};
    std::map<std::string, mno::report::At> at{};
    std::vector<std::string> metrics{};  // none: all
    std::string paper_method{};          // none: the method's own name
    std::optional<double> time{};
  };
  std::vector<Row> table(const Place& place, const Trained& trained, const Data& data);
  /// Rows that were measured otherwise, one list per seed.
  std::vector<Row> table(const Place& place, const std::string& method,
                         const std::vector<std::vector<Row>>& seeds);
  /// The same rows in another table, without one coordinate.
  void again(std::vector<Row> rows, const Place& place, const std::string& without);
  /// What the first seed predicts, beside the ensembles: pictures and training curves.
  void show(const Trained& trained, const Data& data);
  void add(mno::report::Figure figure) { record_.figures.push_back(std::move(figure)); }

  /// f(seed number from 0) side by side.
  void for_each_seed(const Trained& trained, const std::function<void(std::size_t)>& f);
  /// Every condition of the data as the model of one seed sees it.
  void for_each_prediction(const Trained& trained, std::size_t seed, const Data& data,
                           const std::function<void(const program::Prediction<1>&)>& sink) const;

  std::unique_ptr<program::Predictor<1>> load(const Trained& trained, std::size_t seed) const;
  /// Time and memory of a law and of draws from it, by the first seed's model.
  program::Cost cost(const Trained& trained, const Data& data, Index draws) const;
  std::uint64_t data_seed() const { return options_.data_seed; }
  static Index first_test();  // where in the seed's sequence the test conditions begin

  mno::report::RunRecord& record() { return record_; }

 private:
  struct Simulation {
    program::Equation equation;
    mno::Sampling sampling;
    std::filesystem::path file;
  };
  struct Job {
    std::string what;
    program::ShapeNumbers shape;
    program::TrainRequest request;
    Data train, validation;
    Index factors;
    double work;  // samples · points · epochs, for the time left
  };
  void simulate();
  void train_all();
  bool train_one(const Job& job, const std::function<void(const mno::EpochReport&)>& report);
  std::shared_ptr<const mno::Ensemble<float, 1>> statistics(const Data& data, mno::EnsembleOptions keep);
  std::vector<std::vector<Row>> evaluate(const Place& place, const Trained& trained, const Data& data);
  void say(const std::string& text) const;

  const Experiment& experiment_;
  Options options_;
  std::vector<Simulation> simulations_{};
  std::vector<Job> jobs_{};
  std::map<std::string, std::shared_ptr<const mno::Ensemble<float, 1>>> statistics_{};
  std::mutex statistics_mutex_{};
  std::function<bool()> stop_{};
  mno::report::RunRecord record_{};
  std::unique_ptr<program::Progress> progress_;
};

/// f(i) for i < count on so many threads; the first error in order is thrown when all have come to an end.
void side_by_side(std::size_t count, int threads, const std::function<void(std::size_t)>& f);

/// 16 digits that name a content.
std::string content_hash(const std::string& text);

/// The value of a metric among rows, or NaN.
double value_of(const std::vector<Row>& rows, const std::string& metric);
double floor_of(const std::vector<Row>& rows, const std::string& metric);

}  // namespace experiment
