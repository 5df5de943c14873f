#include "from_data.hpp"

#include <algorithm>

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

template <int D>
mno::Ensemble<float, D> read_statistics(mno::io::EnsembleReader& file, mno::EnsembleOptions keep) {
  return file.read<float, D>({.keep = keep});
}

mno::FitReport train(const Operator& one, mno::io::EnsembleReader& data, mno::io::EnsembleReader* validation,
                     const TrainRequest& request) {
  return in_dimension(one, [&]<int D>(const OperatorIn<D>& known) {
    const mno::EnsembleOptions keep = needed(request, one);
    std::optional<mno::Ensemble<float, D>> held;
    if (validation) held = read_statistics<D>(*validation, keep);
    return known.train(read_statistics<D>(data, keep), std::move(held), request);
  });
}

template mno::Ensemble<float, 1> read_statistics<1>(mno::io::EnsembleReader&, mno::EnsembleOptions);
template mno::Ensemble<float, 2> read_statistics<2>(mno::io::EnsembleReader&, mno::EnsembleOptions);
template mno::Ensemble<float, 3> read_statistics<3>(mno::io::EnsembleReader&, mno::EnsembleOptions);

}  // namespace demand
