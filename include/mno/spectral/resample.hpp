#pragma once
// A field on another grid: the trigonometric interpolant through its points, evaluated there. A field with
// walls is interpolated in the periodic box that it is part of.
#include "mno/spectral/box.hpp"
#include "mno/spectral/transform.hpp"

namespace mno {

/// As many modes per axis as both grids carry.
template <int D> std::array<Index, D> shared_modes(const Grid<D>& from, const Grid<D>& to) {
  std::array<Index, D> modes{};
  for (std::size_t d = 0; d < std::size_t(D); ++d) modes[d] = std::min(from.points[d], to.points[d]) / 2 + 1;
  return modes;
}

/// The way from one grid to another: analysis there, synthesis here, with the waves that both grids carry.
template <class T, int D> class Resampling {
 public:
  /// `get(key)` is the transform with this key, from whatever cache there is.
  template <class Get> Resampling(const Grid<D>& from, const Grid<D>& to, Index channels, Get&& get) {
    const auto modes = shared_modes(from, to);
    analysis_ = &get(TransformKey<D>{from.points, modes, channels});
    synthesis_ = &get(TransformKey<D>{to.points, modes, channels});
  }

  /// to += `from` on to's grid, or to = that.
  void apply(const View<const T, D>& from, const View<T, D>& to, Write write, Arena& scratch) const {
    carry(*analysis_, from, Weight::analysis, *synthesis_, to, Weight::multiplicity, write, scratch);
  }
  /// from̄ += the adjoint of it, or =: inverse and forward transform change places, each as its adjoint.
  void adjoint(const View<const T, D>& to_bar, const View<T, D>& from_bar, Write write,
               Arena& scratch) const {
    carry(*synthesis_, to_bar, Weight::multiplicity, *analysis_, from_bar, Weight::analysis, write, scratch);
  }

 private:
  /// Sample by sample, so that the coefficients of one are all that is kept.
  static void carry(const Transform<T, D>& first, const View<const T, D>& from, Weight first_weight,
                    const Transform<T, D>& second, const View<T, D>& to, Weight second_weight, Write write,
                    Arena& scratch) {
    const ArenaScope scope(scratch);
    const Spectrum<T> one{scratch.take<T>(std::size_t(first.modes() * 2 * from.channels)), first.modes(), 1,
                          from.channels};
    for (Index b = 0; b < from.batch; ++b) {
      first.project(from.samples(b, 1), one, first_weight, scratch);
      second.expand(one, to.samples(b, 1), second_weight, scratch, write);
    }
  }

  const Transform<T, D>*analysis_, *synthesis_;
};

namespace detail {
template <class T, int D>
Resampling<T, D> resampling(const Grid<D>& from, const Grid<D>& to, Index channels, Cache& cache) {
  return {from, to, channels, [&](const TransformKey<D>& key) -> const Transform<T, D>& {
            return cache.get<Transform<T, D>>(key);
          }};
}
}  // namespace detail

/// Resamples the periodic field `from` to to's grid and adds it to `to`. Waves that one of the two grids
/// can't carry are left out.
template <class T, int D> void resample_into(View<const T, D> from, View<T, D> to, Workspace& workspace) {
  detail::resampling<T>(from.grid, to.grid, from.channels, workspace.cache)
      .apply(from, to, Write::add, workspace.scratch);
}

/// Adds to from̄ the adjoint of resample_into.
template <class T, int D>
void resample_adjoint_into(View<const T, D> to_bar, View<T, D> from_bar, Workspace& workspace) {
  detail::resampling<T>(from_bar.grid, to_bar.grid, from_bar.channels, workspace.cache)
      .adjoint(to_bar, from_bar, Write::add, workspace.scratch);
}

template <class T, int D> Field<T, D> resample(const Field<T, D>& from, const std::array<Index, D>& points) {
  const Grid<D> grid{points, from.grid().domain};
  Workspace workspace;
  if (!grid.domain.has_walls()) {
    Field<T, D> to(from.batch(), grid, from.channels());
    resample_into<T, D>(from.view(), to.view(), workspace);
    return to;
  }
  const Field<T, D> whole = in_box(from);
  Field<T, D> box(from.batch(), box_of(grid), from.channels());
  detail::require_same_box("resample", "points", whole.grid(), box.grid());
  resample_into<T, D>(std::as_const(whole).view(), box.view(), workspace);
  return out_of_box(box, grid);
}

}  // namespace mno
