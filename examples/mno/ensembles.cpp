// Files of ensembles, and what training wants to know of them.
#include <algorithm>
#include <mno/io/ensemble_reader.hpp>
#include <mno/io/file.hpp>

#include "import/arrays.hpp"
#include "operator.hpp"

namespace program {

std::unique_ptr<mno::io::EnsembleReader> open_ensembles(const std::filesystem::path& path) {
  namespace io = mno::io;
  auto file = open_arrays(path);
  const auto names = file->names();
  for (const char* needed : {"u0", "uT", "t"})
    if (std::ranges::find(names, needed) == names.end()) {
      std::string found;
      for (std::size_t i = 0; i < names.size() && i < 12; ++i) found += (i ? ", " : "") + names[i];
      io::refuse(io::file_name(path), "expected the arrays u0, uT and t, found ", io::shown(found),
                 "; mno import ", path.filename().string(), " -o data.h5 turns other layouts into this one");
    }
  return std::make_unique<io::EnsembleReader>(io::file_name(path), std::move(file));
}

mno::EnsembleOptions needed(const TrainRequest& request, const Operator& one) {
  const demand::LossChoice& loss = request.loss;
  if (one.gives_draws() || std::holds_alternative<mno::EnergyLoss>(loss)) return {.members = true};
  const auto* recipe = std::get_if<mno::Recipe>(&loss);
  const bool members = request.fit.calibrate > 0 || !request.fit.warp.identity();
  if (!recipe) return {.factors = 2 * one.shape().rank, .members = members};
  const mno::Index factors = one.shape().rank;
  mno::EnsembleOptions keep;
  if (recipe->hilbert_schmidt.weight > 0 || recipe->hutchinson.weight > 0) keep.factors = factors;
  if (recipe->exact_nll.weight > 0) keep.factors = factors;
  keep.members = members || recipe->student_nll.weight > 0 || recipe->crps.weight > 0;
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
