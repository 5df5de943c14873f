#pragma once
// A compiled operator behind an interface, so that the commands and experiments do not depend on its shape.
// Which there are is said by the CMake option MNO_SHAPES; each has a source file of its own.
#include <filesystem>
#include <functional>
#include <memory>
#include <mno/io/ensemble_reader.hpp>
#include <mno/train/fit.hpp>
#include <optional>
#include <string>
#include <vector>

namespace program {

/// What an operator is made of: "mno", "mno-path" (with a path from u_0 to the drift), "mno-nugget" (with the
/// path, and noise without correlation beside the factor), "mno-power" (the factor behind a PowerGate),
/// "mno-split" (two backbones), "mno-coordinates" (sees sines and cosines of x as well) or "fno", and the
/// numbers of its shape.
struct ShapeNumbers {
  std::string kind = "mno";
  int dimension = 0, channels = 0, rank = 0, width = 0, modes = 0, depth = 0, known = 0;

  std::string list() const;  // as MNO_SHAPES has it
};

struct TrainRequest {
  mno::FitOptions fit{};
  std::string recipe = "auto";    // the name of fit.loss; "auto": fit chooses
  std::filesystem::path model{};  // to write
  int threads = 1;
  std::string device = "cpu";  // or "cuda"
  int gpu = 0;                 // which one
  bool tf32 = false;           // of a GPU: products of floats with fewer digits
};

class Operator {
 public:
  virtual ~Operator() = default;
  virtual ShapeNumbers shape() const = 0;
  virtual std::string shape_text() const = 0;  // these two as model files have them
  virtual std::string expression_text() const = 0;
  virtual std::size_t parameters() const = 0;
};

/// A surrogate from a file. A deterministic operator gives a law without spread.
template <int D> class Predictor {
 public:
  virtual ~Predictor() = default;
  virtual const mno::Normaliser& normaliser() const = 0;
  virtual const mno::AnyWarp& warp() const = 0;
  virtual const mno::Domain<D>& domain() const = 0;
  virtual bool stochastic() const = 0;
  /// In the units of the data.
  virtual mno::Law<float, D, mno::AnyResidual, mno::AnyWarp> predict(
      const mno::Condition<float, D>& condition, mno::Cpu& device) const = 0;
  /// In the model's own coordinates, which are normalised, and fields to there.
  virtual mno::Law<float, D, mno::AnyResidual> own_law(const mno::Condition<float, D>& condition,
                                                       mno::Cpu& device) const = 0;
  virtual void to_own_coordinates(mno::Field<float, D>& values) const = 0;
};

template <int D> class OperatorIn : public Operator {
 public:
  /// Without validation data a part of the data is held back, as the request says. The model file is written
  /// unless training was interrupted.
  virtual mno::FitReport train(mno::Ensemble<float, D> data,
                               std::optional<mno::Ensemble<float, D>> validation,
                               const TrainRequest& request) const = 0;
  virtual std::unique_ptr<Predictor<D>> load(const std::filesystem::path& model) const = 0;
};

/// A file of ensembles: .npz, or HDF5 where this program has it.
std::unique_ptr<mno::io::EnsembleReader> open_ensembles(const std::filesystem::path& path);

/// What the terms of a recipe want to know of the members, beside mean and variance; none: what `fit` may
/// choose.
mno::EnsembleOptions needed(const std::optional<mno::Recipe>& recipe, mno::Index factors);

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
