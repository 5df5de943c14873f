#pragma once
// The Chapman–Kolmogorov defect: does the law at s + t agree with the one that goes through s? For a Markov
// process both are the same; for a model of single times nothing guarantees it.
//
//   X ~ law(u_0, s + t),   Y ~ law(Z, t),  Z ~ law(u_0, s)
//
//   energy  (2 E‖X − Y‖ − E‖X − X'‖ − E‖Y − Y'‖) / E‖X − X'‖ ≥ 0, and 0 where the two laws are the same
//   shift   ‖E X − E Y‖² / tr Cov X
//   spread  tr Cov Y / tr Cov X
//
// from draws. Numerators and denominators are unbiased, and averaged over conditions before they are divided.
// For laws that agree, the first two come out as small numbers of either sign. A warped law is compared in
// the units of its draws.
//   G. J. Székely, M. L. Rizzo, "Energy statistics: a class of statistics based on distances", 2013.
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "mno/data/condition.hpp"
#include "mno/law/sample.hpp"
#include "mno/metric/moments.hpp"

namespace mno::metric {

class Composition {
 public:
  /// Draws of one condition, (entry, draw): at once, and composed.
  template <class Own = void> void add(const Members& draws, const Members& through) {
    const mno::detail::MatrixIn<Own>&at_once = draws, &composed = through;
    detail::require_entries("metric::Composition", "composed", at_once.rows(), composed.rows());
    require(at_once.cols() >= 2 && composed.cols() >= 2, "metric::Composition", "draws",
            Text("at least two of each"), Text(at_once.cols(), " and ", composed.cols()));
    const double k = double(at_once.cols()), l = double(composed.cols());
    double between = 0, within = 0, within_composed = 0;
    for (Index j = 0; j < composed.cols(); ++j) {
      between += (at_once.colwise() - composed.col(j)).colwise().norm().sum();
      within_composed += (composed.colwise() - composed.col(j)).colwise().norm().sum();
    }
    for (Index j = 0; j < at_once.cols(); ++j)
      within += (at_once.colwise() - at_once.col(j)).colwise().norm().sum();
    within /= k * (k - 1);
    energy_.add(2 * between / (k * l) - within - within_composed / (l * (l - 1)));
    size_.add(within);
    const mno::detail::VectorIn<Own> m = at_once.rowwise().mean(), m_composed = composed.rowwise().mean();
    const double trace = (at_once.colwise() - m).squaredNorm() / (k - 1),
                 trace_composed = (composed.colwise() - m_composed).squaredNorm() / (l - 1);
    shift_.add((m - m_composed).squaredNorm() - trace / k - trace_composed / l);
    trace_.add(trace);
    trace_composed_.add(trace_composed);
  }
  double energy() const { return energy_.value("metric::Composition") / size_.value("metric::Composition"); }
  double shift() const { return shift_.value("metric::Composition") / trace_.value("metric::Composition"); }
  double spread() const {
    return trace_composed_.value("metric::Composition") / trace_.value("metric::Composition");
  }

 private:
  detail::Average energy_{}, size_{}, shift_{}, trace_{}, trace_composed_{};
};

namespace detail {
/// Every field `count` times, side by side.
template <class T, int D> Field<T, D> repeated(const Field<T, D>& fields, Index count) {
  if (fields.size() == 0) return {};
  Field<T, D> all(fields.batch() * count, fields.grid(), fields.channels());
  const Index n = fields.points() * fields.channels();
  for (Index j = 0; j < all.batch(); ++j) std::copy_n(fields.data() + j / count * n, n, all.data() + j * n);
  return all;
}
/// After a step: `now` becomes the nearest of the frames before, and the farthest is dropped.
template <class T, int D> void remember(const Field<T, D>& now, Field<T, D>& history) {
  const Index c = now.channels(), all = history.channels();
  for (Index row = 0; row < history.view().rows(); ++row) {
    T* const of = history.view().row(row);
    std::copy_backward(of, of + all - c, of + all);
    std::copy_n(now.view().row(row), c, of);
  }
}
}  // namespace detail

/// Paths by reuse: u ← one draw of model.predict({u, step}), step by step, `count` paths of every initial
/// field. Result i holds the fields after step i, (sample·count + path, grid…, C). A model is whatever
/// predicts laws: a Surrogate, for one.
///
/// A model with a history window (data/trajectories.hpp) is given the frames before as well, `history`
/// (sample, grid…, (W − 1)·C), the nearest first, and remembers what it draws: then steps are as long as its
/// frames are apart.
template <class T, int D, class M>
std::vector<Field<T, D>> rollout(const M& model, const Field<T, D>& initial, std::span<const double> steps,
                                 Index count, std::uint64_t seed, const Field<T, D>& history = {}) {
  require(count >= 1, "metric::rollout", "count", Text("at least one path"), Text(count));
  require(
      history.size() == 0 ||
          (history.batch() == initial.batch() && history.channels() % initial.channels() == 0),
      "metric::rollout", "history",
      Text("for each of ", initial.batch(), " fields a multiple of its ", initial.channels(), " channel(s)"),
      Text(history.batch(), " of ", history.channels()));
  Field<T, D> now = detail::repeated(initial, count), before = detail::repeated(history, count);
  std::vector<Field<T, D>> all;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const T step = T(steps[i]);
    Condition<T, D> condition{std::as_const(now).view(), {&step, 1}};
    if (before.size() > 0) condition.known = std::as_const(before).view();
    const auto law = model.predict(condition);
    if (before.size() > 0) detail::remember(now, before);
    now = sample(law, 1, seed + 0x9E3779B97F4A7C15u * (i + 1));  // other noise in every step
    all.push_back(now);
  }
  return all;
}

}  // namespace mno::metric
