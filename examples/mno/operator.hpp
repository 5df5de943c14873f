#pragma once
// Operators for the commands and experiments, which do not depend on a shape: those of the program, and
// others that are compiled the first time they are needed (demand/). And the files of ensembles that they are
// trained on.
#include "demand/from_data.hpp"
#include "demand/operators.hpp"

namespace program {

using demand::in_dimension;
using demand::needed;
using demand::Operator;
using demand::OperatorIn;
using demand::Predictor;
using demand::read_statistics;
using demand::ShapeNumbers;
using demand::TrainRequest;

/// All operators of this program. Compilations are reported on standard error, and Ctrl-C stops them.
demand::Operators& operators();

/// The operator of these numbers, compiled now if need be; 0 stands for the standard operator's number.
const Operator& choose(const ShapeNumbers& wanted);
/// The one that a model file was made with.
const Operator& of_model(const std::filesystem::path& model);
/// Compiles those that are not there, several at a time.
void prepare(const std::vector<ShapeNumbers>& shapes);

/// A file of ensembles: .npz, or HDF5 where this program has it.
std::unique_ptr<mno::io::EnsembleReader> open_ensembles(const std::filesystem::path& path);

}  // namespace program
