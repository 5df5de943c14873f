// Files of ensembles, and what training wants to know of them.
#include <mno/io/zip/ensemble_file.hpp>
#ifdef MNO_PROGRAM_HDF5
#include <mno/io/hdf5/ensemble_file.hpp>
#endif
#include <array>

#include "operator.hpp"

namespace program {

std::unique_ptr<mno::io::EnsembleReader> open_ensembles(const std::filesystem::path& path) {
  namespace io = mno::io;
  std::array<std::byte, 8> start{};
  io::File file(path);
  file.read(0, std::span(start).first(std::size_t(std::min<std::uint64_t>(file.size(), start.size()))));
  if (io::characters(start) == "\x89HDF\r\n\x1a\n") {
#ifdef MNO_PROGRAM_HDF5
    return std::make_unique<io::Hdf5EnsembleFile>(path);
#else
    io::refuse(file.name(),
               "is an HDF5 file, which this program was built without; configure with -DMNO_HDF5=ON");
#endif
  }
  return std::make_unique<io::EnsembleFile>(path);
}

mno::EnsembleOptions needed(const std::optional<mno::Recipe>& recipe, mno::Index factors) {
  if (!recipe) return {.factors = factors};
  mno::EnsembleOptions keep;
  if (recipe->hilbert_schmidt.weight > 0 || recipe->hutchinson.weight > 0) keep.factors = factors;
  if (recipe->exact_nll.weight > 0) keep.factors = factors;
  keep.members = recipe->student_nll.weight > 0 || recipe->crps.weight > 0;
  return keep;
}

template <int D>
mno::Ensemble<float, D> read_statistics(mno::io::EnsembleReader& file, mno::EnsembleOptions keep) {
  return file.read<float, D>({.keep = keep});
}

template mno::Ensemble<float, 1> read_statistics<1>(mno::io::EnsembleReader&, mno::EnsembleOptions);
template mno::Ensemble<float, 2> read_statistics<2>(mno::io::EnsembleReader&, mno::EnsembleOptions);
template mno::Ensemble<float, 3> read_statistics<3>(mno::io::EnsembleReader&, mno::EnsembleOptions);

}  // namespace program
