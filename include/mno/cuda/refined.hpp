#pragma once
// The refined grid of model/refined.hpp on the GPU: coarse conditions go to a finer grid for the layers, and
// the law is read at the given points.
#include "mno/cuda/condition.hpp"
#include "mno/cuda/transform.hpp"
#include "mno/model/refined.hpp"

namespace mno::cuda {

namespace detail {

/// Where a given point lies on the fine grid.
template <int D> struct FinePoint {
  std::array<Index, D> points, factor;  // given points, and fine ones for each
  MNO_HOST_DEVICE Index operator()(Index p) const {
    Index fine = 0, stride = 1;
    for (std::size_t d = std::size_t(D); d-- > 0;) {
      fine += p % points[d] * factor[d] * stride;
      stride *= points[d] * factor[d];
      p /= points[d];
    }
    return fine;
  }
};
/// given = fine at the given points, or the other way round; for every given number.
template <class T, int D> struct BetweenGrids {
  FinePoint<D> place;
  Rows<T> given;
  Index points;
  Rows<T> fine;
  Index fine_points;
  enum class Way { to_given, to_fine, move_to_given } way;
  MNO_HOST_DEVICE void operator()(Index i) const {
    const Index channel = i % given.channels, row = i / given.channels, sample = row / points;
    T& f = fine.data[(sample * fine_points + place(row % points)) * fine.pitch + channel];
    if (way == Way::to_given) given(i) = f;
    if (way == Way::to_fine) f = given(i);
    if (way == Way::move_to_given) {  // added, and gone from the fine grid
      given(i) += f;
      f = 0;
    }
  }
};

}  // namespace detail

template <class T, int D> class DeviceRefined {
 public:
  DeviceRefined(Cuda& device, const DeviceCondition<T, D>& given, Index least,
                const DeviceConditionBar<T, D>& given_bar = {})
      : condition(given), bar(given_bar), device_(device), given_bar_(given_bar), grid_(given.initial.grid) {
    const auto factor = mno::detail::refinement(grid_, least);
    for (const Index f : factor) active_ = active_ || f > 1;
    if (!active_) return;
    fine_ = grid_;
    for (std::size_t d = 0; d < std::size_t(D); ++d) fine_.points[d] *= factor[d];
    place_ = {grid_.points, factor};
    condition.initial = refine(given.initial);
    if (given.known && given.known.grid == grid_) condition.known = refine(given.known);
    if (given_bar.initial) bar.initial = zeros(given_bar.initial);
    if (given_bar.known) bar.known = zeros(given_bar.known);
  }

  DeviceCondition<T, D> condition;
  DeviceConditionBar<T, D> bar;

  /// y at the given points.
  View<const T, D> at_given(const View<T, D>& y) const {
    if (!active_) return y;
    const View<T, D> to = take(y.batch, grid_, y.channels);
    between(to, y, Way::to_given);
    return to;
  }
  /// Its adjoint: ȳ, zero elsewhere.
  View<T, D> spread(const View<T, D>& given) const {
    if (!active_) return given;
    const View<T, D> ybar = take(given.batch, fine_, given.channels);
    device_.fill(ybar.data, numbers(ybar), T(0));
    between(given, ybar, Way::to_fine);
    return ybar;
  }
  /// Adds to the cotangents of the given condition what the layers left at those of the refined one.
  void pull_back() const {
    if (!active_) return;
    if (bar.initial) pull_back(bar.initial, given_bar_.initial);
    if (bar.known) pull_back(bar.known, given_bar_.known);
  }

 private:
  using Between = detail::BetweenGrids<T, D>;
  using Way = typename Between::Way;

  View<T, D> take(Index batch, const Grid<D>& grid, Index channels) const {
    T* const data = device_.arena().template keep<T>(std::size_t(batch * grid.size() * channels));
    return {data, batch, grid, channels, channels};
  }
  View<T, D> zeros(const View<T, D>& like) const {
    const View<T, D> to = take(like.batch, fine_, like.channels);
    device_.fill(to.data, numbers(to), T(0));
    return to;
  }
  void between(const View<T, D>& given, const View<T, D>& fine, Way way) const {
    device_.for_each(numbers(given),
                     Between{place_, rows(given), given.points(), rows(fine), fine.points(), way});
  }
  Wavenumbers<D> waves(const Grid<D>& grid) const {
    std::array<Index, D> modes{};
    for (std::size_t d = 0; d < std::size_t(D); ++d) modes[d] = grid_.points[d] / 2 + 1;
    return {grid.points, modes};
  }
  Coefficients<T> spectrum(Index batch, Index channels) const {
    const Index modes = waves(grid_).size();
    return {device_.arena().template scratch<Complex<T>>(std::size_t(modes * batch * channels)), modes, batch,
            channels};
  }

  /// P u, and u itself at the given points.
  View<const T, D> refine(const View<const T, D>& u) const {
    const View<T, D> to = take(u.batch, fine_, u.channels);
    const DeviceScope scope(device_.arena());
    const Coefficients<T> z = spectrum(u.batch, u.channels);
    project<T, D>(device_, u, waves(grid_), Weight::analysis, z);
    expand<T, D>(device_, z, waves(fine_), Weight::multiplicity, to, Write::set);
    between(View<T, D>{const_cast<T*>(u.data), u.batch, u.grid, u.channels, u.pitch}, to, Way::to_fine);
    return to;
  }
  /// ū += ȳ at the given points + Pᵀ(ȳ elsewhere)
  void pull_back(const View<T, D>& from, const View<T, D>& to) const {
    between(to, from, Way::move_to_given);
    const DeviceScope scope(device_.arena());
    const Coefficients<T> z = spectrum(from.batch, from.channels);
    project<T, D>(device_, from, waves(fine_), Weight::multiplicity, z);
    expand<T, D>(device_, z, waves(grid_), Weight::analysis, to, Write::add);
  }

  Cuda& device_;
  DeviceConditionBar<T, D> given_bar_;
  Grid<D> grid_, fine_{};
  detail::FinePoint<D> place_{};
  bool active_ = false;
};

}  // namespace mno::cuda
