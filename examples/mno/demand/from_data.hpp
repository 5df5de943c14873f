#pragma once
// From a file of ensembles to a trained operator: the shape that data asks for, and what training needs to
// know of the members.
#include <mno/io/ensemble_reader.hpp>

#include "operator.hpp"

namespace demand {

/// Dimension, channels and known fields are those of the data; what was not said is the standard operator's.
/// Data of one sample is refused: there is nothing to hold back.
ShapeNumbers shape_for(ShapeNumbers wanted, const mno::io::EnsembleReader& data);

/// What a training wants to know of the members, beside mean and variance: its loss, or what `fit` may choose
/// for this operator, its warp and its calibration.
mno::EnsembleOptions needed(const TrainRequest& request, const Operator& one);

/// Bytes that the statistics of a file take, and members where they are kept: once as they are read, and once
/// more as they are prepared.
double bytes_of_statistics(const mno::io::EnsembleReader& file, mno::EnsembleOptions keep);

/// All samples of a file as statistics.
template <int D>
mno::Ensemble<float, D> read_statistics(mno::io::EnsembleReader& file, mno::EnsembleOptions keep);

/// Reads what the request needs and trains; of several ranks, rank 0 reads for all. Without validation data a
/// part of the data is held back. Data that takes more memory than the request allows lies on a disk, beside
/// the model file.
mno::FitReport train(const Operator& one, mno::io::EnsembleReader& data, mno::io::EnsembleReader* validation,
                     const TrainRequest& request);

}  // namespace demand
