#include "from_data.hpp"

#include <unistd.h>

#include <algorithm>
#include <mno/io/disk_memory.hpp>

namespace demand {

using mno::Index;

ShapeNumbers shape_for(ShapeNumbers wanted, const mno::io::EnsembleReader& data) {
  if (data.samples() < 2)
    mno::io::refuse(data.name(), "expected at least two samples (initial conditions) to train on, found one");
  wanted.dimension = data.dimension();
  wanted.channels = int(data.channels());
  wanted.known = int(data.known_fields());
  if (wanted.modes == 0 && wanted.dimension > 1)  // what a coarse plane carries, and no more than learns well
    wanted.modes = int(std::clamp<Index>(3 * *std::ranges::min_element(data.points()) / 8, 2, 12));
  return completed(wanted);
}

mno::EnsembleOptions needed(const TrainRequest& request, const Operator& one) {
  const LossChoice& loss = request.loss;
  if (one.gives_draws() || std::holds_alternative<mno::EnergyLoss>(loss)) return {.members = true};
  const auto* recipe = std::get_if<mno::Recipe>(&loss);
  const bool members =
      request.fit.calibrate > 0 || request.fit.choose_residual || !request.fit.warp.identity();
  if (!recipe) return {.factors = 2 * one.shape().rank, .members = members};
  const Index factors = one.shape().rank;
  mno::EnsembleOptions keep;
  if (recipe->hilbert_schmidt.weight > 0 || recipe->hutchinson.weight > 0) keep.factors = factors;
  if (recipe->exact_nll.weight > 0) keep.factors = factors;
  keep.members = members || recipe->student_nll.weight > 0 || recipe->crps.weight > 0;
  return keep;
}

double bytes_of_statistics(const mno::io::EnsembleReader& file, mno::EnsembleOptions keep) {
  double entries = double(file.channels());  // of a field
  for (const Index n : file.points()) entries *= double(n);
  const bool few = file.least_members() < mno::least_ensemble;  // members are kept anyway
  double fields = 3 + double(file.least_members() < 2 ? 0 : keep.factors);
  if (keep.members || few) fields += double(file.most_members());
  return 2 * sizeof(float) * double(file.samples()) * entries * fields;
}

template <int D>
mno::Ensemble<float, D> read_statistics(mno::io::EnsembleReader& file, mno::EnsembleOptions keep) {
  return file.read<float, D>({.keep = keep});
}

namespace {

/// Rank 0 has the ensemble; afterwards all have.
template <int D> void share(mno::Communicator& ranks, mno::Ensemble<float, D>& data) {
  if (ranks.size() == 1) return;
  const auto vector = [&](auto& values) {
    auto n = std::uint64_t(values.size());
    ranks.broadcast(std::span(&n, 1));
    values.resize(std::size_t(n));
    ranks.broadcast(std::span(values.data(), values.size()));
  };
  const auto field = [&](mno::Field<float, D>& values) {
    struct Form {
      Index batch, channels;
      mno::Grid<D> grid;
    };
    Form form{values.batch(), values.channels(), values.grid()};
    ranks.broadcast(std::span(&form, 1));
    if (form.batch == 0) return;
    if (ranks.rank() > 0) values = mno::Field<float, D>(form.batch, form.grid, form.channels);
    ranks.broadcast(values.span());
  };
  for (auto* values :
       {&data.initial, &data.mean, &data.variance, &data.covariance_factor, &data.members, &data.known})
    field(*values);
  vector(data.times);
  for (auto* values : {&data.origins, &data.counts, &data.offsets}) vector(*values);
}

/// Read once, by rank 0.
template <int D>
mno::Ensemble<float, D> read_shared(mno::io::EnsembleReader& file, mno::EnsembleOptions keep,
                                    mno::Communicator& ranks) {
  mno::Ensemble<float, D> data;
  if (ranks.rank() == 0) data = read_statistics<D>(file, keep);
  share<D>(ranks, data);
  return data;
}

/// Data larger than this lies on a disk while it lives.
class MemoryFor {
 public:
  MemoryFor(const TrainRequest& request, double bytes) {
    const double all = double(::sysconf(_SC_PHYS_PAGES)) * double(::sysconf(_SC_PAGE_SIZE));
    const double allowed = request.memory > 0 ? double(request.memory) : all / 2 / request.neighbours;
    if (bytes <= allowed) return;
    const std::filesystem::path folder = request.model.parent_path();
    mno::io::use_disk_memory({.folder = folder.empty() ? "." : folder, .resident = std::size_t(allowed / 2)});
  }
  MemoryFor(const MemoryFor&) = delete;
  MemoryFor& operator=(const MemoryFor&) = delete;
  ~MemoryFor() { mno::io::use_disk_memory({}); }
};

}  // namespace

mno::FitReport train(const Operator& one, mno::io::EnsembleReader& data, mno::io::EnsembleReader* validation,
                     const TrainRequest& request) {
  return in_dimension(one, [&]<int D>(const OperatorIn<D>& known) {
    const mno::EnsembleOptions keep = needed(request, one);
    const MemoryFor memory(request, bytes_of_statistics(data, keep));
    std::optional<mno::Ensemble<float, D>> held;
    if (validation) held = read_shared<D>(*validation, keep, *request.ranks);
    return known.train(read_shared<D>(data, keep, *request.ranks), std::move(held), request);
  });
}

template mno::Ensemble<float, 1> read_statistics<1>(mno::io::EnsembleReader&, mno::EnsembleOptions);
template mno::Ensemble<float, 2> read_statistics<2>(mno::io::EnsembleReader&, mno::EnsembleOptions);
template mno::Ensemble<float, 3> read_statistics<3>(mno::io::EnsembleReader&, mno::EnsembleOptions);

}  // namespace demand
