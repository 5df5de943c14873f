#pragma once
// Fields, grids, ensembles and scores as plain data and back, for both sides of the boundary.
#include <algorithm>
#include <array>
#include <cstring>
#include <mno/data/ensemble.hpp>
#include <vector>

#include "boundary.hpp"

namespace demand {

template <int D> std::array<boundary::Axis, D> axes_of(const mno::Grid<D>& grid) {
  struct Carried {
    std::array<double, D> length;
    std::array<bool, D> bounded;
  };
  static_assert(sizeof(mno::Domain<D>) == sizeof(Carried),
                "mno: a domain has something that boundary::Axis does not carry: add it there and here");
  std::array<boundary::Axis, D> axes;
  for (std::size_t d = 0; d < D; ++d)
    axes[d] = {grid.points[d], grid.domain.length[d], grid.domain.bounded[d]};
  return axes;
}
template <int D> mno::Grid<D> grid_of(const boundary::Axis* axes) {
  mno::Grid<D> grid;
  for (std::size_t d = 0; d < D; ++d) {
    grid.points[d] = mno::Index(axes[d].points);
    grid.domain.length[d] = axes[d].length;
    grid.domain.bounded[d] = axes[d].bounded != 0;
  }
  return grid;
}

template <int D> boundary::Field plain(const mno::View<const float, D>& view) {
  return {view.data, view.batch, view.channels, view.pitch};
}
template <int D> boundary::Field plain(const mno::Field<float, D>& field) {
  return field.size() > 0 ? plain<D>(field.view()) : boundary::Field{};
}
template <int D> mno::View<const float, D> view_of(const boundary::Field& field, const mno::Grid<D>& grid) {
  return {field.data, mno::Index(field.batch), grid, mno::Index(field.channels), mno::Index(field.pitch)};
}
template <int D> mno::Field<float, D> copy_of(const boundary::Field& field, const mno::Grid<D>& grid) {
  if (!field.data) return {};
  mno::Field<float, D> copy(mno::Index(field.batch), grid, mno::Index(field.channels));
  const auto from = view_of<D>(field, grid);
  for (mno::Index r = 0; r < from.rows(); ++r) std::copy_n(from.row(r), from.channels, copy.view().row(r));
  return copy;
}

/// An ensemble as plain data that refers to it.
template <int D> struct PlainEnsemble {
  std::array<boundary::Axis, D> axes;
  std::vector<std::int64_t> origins, counts;
  boundary::Ensemble data{};

  explicit PlainEnsemble(const mno::Ensemble<float, D>& e)
      : axes(axes_of<D>(e.grid())),
        origins(e.origins.begin(), e.origins.end()),
        counts(e.counts.begin(), e.counts.end()) {
    data = {axes.data(),          e.size(),
            e.channels(),         e.times.data(),
            origins.data(),       counts.data(),
            plain<D>(e.initial),  plain<D>(e.mean),
            plain<D>(e.variance), plain<D>(e.covariance_factor),
            plain<D>(e.members),  plain<D>(e.known)};
  }
  PlainEnsemble(const PlainEnsemble&) = delete;
};

template <int D> mno::Ensemble<float, D> ensemble_of(const boundary::Ensemble& data) {
  if (data.conditions == 0) return {};
  const auto grid = grid_of<D>(data.axes);
  const auto all = std::size_t(data.conditions);
  mno::Ensemble<float, D> e{copy_of<D>(data.initial, grid),
                            {data.times, data.times + all},
                            {data.origins, data.origins + all},
                            {data.counts, data.counts + all},
                            copy_of<D>(data.mean, grid),
                            copy_of<D>(data.variance, grid),
                            copy_of<D>(data.covariance_factor, grid),
                            copy_of<D>(data.members, grid),
                            copy_of<D>(data.known, grid)};
  if (e.members.size() > 0) e.offsets = mno::member_offsets(e.counts);
  return e;
}

/// A sentence into its room, cut where it does not fit.
inline void put(boundary::Message to, const char* text) {
  if (to.room == 0) return;
  const std::size_t length = std::min(std::strlen(text), to.room - 1);
  std::memcpy(to.text, text, length);
  to.text[length] = 0;
}

}  // namespace demand
