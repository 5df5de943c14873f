#pragma once
// What the experiments share: data by content, models by what they were trained with, tables over pairs of
// seeds.
//
//   void burgers(Study& study) {
//     const Splits data = study.splits(mno::spde::Burgers{});
//     const Trained mno = study.train("mno", study.shape(), {}, data);  // as mno train without flags
//     const Trained fno = study.train("fno", study.shape("fno"), {}, data);
//     study.run();
//     study.tables({.table = "1d-spde", .benchmark = "burgers"}, {mno, fno}, data.test);
//   }
//
// A number of a table is a mean over pairs (data seed, model seed): every pair has training, validation and
// test conditions of its own, and a model of its own. Beside it stands the floor of the same test conditions,
// pair by pair: the score of the law itself where it is known (exact.hpp), else an estimate from further
// members.
//
// Declaring costs nothing: run() simulates and trains what is not in the cache, several models side by side,
// each on one thread. A file of the cache is named by all that defines its content, so that experiments share
// what they can, and a run that is interrupted or given again loses nothing.
#include <mno/train/checkpoint.hpp>
#include <mutex>
#include <set>

#include "evaluation.hpp"
#include "results.hpp"
#include "simulate.hpp"
#include "swept.hpp"

namespace experiment {

using mno::Index;
using mno::report::Row;

/// The numbers of conditions, members, epochs and pairs. 0: what the experiment says. If validation is 0
/// there too, none are drawn, and `fit` holds back some of the training conditions as mno train does.
struct Sizes {
  Index train = 0, validation = 0, test = 0, members = 0, epochs = 0, pairs = 0;
};

/// Loss, optimiser and length of a training under a name. `fit` chooses what is not set, as for mno train
/// without flags.
struct Training {
  std::string name = "auto";
  demand::LossChoice loss{};
  mno::TrainingOptions options{.epochs = 0};  // 0: steps says, else chosen on validation
  Index steps = 0;                            // the length in steps, whatever the number of conditions
  double beginning = 0;                       // warm-up and ramp of the loss are each this part of the length
  std::optional<double> factor_scale{};
  Index least_points = 0;        // that the layers work on; 0: as given
  mno::AnyWarp warp{};           // from the law's coordinates to those of the data
  std::uint64_t other_seed = 0;  // models of one pair that differ by their seed alone
  bool choose_residual = false;  // the law of residuals is learned from validation

  mno::Recipe& recipe() { return std::get<mno::Recipe>(loss); }
  bool chosen() const { return std::holds_alternative<demand::ChosenByFit>(loss); }
  /// Everything that distinguishes it from others.
  std::string text(Index rows) const {
    return std::visit(
        [&]<class L>(const L& given) {
          if constexpr (std::is_same_v<L, demand::ChosenByFit>)
            return mno::detail::training_text(options, mno::Recipe{}, rows);
          else
            return mno::detail::training_text(options, given, rows);
        },
        loss);
  }
};

/// Ensembles of one equation, a file of the cache for every pair, on some of their points.
struct Data {
  struct File {
    std::string key{};  // all that defines its content
    std::filesystem::path path{};
    std::uint64_t seed = 0;
  };
  program::Equation equation{};
  std::vector<File> pairs{};
  Index first = 0, queries = 1;  // where in the seeds' sequences it begins; times of a condition
  Index rows = 0;
  int dimension = 1;
  Index points = 0, channels = 1, known = 0;  // points of every axis, known fields
  std::vector<Index> samples{};               // of the files; none: all
  Index members = 0;                          // that scores use; further ones in a file give the floor

  /// The same fields on a coarser grid.
  Data at(Index coarser) const;
};
struct Splits {
  Data train{}, validation{}, test{};  // no rows to validate on: some are held back

