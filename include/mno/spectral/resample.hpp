#pragma once
// A periodic field on another grid: the trigonometric interpolant through its points, evaluated there.
#include "mno/spectral/transform.hpp"

namespace mno {

/// Adds to `to` what `from` is on to's grid. Waves that one of the two grids can't carry are left out.
template <class T, int D> void resample_into(View<const T, D> from, View<T, D> to, Workspace& workspace) {
  TransformKey<D> source{from.grid.points, {}, from.channels}, target{to.grid.points, {}, to.channels};
  for (std::size_t d = 0; d < std::size_t(D); ++d)
    source.modes[d] = target.modes[d] = std::min(from.grid.points[d], to.grid.points[d]) / 2 + 1;
  const auto& analysis = workspace.cache.get<Transform<T, D>>(source);
  const auto& synthesis = workspace.cache.get<Transform<T, D>>(target);
  const ArenaScope scope(workspace.scratch);
  const Spectrum<T> spectrum{
      workspace.scratch.take<T>(std::size_t(analysis.modes() * from.batch * 2 * from.channels)),
      analysis.modes(), from.batch, from.channels};
  analysis.project(from, spectrum, Weight::analysis, workspace.scratch);
  synthesis.expand(spectrum, to, Weight::multiplicity, workspace.scratch);
}

/// Adds to from̄ the adjoint of resample_into: inverse and forward transform change places, each as its
/// adjoint.
template <class T, int D>
void resample_adjoint_into(View<const T, D> to_bar, View<T, D> from_bar, Workspace& workspace) {
  TransformKey<D> source{from_bar.grid.points, {}, from_bar.channels};
  TransformKey<D> target{to_bar.grid.points, {}, to_bar.channels};
  for (std::size_t d = 0; d < std::size_t(D); ++d)
    source.modes[d] = target.modes[d] = std::min(source.points[d], target.points[d]) / 2 + 1;
  const auto& analysis = workspace.cache.get<Transform<T, D>>(source);
  const auto& synthesis = workspace.cache.get<Transform<T, D>>(target);
  const ArenaScope scope(workspace.scratch);
  const Spectrum<T> spectrum{
      workspace.scratch.take<T>(std::size_t(synthesis.modes() * to_bar.batch * 2 * to_bar.channels)),
      synthesis.modes(), to_bar.batch, to_bar.channels};
  synthesis.project(to_bar, spectrum, Weight::multiplicity, workspace.scratch);
  analysis.expand(spectrum, from_bar, Weight::analysis, workspace.scratch);
}

template <class T, int D> Field<T, D> resample(const Field<T, D>& from, const std::array<Index, D>& points) {
  Field<T, D> to(from.batch(), Grid<D>{points, from.grid().domain}, from.channels());
  Workspace workspace;
  resample_into<T, D>(from.view(), to.view(), workspace);
  return to;
}

}  // namespace mno
