#pragma once
// A compiled operator behind an interface, so that the commands and experiments do not depend on its shape.
// Which there are is said by the CMake option MNO_SHAPES; each has a source file of its own.
#include <filesystem>
#include <functional>
#include <memory>
#include <mno/data/normaliser.hpp>
#include <mno/io/ensemble_reader.hpp>
#include <mno/law/law.hpp>
#include <mno/train/trainer.hpp>
#include <optional>
#include <string>
#include <vector>

namespace program {

/// What an operator is made of: "mno", "mno-path" (with a path from u_0 to the drift), "mno-power" (the
/// factor behind a PowerGate), "mno-split" (two backbones), "mno-coordinates" (sees sines and cosines of x as
/// well) or "fno", and the numbers of its shape.
struct ShapeNumbers {
  std::string kind = "mno";
  int dimension = 0, channels = 0, rank = 0, width = 0, modes = 0, depth = 0, known = 0;

  std::string list() const;  // as MNO_SHAPES has it
};

struct TrainRequest {
  mno::TrainingOptions options{};
  std::string recipe = "decoupled";  // its name
  mno::Recipe loss = mno::Recipe::decoupled();
  bool scaled_factor = true;    // the factor is scaled by 4√(mean training variance)
  mno::Index least_points = 0;  // per axis, that the layers work on; 0: as given
  std::string data{};           // what sentences call the data
  std::filesystem::path model{}, checkpoint{};
  bool resume = false;
  double checkpoint_seconds = 10;
  int threads = 1;
  std::string device = "cpu";  // or "cuda"
  int gpu = 0;                 // which one
  bool tf32 = false;           // of a GPU: products of floats with fewer digits
  std::function<bool()> interrupted{};
  std::function<void(const mno::EpochReport&)> report{};
};
struct TrainResult {
  bool interrupted = false;
  mno::Index epochs = 0, train = 0, validation = 0;  // epochs done, samples
  std::size_t parameters = 0;
  std::optional<mno::Scores> scores{};  // on validation, in normalised coordinates
};

class Operator {
 public:
  virtual ~Operator() = default;
  virtual ShapeNumbers shape() const = 0;
  virtual std::string shape_text() const = 0;  // these two as model files have them
  virtual std::string expression_text() const = 0;
};

/// A model from a file. Conditions and laws are in normalised coordinates; a deterministic operator gives a
/// law without spread.
template <int D> class Predictor {
 public:
  virtual ~Predictor() = default;
  virtual const mno::Normaliser& normaliser() const = 0;
  virtual const mno::Domain<D>& domain() const = 0;
  virtual bool stochastic() const = 0;
  virtual mno::Law<float, D> predict(const mno::Condition<float, D>& condition, mno::Cpu& device) const = 0;
};

template <int D> class OperatorIn : public Operator {
 public:
  /// Data is in its own coordinates; an empty validation set is none.
  virtual TrainResult train(mno::Ensemble<float, D> train, mno::Ensemble<float, D> validation,
                            const TrainRequest& request) const = 0;
  virtual std::unique_ptr<Predictor<D>> load(const std::filesystem::path& model) const = 0;
};

/// A file of ensembles: .npz, or HDF5 where this program has it.
std::unique_ptr<mno::io::EnsembleReader> open_ensembles(const std::filesystem::path& path);

/// What the terms of a recipe want to know of the members, beside mean and variance.
mno::EnsembleOptions needed(const mno::Recipe& recipe, mno::Index factors);

/// All samples of a file as statistics.
template <int D>
mno::Ensemble<float, D> read_statistics(mno::io::EnsembleReader& file, mno::EnsembleOptions keep);

/// All compiled operators, in the order of MNO_SHAPES.
const std::vector<const Operator*>& operators();

/// The first of that kind that has all numbers that are not 0 (`known` must be equal); else an Error that
/// says how to get it.
const Operator& choose(const ShapeNumbers& wanted);
/// The one that a model file was made with.
const Operator& of_model(const std::filesystem::path& model);

}  // namespace program
