#pragma once
// One condition as the page shows it, in the coordinates of the data: lines in 1D, fields in 2D. Fewer than
// least_ensemble members are draws: they are shown themselves, and nothing is estimated from them.
#include <algorithm>
#include <cmath>
#include <mno/data/normaliser.hpp>
#include <mno/metric/moments.hpp>

#include "report/parts.hpp"

namespace program {

/// One condition, normalised, and how to go back.
template <int D> struct Seen {
  const mno::Normaliser& normaliser;
  const mno::Grid<D>& grid;
  const mno::Field<float, D>& initial;
  mno::Index channels;
  bool stochastic;
  const mno::metric::Moments& model;
  const mno::metric::Members &draws, &members;

  bool ensemble() const { return members.cols() >= mno::least_ensemble; }
  double scale(mno::Index c) const { return normaliser.scale[std::size_t(c)]; }
  double in_units(double value, mno::Index c) const {
    return value * scale(c) + normaliser.shift[std::size_t(c)];
  }
  /// Channel c of a flattened field.
  template <class V> mno::report::Numbers channel(const V& field, mno::Index c) const {
    mno::report::Numbers values;
    for (mno::Index x = 0; x < grid.size(); ++x)
      values.push_back(in_units(double(field[x * channels + c]), c));
    return values;
  }
  mno::report::Numbers deviation(const mno::metric::Moments& moments, mno::Index c) const {
    mno::report::Numbers values;
    for (mno::Index x = 0; x < grid.size(); ++x)
      values.push_back(std::sqrt(moments.variance[x * channels + c]) * scale(c));
    return values;
  }
  std::string named(const std::string& title, mno::Index c) const {
    return channels == 1 ? title : title + ", channel " + std::to_string(c);
  }
};

inline void add_pictures(std::vector<mno::report::Example>& examples, const std::string& title,
                         const Seen<1>& seen) {
  constexpr mno::Index most = 12;
  const auto columns = [&](const mno::metric::Members& all, mno::Index c) {
    std::vector<mno::report::Numbers> out;
    for (mno::Index j = 0; j < std::min(most, all.cols()); ++j) out.push_back(seen.channel(all.col(j), c));
    return out;
  };
  for (mno::Index c = 0; c < seen.channels; ++c) {
    mno::report::Example e;
    e.title = seen.named(title, c);
    const mno::Index points = seen.grid.points[0];
    for (mno::Index x = 0; x < points; ++x)
      e.x.push_back(seen.grid.domain.length[0] * double(x) / double(points));
    e.initial = seen.channel(seen.initial.data(), c);
    e.mean = seen.channel(seen.model.mean, c);
    if (seen.stochastic) {
      e.deviation = seen.deviation(seen.model, c);
      e.draws = columns(seen.draws, c);
    }
    e.members = columns(seen.members, c);
    if (seen.ensemble()) {
      const auto truth = mno::metric::moments(seen.members);
      e.truth_mean = seen.channel(truth.mean, c);
      e.truth_deviation = seen.deviation(truth, c);
      e.marginal_point = int(points / 2);
      for (mno::Index j = 0; j < seen.members.cols(); ++j)
        e.marginal_members.push_back(seen.in_units(seen.members(points / 2 * seen.channels + c, j), c));
    }
    examples.push_back(std::move(e));
  }
}

/// Rows are the first axis. Values share one colour bar, deviations another, and every error has its own.
inline void add_pictures(std::vector<mno::report::Image>& images, const std::string& title,
                         const Seen<2>& seen) {
  using mno::report::Numbers;
  for (mno::Index c = 0; c < seen.channels; ++c) {
    const auto add = [&](const char* panel, const char* what, Numbers values, bool symmetric = false) {
      mno::report::Image image{what, int(seen.grid.points[1]), int(seen.grid.points[0]), std::move(values)};
      image.panel = title + "/" + seen.named(panel, c);
      if (symmetric) image.symmetric = true;
      images.push_back(std::move(image));
    };
    const auto less = [](Numbers a, const Numbers& b) {
      for (std::size_t i = 0; i < a.size(); ++i) a[i] -= b[i];
      return a;
    };
    const Numbers mean = seen.channel(seen.model.mean, c), member = seen.channel(seen.members.col(0), c);
    add("Values", "initial field", seen.channel(seen.initial.data(), c));
    add("Values", "predicted mean", mean);
    if (!seen.ensemble()) {
      add("Values", "realisation", member);
      if (seen.stochastic) add("Values", "a predicted draw", seen.channel(seen.draws.col(0), c));
      add("Realisation − mean", "u − mean", less(member, mean), true);
      if (seen.stochastic) add("Deviation", "predicted", seen.deviation(seen.model, c));
      continue;
    }
    const auto truth = mno::metric::moments(seen.members);
    const Numbers truth_mean = seen.channel(truth.mean, c);
    add("Values", "ensemble mean", truth_mean);
    if (seen.stochastic) add("Values", "a predicted draw", seen.channel(seen.draws.col(0), c));
    add("Values", "a member", member);
    if (seen.stochastic) {
      add("Deviation", "predicted", seen.deviation(seen.model, c));
      add("Deviation", "ensemble", seen.deviation(truth, c));
      add("Error of the deviation", "predicted − ensemble",
          less(seen.deviation(seen.model, c), seen.deviation(truth, c)), true);
    }
    add("Error of the mean", "predicted − ensemble", less(mean, truth_mean), true);
  }
}

}  // namespace program
