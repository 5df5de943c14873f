#pragma once
// What a record is made of: plain values.
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace mno::report {

using Numbers = std::vector<double>;

struct Setting {
  std::string name = {}, value = {};
  bool operator==(const Setting&) const = default;
};

/// A coordinate of a result: t = 0.5, or backbone = "shared".
using At = std::variant<double, std::string>;

/// One result, in the form of the project's result files.
struct Row {
  std::string table = {}, benchmark = {}, method = {}, metric = {};
  double value = 0;
  std::map<std::string, At> at = {};      // where it was measured, such as {"t", 0.5}
  std::optional<int> seeds = {};          // value is the mean over so many runs
  std::optional<double> interval95 = {};  // half the width of its 95% interval
  std::optional<double> paper = {};       // the same number in the paper
  std::optional<double> floor = {};       // what no model can beat
  std::optional<double> ratio = {};       // value/floor, run by run, and its interval
  std::optional<double> ratio95 = {};
  std::optional<Numbers> values = {}, floors = {};  // of every run
  bool operator==(const Row&) const = default;
};

/// How one number of a mean came about.
struct Run {
  int data_seed = 0, model_seed = 0;
  std::string model = {}, data = {};  // files of the cache: what was trained, and what it was scored on
  std::string training = {};          // as the model file has it: length, optimiser, loss
  double seconds = 0;                 // that training took
  bool operator==(const Run&) const = default;
};
/// How the rows of one method came about.
struct Method {
  std::string table = {}, benchmark = {}, method = {};
  std::map<std::string, At> at = {};
  std::string shape = {}, recipe = {};
  std::vector<Run> runs = {};
  bool operator==(const Method&) const = default;
};

/// A quantity over epochs. Curves with the same part before a '/' in their name share a figure.
struct Curve {
  std::string name = {};
  Numbers x = {}, y = {};
  bool operator==(const Curve&) const = default;

  void put(double at, double value) {
    x.push_back(at);
    y.push_back(value);
  }
};

/// Results over what they depend on.
struct Figure {
  std::string name = {};  // of its file, where it gets one
  std::string title = {}, note = {}, x_label = {}, y_label = {};
  bool log_x = false, log_y = false;
  std::vector<Curve> lines = {};
  bool operator==(const Figure&) const = default;
};

/// The law that was predicted for one initial state in 1D, and the ensemble it is compared with. Every list
/// is over the points x, or empty.
struct Example {
  std::string title = {};
  Numbers x = {}, initial = {};
  Numbers mean = {}, deviation = {};              // predicted
  Numbers truth_mean = {}, truth_deviation = {};  // of the ensemble
  std::vector<Numbers> draws = {};                // of the prediction, (draw, x)
  std::vector<Numbers> members = {};              // of the ensemble, (member, x)
  int marginal_point = 0;                         // x[marginal_point] is where the marginal is shown
  Numbers marginal_members = {};                  // u there, one value per member
  bool operator==(const Example&) const = default;
};

/// A field in 2D, row by row from the top: values[row * width + column].
struct Image {
  std::string title = {};
  int width = 0, height = 0;
  Numbers values = {};
  std::optional<std::string> panel = {};  // neighbours that name the same one share its colour bar
  std::optional<bool> symmetric = {};     // around zero: errors
  std::optional<std::vector<std::string>> rows = {};  // what the rows are, where it is a table of numbers
  bool operator==(const Image&) const = default;
};

/// The fraction of truths inside the central interval of each nominal probability.
struct Calibration {
  Numbers nominal = {}, covered = {};
  bool operator==(const Calibration&) const = default;
};

/// The share of truths in each of so many parts of the predicted distribution, which are equally likely.
struct PitHistogram {
  Numbers shares = {};
  bool operator==(const PitHistogram&) const = default;
};

/// What a score is beside that of a reference, on the same conditions.
struct SkillRow {
  std::string reference = {}, verdict = {};  // "better than", "no better than" or "worse than"
  double skill = 0;                          // 1 − score/reference
  std::optional<double> interval95 = {};     // half the width of its 95% interval
  bool operator==(const SkillRow&) const = default;
};
/// How good a model is, in words and in the numbers behind them.
struct Verdict {
  std::string sentence = {};
  std::vector<SkillRow> skills = {};
  bool operator==(const Verdict&) const = default;
};

/// The data that was scored on: equal contents are equal data, whatever the names.
struct DataNote {
  std::string name = {}, content = {}, members = {};
  int conditions = 0;
  Numbers scale = {};  // (channel): one unit of normalised coordinates
  bool operator==(const DataNote&) const = default;
};

/// One initial condition and its scores.
struct ConditionScores {
  int sample = 0, origin = 0;  // in the file; the first condition with the same initial field
  double time = 0;
  Numbers scores = {};
  bool operator==(const ConditionScores&) const = default;
};
/// Every condition by itself. The first score says which are the worst.
struct Conditions {
  std::vector<std::string> metrics = {};
  std::vector<ConditionScores> all = {};
  std::vector<Image> maps = {};  // where the error is, of the worst ones or of all
  bool operator==(const Conditions&) const = default;
};

/// Power over wavenumbers, of the mean field and of the pointwise variance or the fluctuations.
struct Spectra {
  Numbers wavenumber = {}, mean = {}, truth_mean = {}, variance = {}, truth_variance = {};
  bool operator==(const Spectra&) const = default;
};

}  // namespace mno::report
