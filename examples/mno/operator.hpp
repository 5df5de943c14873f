#pragma once
// A compiled shape behind an interface, so that the commands do not depend on it. Which shapes there are is
// said by the CMake option MNO_SHAPES; each has a source file of its own.
#include <filesystem>
#include <functional>
#include <memory>
#include <mno/io/ensemble_reader.hpp>
#include <mno/train/trainer.hpp>
#include <optional>
#include <string>
#include <vector>

#include "report/parts.hpp"

namespace program {

struct ShapeNumbers {
  int dimension = 0, channels = 0, rank = 0, width = 0, modes = 0, depth = 0, known = 0;

  std::string list() const;  // as MNO_SHAPES has it
};

struct TrainRequest {
  mno::TrainingOptions options{};
  std::string recipe = "decoupled";
  double validation = 0.1;
  std::filesystem::path model{}, checkpoint{};
  bool resume = false;
  double checkpoint_seconds = 10;
  int threads = 1;
  std::function<bool()> interrupted{};
  std::function<void(const mno::EpochReport&)> report{};
};
struct TrainResult {
  bool interrupted = false;
  mno::Index epochs = 0, train = 0, validation = 0;  // epochs done, samples
  std::size_t parameters = 0;
  std::optional<mno::Scores> scores{};  // on validation, in normalised coordinates
};

struct PredictRequest {
  std::filesystem::path model{}, output{};
  const mno::io::Array* input = nullptr;   // u_0
  const mno::io::Array* fields = nullptr;  // known fields, or none
  double time = 0;
  mno::Index samples = 0;
  std::uint64_t seed = 0;
  int threads = 1;
};

struct EvaluateRequest {
  std::filesystem::path model{};
  std::filesystem::path fields{};  // where moments per condition go; empty: nowhere
  mno::Index draws = 0;            // per condition; 0: as many as there are members
  mno::Index examples = 3;         // conditions to look at
  std::uint64_t seed = 0;
  int threads = 1;
};
struct Evaluation {
  std::vector<mno::report::Row> rows{};  // metric, value, floor and at; who asks says the rest
  std::vector<mno::report::Example> examples{};
  std::vector<mno::report::Image> images{};
  mno::report::Calibration calibration{};
  mno::report::Spectra spectra{};
};

class Operator {
 public:
  virtual ~Operator() = default;
  virtual ShapeNumbers shape() const = 0;
  virtual std::string shape_text() const = 0;  // as model files have it
  virtual TrainResult train(mno::io::EnsembleReader& data, const TrainRequest& request) const = 0;
  virtual void predict(const PredictRequest& request) const = 0;
  virtual Evaluation evaluate(mno::io::EnsembleReader& data, const EvaluateRequest& request) const = 0;
};

/// A file of ensembles: .npz, or HDF5 where this program has it.
std::unique_ptr<mno::io::EnsembleReader> open_ensembles(const std::filesystem::path& path);

/// All compiled shapes, in the order of MNO_SHAPES.
const std::vector<const Operator*>& operators();

/// The first that has all numbers that are not 0 (`known` must be equal); else an Error that says how to get
/// it.
const Operator& choose(const ShapeNumbers& wanted);
/// The one that a model file was made with.
const Operator& of_model(const std::filesystem::path& model);

}  // namespace program
