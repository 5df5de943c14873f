#pragma once
// Ensembles in a .npz file, as a user or `mno simulate` writes them; ensemble_reader.hpp says what is in it.
//
//   EnsembleFile file("data.npz");
//   if (file.dimension() == 1) Ensemble<float, 1> data = file.read<float, 1>();
#include "mno/io/ensemble_reader.hpp"
#include "mno/io/zip/npz.hpp"

namespace mno::io {

class EnsembleFile : public EnsembleReader {
 public:
  explicit EnsembleFile(const std::filesystem::path& path)
      : EnsembleReader(file_name(path), std::make_unique<NpzReader>(path)) {}
};

}  // namespace mno::io
