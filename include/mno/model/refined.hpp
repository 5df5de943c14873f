#pragma once
// The grid that an operator works on, which is not always the given one: layers know only periodic boxes, and
// never work on fewer points per axis than Model::least_points(). The given fields go to the working grid,
// and the law is read at the given points.
//
// A field with walls is extended to a periodic box by E (spectral/box.hpp).
//
// On N points the nonlinearity of a layer makes waves beyond N/2, which fold back onto the waves that the
// next layer sees: a coarse grid has another operator than fine ones, where these waves die out. So u_0 and
// known fields go to the smallest multiple of their grid that has enough points, by the trigonometric
// interpolant P in the box; at the given points they stay the given numbers, bit for bit.
//
// Where every condition is visited S times, the layers see it S times: sample i·S + s is the s-th visit of
// condition i, and the cotangent of a condition is the sum over its visits.
#include <utility>

#include "mno/expression/blocks.hpp"
#include "mno/model/condition.hpp"
#include "mno/spectral/box.hpp"

namespace mno::detail {

/// Fine points per given point, on every axis.
template <int D> std::array<Index, D> refinement(const Grid<D>& grid, Index least) {
  std::array<Index, D> factor{};
  for (std::size_t d = 0; d < std::size_t(D); ++d)
    factor[d] = std::max<Index>(1, (least + grid.points[d] - 1) / grid.points[d]);
  return factor;
}

/// The grid that layers work on: of a periodic box, with enough points.
template <int D> Grid<D> working_grid(const Grid<D>& grid, Index least) {
  const auto factor = refinement(grid, least);
  Grid<D> box = box_of(grid);
  for (std::size_t d = 0; d < std::size_t(D); ++d) box.points[d] *= factor[d];
  return box;
}

/// Where a row of a field on the given grid, a point of a sample, lies on the working grid.
template <int D> struct WorkingRow {
  std::array<Index, D> points, factor, working;  // given points, working ones for each, and working ones
  MNO_HOST_DEVICE Index operator()(Index row) const {
    Index at = 0, stride = 1;
    for (std::size_t d = std::size_t(D); d-- > 0;) {
      at += row % points[d] * factor[d] * stride;
      stride *= working[d];
      row /= points[d];
    }
    return row * stride + at;  // what is left of the row is the sample
  }
};
/// Three copies at the given points: given = fine; fine = given; and given += fine, after which fine is 0
/// there.
template <class T, int D> struct TakeGiven {
  WorkingRow<D> place;
  View<const T, D> fine;
  View<T, D> given;
  MNO_HOST_DEVICE void operator()(Index r, Index c) const { given.row(r)[c] = fine.row(place(r))[c]; }
};
template <class T, int D> struct PutGiven {
  WorkingRow<D> place;
  View<const T, D> given;
  View<T, D> fine;
  MNO_HOST_DEVICE void operator()(Index r, Index c) const { fine.row(place(r))[c] = given.row(r)[c]; }
};
template <class T, int D> struct MoveGiven {
  WorkingRow<D> place;
  View<T, D> fine, given;
  MNO_HOST_DEVICE void operator()(Index r, Index c) const {
    T& f = fine.row(place(r))[c];
    given.row(r)[c] += f;
    f = 0;
  }
};
/// One time for every sample, from one for all or one per condition
template <class T> struct TimePerSample {
  std::span<const T> given;
  Index visits;
  T* times;
  MNO_HOST_DEVICE void operator()(Index sample, Index) const {
    times[sample] = given[given.size() == 1 ? 0 : std::size_t(sample / visits)];
  }
};
/// Repeats every sample for its visits; and the adjoint, which adds them up.
template <class T, int D> struct RepeatVisits {
  View<const T, D> from;
  Index visits;
  View<T, D> to;
  MNO_HOST_DEVICE void operator()(Index r, Index c) const {
    const Index n = to.points();
    to.row(r)[c] = from.row(r / n / visits * n + r % n)[c];
  }
};
template <class T, int D> struct AddVisits {
  View<const T, D> from;
  Index visits;
  View<T, D> to;
  MNO_HOST_DEVICE void operator()(Index r, Index c) const {
    const Index n = to.points();
    for (Index s = 0; s < visits; ++s) to.row(r)[c] += from.row((r / n * visits + s) * n + r % n)[c];
  }
};

/// A condition and the place of its cotangents as the layers see them: as given, or refined. There is one
/// time per sample, and where no known fields are given they are those stored with the model. All of it is in
/// the device's memory.
template <class T, int D, class Device> class Refined {
 public:
  using PassType = Pass<T, D, Device>;

  Refined(const Condition<T, D>& given, const View<const T, D>& stored, Index least, Device& device,
          const ConditionBar<T, D>& given_bar = {})
      : condition(given),
        bar(given_bar),
        given_bar_(given_bar),
        device_(device),
        memory_(device),
        given_(given.initial.grid),
        box_(box_of(given_)),
        fine_(working_grid(given_, least)),
        place_{given_.points, refinement(given_, least), fine_.points},
        active_(!(fine_ == given_)) {
    if (active_) {
      condition.initial = refine(given.initial);
      if (given.known) condition.known = refine(given.known);
    }
    if (several()) {
      condition.initial = repeated(condition.initial);
      if (condition.known.batch > 1) condition.known = repeated(condition.known);
      if (!bar.times.empty()) bar.times = {zeros(point(), 1).data, std::size_t(batch())};
    }
    if (active_ || several()) {
      if (bar.initial) bar.initial = zeros(fine_, bar.initial.channels);
      if (bar.known) bar.known = zeros(fine_, bar.known.channels);
    }
    if (Index(given.times.size()) < batch()) condition.times = time_per_sample(given.times);
    if (!given.known && stored) condition.known = stored.grid == fine_ ? stored : resampled(stored);
  }

  Condition<T, D> condition;
  ConditionBar<T, D> bar;

  Index batch() const { return condition.initial.batch; }
  const Grid<D>& grid() const { return fine_; }

  /// For some samples: what layers read beside x, and where they add their share of its cotangents.
  void enter(PassType& pass, Index first, Index count) const {
    const auto from = std::size_t(first), n = std::size_t(count);
    pass.first = first;
    pass.noise_seed = condition.noise;
    pass.initial = condition.initial.samples(first, count);
    pass.times = condition.times.subspan(from, n);
    if (bar.initial) pass.initial_bar = bar.initial.samples(first, count);
    if (!bar.times.empty()) pass.times_bar = bar.times.subspan(from, n);
  }

  /// y at the given points: (sample, given grid…, channel).
  View<const T, D> at_given(const View<const T, D>& y, PassType& pass) const {
    if (!active_) return y;
    const View<T, D> to = pass.keep_uninitialised(y.batch, given_, y.channels);
    pass.for_each(to, TakeGiven<T, D>{place_, y, to});
    return to;
  }
  /// Where the cotangent of at_given(y) goes: ȳ itself, or a place of its own, which `spread` puts into ȳ.
  View<T, D> given_bar(const View<T, D>& ybar, PassType& pass) const {
    if (!active_) return ybar;
    const View<T, D> to = pass.keep_uninitialised(ybar.batch, given_, ybar.channels);
    pass.clear(to);
    return to;
  }
  void spread(const View<const T, D>& from, const View<T, D>& ybar, PassType& pass) const {
    if (active_) pass.for_each(from, PutGiven<T, D>{place_, from, ybar});
  }

  /// Adds to the cotangents of the given condition what the layers left at those of the refined one.
  void pull_back() const {
    if (several() && !bar.times.empty()) {
      const auto numbers = [](std::span<T> t) {
        return View<T, D>{t.data(), Index(t.size()), point(), 1, 1};
      };
      add_visits(numbers(bar.times), numbers(given_bar_.times));
    }
    if (!active_ && !several()) return;
    if (bar.initial) pull_back(bar.initial, given_bar_.initial);
    if (bar.known) pull_back(bar.known, given_bar_.known);
  }

 private:
  bool several() const { return condition.draws > 1; }
  static Grid<D> point() {
    Grid<D> one;
    one.points.fill(1);
    return one;
  }
  /// body(pass, these samples of a, these samples of b)
  template <class A, class B, class Body> void for_each_sample(const A& a, const B& b, Body&& body) const {
    for_each_pass<T, D>(device_, b.batch, 1, [&](PassType& pass, Index first, Index count) {
      body(pass, a.samples(first, count), b.samples(first, count));
    });
  }
  View<T, D> field(Index samples, const Grid<D>& grid, Index channels) const {
    return {memory_.take(samples * grid.size() * channels), samples, grid, channels, channels};
  }
  void clear(const View<T, D>& to) const {
    for_each_sample(to, to, [](PassType& pass, auto, const View<T, D>& some) { pass.clear(some); });
  }
  /// Of all samples.
  View<T, D> zeros(const Grid<D>& grid, Index channels) const {
    const View<T, D> to = field(batch(), grid, channels);
    clear(to);
    return to;
  }
  std::span<const T> time_per_sample(std::span<const T> given) const {
    const View<T, D> to = field(batch(), point(), 1);
    for_each_pass<T, D>(device_, 1, 1, [&](PassType& pass, Index, Index) {
      pass.for_each(to, TimePerSample<T>{given, condition.draws, to.data});
    });
    return {to.data, std::size_t(batch())};
  }
  View<const T, D> repeated(const View<const T, D>& u) const {
    const Index visits = condition.draws;
    const View<T, D> to = field(u.batch * visits, u.grid, u.channels);
    for_each_pass<T, D>(device_, u.batch, 1, [&](PassType& pass, Index first, Index count) {
      const View<T, D> some = to.samples(first * visits, count * visits);
      pass.for_each(some, RepeatVisits<T, D>{u.samples(first, count), visits, some});
    });
    return to;
  }
  void add_visits(const View<const T, D>& from, const View<T, D>& to) const {
    const Index visits = condition.draws;
    for_each_pass<T, D>(device_, to.batch, 1, [&](PassType& pass, Index first, Index count) {
      const View<T, D> some = to.samples(first, count);
      pass.for_each(some, AddVisits<T, D>{from.samples(first * visits, count * visits), visits, some});
    });
  }
  View<const T, D> resampled(const View<const T, D>& u) const {
    const View<T, D> to = field(u.batch, fine_, u.channels);
    for_each_sample(u, to, [](PassType& pass, const View<const T, D>& from, const View<T, D>& some) {
      resample_box(from, some, pass);
    });
    return to;
  }

  /// P E u, and u itself at the given points.
  View<const T, D> refine(const View<const T, D>& u) const {
    const View<T, D> to = field(u.batch, fine_, u.channels);
    for_each_sample(u, to, [&](PassType& pass, const View<const T, D>& from, const View<T, D>& some) {
      resample_box(from, some, pass);
      pass.for_each(from, PutGiven<T, D>{place_, from, some});
    });
    return to;
  }
  /// u in its box, on the grid of `to`.
  static void resample_box(const View<const T, D>& u, const View<T, D>& to, PassType& pass) {
    const Grid<D> box = box_of(u.grid);
    require_same_box("predict", "known", box, to.grid);
    if (to.grid == box) return pass.for_each(to, ExtendToBox<T, D>{u, to});
    if (!u.grid.domain.has_walls()) return pass.resample(u, to, Write::set);
    const auto scope = pass.scope();
    const View<T, D> extended = pass.scratch_uninitialised(u.batch, box, u.channels);
    pass.for_each(extended, ExtendToBox<T, D>{u, extended});
    pass.resample(extended, to, Write::set);
  }
  /// ū += ȳ at the given points + EᵀPᵀ(ȳ elsewhere)
  void pull_back(View<T, D> from, const View<T, D>& to) const {
    if (several()) {
      if (!active_) return add_visits(from, to);
      const View<T, D> sums = field(to.batch, fine_, to.channels);
      clear(sums);
      add_visits(from, sums);
      from = sums;
    }
    for_each_sample(from, to, [&](PassType& pass, const View<T, D>& some, const View<T, D>& there) {
      pass.for_each(there, MoveGiven<T, D>{place_, some, there});
      if (fine_ == box_) return pass.for_each(there, FoldFromBox<T, D>{some, there});
      if (!given_.domain.has_walls()) return pass.resample_adjoint(some, there, Write::add);
      const auto scope = pass.scope();
      const View<T, D> box_bar = pass.scratch_uninitialised(there.batch, box_, there.channels);
      pass.resample_adjoint(some, box_bar, Write::set);
      pass.for_each(there, FoldFromBox<T, D>{box_bar, there});
    });
  }

  ConditionBar<T, D> given_bar_;
  Device& device_;
  BatchMemory<T, Device> memory_;
  Grid<D> given_, box_, fine_;
  WorkingRow<D> place_;
  bool active_;
};

}  // namespace mno::detail
