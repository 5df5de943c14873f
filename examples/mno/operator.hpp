#pragma once
// Operators for the commands and experiments, none of which depends on a shape: those of the program and any
// other, compiled the first time it is needed (demand/). And the files of ensembles that they are trained on.
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

/// All operators of this program. What is compiled is said on standard error, and Ctrl-C stops it.
demand::Operators& operators();

/// The operator of these numbers, where 0 is the standard operator's; compiled now if need be.
const Operator& choose(const ShapeNumbers& wanted);
/// The one that a model file was made with.
const Operator& of_model(const std::filesystem::path& model);
/// Compiles those that are not there, several at a time.
void prepare(const std::vector<ShapeNumbers>& shapes);

/// A file of ensembles: .npz, or HDF5 where this program has it.
std::unique_ptr<mno::io::EnsembleReader> open_ensembles(const std::filesystem::path& path);

}  // namespace program
