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
  std::optional<int> seeds = {};          // value is the mean over so many
  std::optional<double> interval95 = {};  // half the width of its 95% interval
  std::optional<double> paper = {};       // the same number in the paper
  std::optional<double> floor = {};       // what no model can beat
  bool operator==(const Row&) const = default;
};

/// A quantity over epochs. Curves with the same part before a '/' in their name share a figure.
struct Curve {
  std::string name = {};
  Numbers x = {}, y = {};
  bool operator==(const Curve&) const = default;
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
  bool operator==(const Image&) const = default;
};

/// The fraction of truths inside the central interval of each nominal probability.
struct Calibration {
  Numbers nominal = {}, covered = {};
  bool operator==(const Calibration&) const = default;
};

/// Power over wavenumbers, of the mean field and of the pointwise variance or the fluctuations.
struct Spectra {
  Numbers wavenumber = {}, mean = {}, truth_mean = {}, variance = {}, truth_variance = {};
  bool operator==(const Spectra&) const = default;
};

}  // namespace mno::report
