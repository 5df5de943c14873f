#pragma once
// Ensembles in an HDF5 file: the datasets of its root group are the arrays that ensemble_reader.hpp names.
//
//   Hdf5EnsembleFile file("data.h5");
//   if (file.dimension() == 1) Ensemble<float, 1> data = file.read<float, 1>();
#include "mno/io/ensemble_reader.hpp"
#include "mno/io/hdf5/reader.hpp"

namespace mno::io {

class Hdf5EnsembleFile : public EnsembleReader {
 public:
  explicit Hdf5EnsembleFile(const std::filesystem::path& path)
      : EnsembleReader(file_name(path), std::make_unique<Hdf5Reader>(path)) {}
};

}  // namespace mno::io