  Splits at(Index coarser) const;
};

/// Which spread a law has around the mean of a model.
enum class Spread {
  own,       // that of the model, or none
  constant,  // one variance per channel, of the residuals on validation
  residuals  // one covariance of all residuals: leading factors and the rest of the diagonal
};

/// One model per pair.
struct Trained {
  std::string method{}, recipe{};
  program::ShapeNumbers shape{};
  Data train{};
  std::vector<std::filesystem::path> models{};
  Spread spread = Spread::own;
  Index steps = 0;  // of training, where these were asked for
};

/// The controls that a law has to beat: laws around the mean of a deterministic operator whose spread does
/// not depend on the condition.
std::vector<Trained> controls(const Trained& field);

struct Options {
  Sizes sizes{};
  program::ShapeNumbers shape{};      // 0: what the experiment says
  std::vector<int> ranks{};           // of ablations; none: what the experiment says
  Index points = 0;                   // on each axis of a square, to train on; 0: what the experiment says
  std::vector<std::string> rivals{};  // further kinds of operators, where an experiment compares some
  std::filesystem::path sweep{};      // rows that the optimiser of these is taken from; none: the usual one
  std::uint64_t data_seed = 1;        // of the first pair
  std::filesystem::path folder{}, cache{};
  std::filesystem::path measured = "build/measured";  // where examples/measured/fetch has put its files
  int threads = 0;
  bool full = false, quick = false, restart = false, json = false;
};

class Study;

struct Experiment {
  const char *name, *what;
  Sizes full, quick;
  program::ShapeNumbers shape;
  void (*run)(Study&);
  bool measured = false;  // it simulates nothing: its data are files, as large as they are
};

/// Thrown by run() and tables() where Ctrl-C or SIGTERM asked for it: what is done stays.
using demand::Interrupted;

class Study {
 public:
  Study(const Experiment& experiment, const Options& options);

  // --- what there is to do
  const Sizes& sizes() const { return options_.sizes; }
  const Options& options() const { return options_; }
  bool full() const { return options_.full; }
  /// The experiment's own operator, or another kind or rank of it. Training takes its dimension, channels and
  /// known fields from the data.
  program::ShapeNumbers shape(const std::string& kind = "mno-nugget", int rank = 0) const;
  /// Ranks to compare: those of the command line, or these.
  std::vector<int> ranks(std::vector<int> standard) const;

  /// What a set of conditions is for: each use has a piece of the seeds' sequences of its own.
  enum class Use { training, validation, test, calibration, sweep, sweep_validation };
  struct Draw {
    Index samples = 0, members = 0;  // members 0: as many as the study has
    std::vector<double> times{};
    Index further = 0;   // times as many members beside, for floors
    bool paths = false;  // the times of a condition are channels of one field (mno/data/paths.hpp)
  };
  /// Initial conditions of an equation, for every pair others. Nothing is simulated yet.
  Data data(const program::Equation& equation, Use use, Draw draw);
  /// Conditions to train, validate and test on, none of them in two of these. Training may have another
  /// number of members.
  Splits splits(const program::Equation& equation, const std::vector<double>& times = {}, Index members = 0);
  /// How many further members the floors of this equation's test conditions need, as a multiple of the
  /// members.
  static Index further(const program::Equation& equation);
  /// A model for every pair. Nothing is trained yet.
  Trained train(const std::string& method, const program::ShapeNumbers& shape, Training training,
                const Splits& data);

  /// mno, fno and the rivals of the command line, or all rivals there are.
  std::vector<std::string> compared() const;
  /// The operator of one of these.
  program::ShapeNumbers shape_of(const std::string& method) const;
  /// Its training, with the optimiser that the sweep of the command line found. `fit` chooses the rest,
  /// except that operators with noise inside have a length of their own.
  Training tuned(const std::string& method) const;
  const Swept& swept() const { return swept_; }
  /// Operators of the kinds that the command line names. Beside them stands a law that is trained by their
  /// loss, to separate the effect of the loss from that of the operator, and mno and fno with their number of
  /// steps. Nothing is trained yet.
  std::vector<Trained> rivals(const Splits& data, Index least_points = 0);

  /// Simulates and trains what is not there. It may be called again when more has been declared: data that
  /// is made of simulated data, say.
  void run();

  // --- what comes out
  /// Rows of a table: means over pairs, with floors, and the paper's numbers for this method or for
  /// another name of it.
  struct Place {
    std::string table{}, benchmark{};
    std::map<std::string, mno::report::At> at{};
    std::string paper_method{};  // none: the method's own name
    std::optional<double> time{};
  };
  std::vector<Row> table(const Place& place, const Trained& trained, const Data& data);
  /// Those of several methods; names that begin with "mno" stand beside the paper's "mno".
  void tables(const Place& place, const std::vector<Trained>& all, const Data& data);
  /// Steps and seconds of training, rows of a table beside that of the place. The seconds are of all: pilots,
  /// lengths that were tried, validation.
  void lengths(Place place, const std::vector<Trained>& all);
  /// Rows that were measured in another way, one list per pair.
  std::vector<Row> table(const Place& place, const std::string& method,
                         const std::vector<std::vector<Row>>& pairs);
  /// The same rows in another table, without one coordinate.
  void again(std::vector<Row> rows, const Place& place, const std::string& without);
  /// What the model of the first pair predicts, beside the ensembles: pictures and training curves.
  void show(const Trained& trained, const Data& data);
  void add(mno::report::Figure figure) { record_.figures.push_back(std::move(figure)); }

