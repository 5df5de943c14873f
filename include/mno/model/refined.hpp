#pragma once
// An operator that never works on fewer points per axis than it is told: what is given on a coarser grid is
// refined for the layers, and the law is read at the given points.
//
// On N points the nonlinearity of a layer makes waves beyond N/2, which fold back onto the waves that the
// next layer sees: a coarse grid has another operator than all fine ones, on which these waves die out. So
// u_0 and known fields go to the smallest multiple of their grid that has enough points, by the trigonometric
// interpolant P; at the given points they stay the given numbers, bit for bit.
#include <type_traits>
#include <utility>

#include "mno/device/cpu.hpp"
#include "mno/layer/pass.hpp"
#include "mno/model/input.hpp"

namespace mno::detail {

/// Fine points per given point, on every axis.
template <int D> std::array<Index, D> refinement(const Grid<D>& grid, Index least) {
  std::array<Index, D> factor{};
  for (std::size_t d = 0; d < std::size_t(D); ++d)
    factor[d] = std::max<Index>(1, (least + grid.points[d] - 1) / grid.points[d]);
  return factor;
}

/// f(given point, fine point) for all given points.
template <int D, class F>
void for_each_given(const Grid<D>& given, const std::type_identity_t<std::array<Index, D>>& factor, F&& f) {
  for (Index p = 0; p < given.size(); ++p) {
    Index fine = 0, stride = 1, rest = p;
    for (std::size_t d = std::size_t(D); d-- > 0;) {
      fine += rest % given.points[d] * factor[d] * stride;
      stride *= given.points[d] * factor[d];
      rest /= given.points[d];
    }
    f(p, fine);
  }
}

/// Kept by the device from one call to the next.
template <class T> struct RefinedMemory { Arena arena; };

/// What the layers see of a condition, and of the place of its cotangents: these themselves, or refined ones.
template <class T, int D> class Refined {
 public:
  Refined(const Condition<T, D>& given, Index least, Cpu& device, const ConditionBar<T, D>& bar = {})
      : condition(given), bar(bar), given_(given), given_bar_(bar), device_(device) {
    factor_ = refinement(given.initial.grid, least);
    for (const Index f : factor_) active_ = active_ || f > 1;
    if (!active_) return;
    fine_ = given.initial.grid;
    for (std::size_t d = 0; d < std::size_t(D); ++d) fine_.points[d] *= factor_[d];
    Arena& arena = device.own<RefinedMemory<T>>().arena;
    arena.release();
    condition.initial = refine(given.initial, arena);
    if (given.known) condition.known = refine(given.known, arena);
    if (bar.initial) this->bar.initial = zeros(bar.initial.batch, bar.initial.channels, arena);
    if (bar.known) this->bar.known = zeros(bar.known.batch, bar.known.channels, arena);
  }

  Condition<T, D> condition;
  ConditionBar<T, D> bar;

  bool active() const { return active_; }

  /// y at the given points: (sample, given grid…, channel).
  View<const T, D> at_given(View<const T, D> y, Pass<T, D>& pass) const {
    if (!active_) return y;
    const View<T, D> to = pass.keep_uninitialised(like_given(y.batch), y.channels);
    for (Index b = 0; b < y.batch; ++b)
      for_each_given(to.grid, factor_,
                     [&](Index p, Index fine) { std::copy_n(&y(b, fine, 0), y.channels, &to(b, p, 0)); });
    return to;
  }
  /// Where the cotangent of at_given(y) goes: ȳ itself, or a place of its own, which `spread` puts into ȳ.
  View<T, D> given_bar(View<T, D> ybar, Pass<T, D>& pass) const {
    return active_ ? pass.keep(like_given(ybar.batch), ybar.channels) : ybar;
  }
  void spread(View<const T, D> from, View<T, D> ybar) const {
    if (!active_) return;
    for (Index b = 0; b < ybar.batch; ++b)
      for_each_given(from.grid, factor_, [&](Index p, Index fine) {
        std::copy_n(&from(b, p, 0), ybar.channels, &ybar(b, fine, 0));
      });
  }

  /// Adds to the cotangents of the given condition what the layers left at those of the refined one.
  void pull_back() const {
    if (!active_) return;
    if (bar.initial) pull_back(bar.initial, given_bar_.initial);
    if (bar.known) pull_back(bar.known, given_bar_.known);
  }

 private:
  View<const T, D> like_given(Index batch) const {
    return {nullptr, batch, given_.initial.grid, given_.initial.channels, given_.initial.channels};
  }
  View<T, D> zeros(Index batch, Index channels, Arena& arena) const {
    const std::size_t n = std::size_t(batch * fine_.size() * channels);
    T* const data = arena.take<T>(n);
    std::fill_n(data, n, T(0));
    return {data, batch, fine_, channels, channels};
  }
  template <class Body> void for_each_sample(Index batch, Body&& body) const {
    const Index lanes = Cpu::lanes(batch);
    device_.for_each_lane(lanes, [&](Index lane, Workspace& workspace) {
      for (Index b = lane; b < batch; b += lanes) body(b, workspace);
    });
  }

  /// P u, and u itself at the given points.
  View<const T, D> refine(View<const T, D> u, Arena& arena) const {
    const View<T, D> to = zeros(u.batch, u.channels, arena);
    for_each_sample(u.batch, [&](Index b, Workspace& workspace) {
      resample_into<T, D>(u.samples(b, 1), to.samples(b, 1), workspace);
      for_each_given(u.grid, factor_,
                     [&](Index p, Index fine) { std::copy_n(&u(b, p, 0), u.channels, &to(b, fine, 0)); });
    });
    return to;
  }
  /// ū += ȳ at the given points + Pᵀ(ȳ elsewhere)
  void pull_back(View<T, D> from, View<T, D> to) const {
    for_each_sample(from.batch, [&](Index b, Workspace& workspace) {
      for_each_given(to.grid, factor_, [&](Index p, Index fine) {
        for (Index c = 0; c < to.channels; ++c) to(b, p, c) += std::exchange(from(b, fine, c), T(0));
      });
      resample_adjoint_into<T, D>(from.samples(b, 1), to.samples(b, 1), workspace);
    });
  }

  Condition<T, D> given_;
  ConditionBar<T, D> given_bar_;
  Cpu& device_;
  Grid<D> fine_{};
  std::array<Index, D> factor_{};
  bool active_ = false;
};

}  // namespace mno::detail
