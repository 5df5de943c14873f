#pragma once
// The options of `fit`, and its report.
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "mno/data/split.hpp"
#include "mno/train/surrogate.hpp"
#include "mno/train/trainer.hpp"

namespace mno {

struct FitOptions {
  TrainingOptions training{.epochs =
                               0};  // 0: chosen on validation; the seed is that of the first weights too
  double validation = 0.1;          // share of the initial fields that are held back; 0: none
  std::uint64_t split_seed = 0;     // which they are
  AnyWarp warp{};                   // from the law's coordinates to those of the data
  bool choose_residual =
      false;  // the law of residuals is learned from validation (metric/likeliest_residual.hpp)
  std::optional<double>
      factor_scale{};      // none: 4√(noise variance), in normalised coordinates; of draws by a pilot
  Index least_points = 0;  // Model::set_least_points
  bool path = true;        // open_path, where the model has one
  bool symmetries = true;  // of the law, looked for by a pilot where no loss but EnergyLoss is asked for
  std::optional<bool>
      places{};          // may the law differ from place to place? None: pilots tell (train/places.hpp)
  double calibrate = 0;  // level of Surrogate::calibrate, on the validation data; 0: not at all
  std::filesystem::path checkpoint{};                     // empty: none is written
  double checkpoint_seconds = 10;                         // least time between two
  bool resume = false;                                    // go on from the checkpoint
  std::string data = "the data given";                    // what sentences call the data
  io::Metadata about{};                                   // further entries of the file
  std::function<void(const EpochReport&)> after_epoch{};  // of several ranks, rank 0 alone is told
  std::function<bool()> interrupted{};  // asked after every step; of several ranks, rank 0 is
};

/// What `fit` chose by itself, and why.
struct FitChoice {
  std::string what, why;
};

struct FitReport {
  bool interrupted = false;           // a resumed run goes on from here, if there is a path for a checkpoint
  std::vector<EpochReport> epochs{};  // of this call
  Index epochs_done = 0;              // those before a resume included
  Index train = 0, validation = 0;    // conditions
  Split split{};                      // of the data given; empty where validation data was given
  double factor_scale = 1;
  std::string loss{};                // its text
  std::vector<FitChoice> choices{};  // the model file has them too, as choice.WHAT
  std::optional<Scores> scores{};    // on validation, in normalised coordinates
};

template <class M> struct Fit {
  Surrogate<M> surrogate;  // with the best weights on validation; of an interrupted run with the last
  FitReport report;
};

}  // namespace mno