  /// f(number of the pair from 0) side by side.
  void for_each_pair(const Trained& trained, const std::function<void(std::size_t)>& f);
  /// The model of one pair.
  template <int D = 1>
  std::unique_ptr<program::Predictor<D>> load(const Trained& trained, std::size_t pair) const {
    return program::OperatorIn<D>(program::choose(trained.shape)).load(trained.models.at(pair), 1);
  }
  /// Every condition of the data as the model of one pair sees it, with the members that scores are of.
  template <int D = 1>
  void for_each_prediction(
      const Trained& trained, std::size_t pair, const Data& data,
      const std::type_identity_t<std::function<void(const program::Prediction<D>&)>>& sink) const {
    program::for_each_prediction<D>(*load<D>(trained, pair),
                                    *program::open_ensembles(data.pairs.at(pair).path), selection(data, pair),
                                    sink);
  }
  /// The part of a file that the model of one pair is asked for.
  static program::Selection selection(const Data& data, std::size_t pair) {
    return {.points = data.points,
            .members = data.members,
            .draws = data.members,
            .seed = std::uint64_t(pair + 1)};
  }
  /// Time and memory of a law and of draws from it, by the model of the first pair.
  program::Cost cost(const Trained& trained, const Data& data, Index draws) const;
  /// Times of several models, measured in turns on the first conditions of the data: for `draws` draws of one
  /// condition, or for its moments where `draws` is 0.
  std::vector<program::Times> times(const std::vector<Trained>& all, const Data& data, Index draws) const;

  mno::report::RunRecord& record() { return record_; }

 private:
  struct Simulation {
    program::Equation equation;
    mno::Sampling sampling;
    std::filesystem::path file;
    bool paths;
  };
  struct Job {
    std::string what;
    program::ShapeNumbers shape;
    program::TrainRequest request;
    Data train, validation;
    std::size_t pair;
    std::vector<Index> lengths;  // in epochs, that may be run one after the other
    double work;                 // samples · points · epochs of all, for the time left
  };
  void remove_results();
  void simulate();
  void train_all();
  bool train_one(const Job& job, const std::function<void(const mno::EpochReport&)>& report);
  template <int D>
  std::shared_ptr<const mno::Ensemble<float, D>> statistics(const Data& data, std::size_t pair,
                                                            mno::EnsembleOptions keep);
  template <int D> using LawOf = std::function<mno::Law<float, D>(const program::Prediction<D>&)>;
  template <int D> LawOf<D> control(const Trained& trained, std::size_t pair) const;
  template <int D>
  std::vector<Row> score(const Place& place, const Trained& trained, std::size_t pair, const Data& data);
  template <int D>
  std::map<std::string, double> floors(const Place& place, const Trained& trained, std::size_t pair,
                                       const Data& data);
  void remember(const Place& place, const Trained& trained, const Data& data);
  void say(const std::string& text) const;

  const Experiment& experiment_;
  Options options_;
  Swept swept_;
  std::vector<Simulation> simulations_{};
  std::vector<Job> jobs_{};
  std::set<std::filesystem::path> made_{};                           // by run() where everything is made anew
  std::map<std::string, std::shared_ptr<const void>> statistics_{};  // ensembles of the key's dimension
  std::map<std::string, std::map<std::string, double>> floors_{};
  std::mutex mutex_{};  // of the two above
  std::function<bool()> stop_{};
  mno::report::RunRecord record_{};
  std::unique_ptr<program::Progress> progress_;
};

/// f(i) for i < count on so many threads; when all have ended, the first error in order is thrown.
void side_by_side(std::size_t count, int threads, const std::function<void(std::size_t)>& f);

/// The value of a metric among rows, or NaN.
double value_of(const std::vector<Row>& rows, const std::string& metric);
double floor_of(const std::vector<Row>& rows, const std::string& metric);

}  // namespace experiment
