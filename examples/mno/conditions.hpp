#pragma once
// Every condition by itself: its scores, and where in the field its error is. Conditions are ranked by the
// distance to the ensemble's law (w2g); for a deterministic prediction, by the distance to its mean; where
// there are only draws, by the CRPS.
#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <mno/law/marginal_crps.hpp>
#include <mno/metric/coverage.hpp>
#include <mno/metric/rmse.hpp>
#include <mno/metric/wasserstein.hpp>

#include "report/worst.hpp"

namespace program {

template <int D> class ConditionCard {
 public:
  ConditionCard(const mno::Grid<D>& grid, mno::Index channels, bool ensembles, bool stochastic)
      : grid_(grid), channels_(channels), ensembles_(ensembles), stochastic_(stochastic) {
    if (ensembles && stochastic) result_.metrics = {"w2g", "mean_rmse", "var_rmse"};
    if (ensembles && !stochastic) result_.metrics = {"mean_rmse"};
    result_.metrics.push_back("crps");
    if (stochastic) result_.metrics.push_back("coverage 0.9");
  }

  /// Draws (entry, draw) are those of an operator that gives nothing else, and the law has their moments.
  template <class L>
  void add(mno::Index sample, std::uint64_t origin, double time, const L& law,
           const mno::metric::Members& draws, const mno::metric::Members& members, double crps) {
    namespace metric = mno::metric;
    const metric::Moments model = metric::moments(law, 0);
    mno::report::ConditionScores one{.sample = int(sample), .time = time};
    one.origin = origins_.emplace(origin, int(sample)).first->second;
    if (ensembles_) {
      const metric::Moments truth = metric::moments(members);
      const auto score = [&](auto measure) {
        measure.add(model, truth);
        one.scores.push_back(measure.value());
      };
      if (stochastic_) score(metric::W2g());
      score(metric::MeanRmse());
      if (stochastic_) score(metric::VarianceRmse());
      keep(distances(model, truth));
    } else {
      keep(scores_by_entry(law, members));
    }
    one.scores.push_back(crps);
    if (stochastic_) {
      metric::Coverage coverage({0.9});
      metric::SampleCoverage of_draws({0.9});
      if (draws.cols() >= 19)  // what the level needs; else the law that has their moments
        of_draws.add(draws, members);
      else
        coverage.add(law, 0, members);
      one.scores.push_back(draws.cols() >= 19 ? of_draws.value()[0].second : coverage.value()[0]);
    }
    result_.all.push_back(std::move(one));
  }

  std::vector<mno::Index> origins() const {
    std::vector<mno::Index> all;
    for (const auto& one : result_.all) all.push_back(one.origin);
    return all;
  }

  /// With maps: of the worst conditions over x, or of all together over the plane.
  mno::report::Conditions value() const {
    mno::report::Conditions all = result_;
    const std::string what = ensembles_ ? (stochastic_ ? "w2g" : "error of the mean") : "crps";
    for (mno::Index c = 0; c < channels_; ++c) {
      const std::string of = channels_ == 1 ? "" : ", channel " + std::to_string(c);
      if constexpr (D == 1)
        all.maps.push_back(over_x(c, "Where in x the worst conditions have their " + what + of));
      if constexpr (D == 2)
        all.maps.push_back(over_plane(c, "Where in the plane " + what + " is, mean over conditions" + of));
    }
    return all;
  }

 private:
  using Profile = std::vector<float>;  // (entry), normalised coordinates

  /// Fields in 1D are few numbers and are kept; of other fields only the sum is kept.
  void keep(Profile profile) {
    if (D == 1 || profiles_.empty())
      profiles_.push_back(std::move(profile));
    else
      std::ranges::transform(profiles_[0], profile, profiles_[0].begin(), std::plus<>());
  }

  Profile distances(const mno::metric::Moments& model, const mno::metric::Moments& truth) const {
    Profile out;
    for (mno::Index i = 0; i < model.size(); ++i)
      out.push_back(float(stochastic_
                              ? std::hypot(model.mean[i] - truth.mean[i],
                                           std::sqrt(model.variance[i]) - std::sqrt(truth.variance[i]))
                              : std::abs(model.mean[i] - truth.mean[i])));
    return out;
  }
  template <class L> Profile scores_by_entry(const L& law, const mno::metric::Members& members) const {
    Profile out;
    for (mno::Index i = 0; i < members.rows(); ++i) {
      const auto of_entry = mno::marginal(law, 0, i / channels_, i % channels_);
      double sum = 0;
      for (mno::Index j = 0; j < members.cols(); ++j) sum += mno::crps(of_entry, members(i, j));
      out.push_back(float(sum / double(members.cols())));
    }
    return out;
  }
  mno::report::Image over_x(mno::Index c, const std::string& title) const {
    constexpr std::size_t most = 20;
    const auto order = mno::report::worst_first(result_);
    const std::size_t rows = std::min(most, order.size());
    mno::report::Image image{title, int(grid_.points[0]), int(rows), {}};
    image.rows.emplace();
    for (std::size_t r = 0; r < rows; ++r) {
      image.rows->push_back(std::to_string(result_.all[order[r]].sample));
      for (mno::Index x = 0; x < grid_.points[0]; ++x)
        image.values.push_back(profiles_[order[r]][std::size_t(x * channels_ + c)]);
    }
    return image;
  }
  mno::report::Image over_plane(mno::Index c, const std::string& title) const {
    mno::report::Image image{title, int(grid_.points[D - 1]), int(grid_.points[0]),
                             mno::report::Numbers(std::size_t(grid_.size()), 0.0)};
    for (std::size_t p = 0; p < image.values.size(); ++p)
      image.values[p] =
          double(profiles_[0][p * std::size_t(channels_) + std::size_t(c)]) / double(result_.all.size());
    return image;
  }

  mno::Grid<D> grid_;
  mno::Index channels_;
  bool ensembles_, stochastic_;
  mno::report::Conditions result_{};
  std::vector<Profile> profiles_{};         // (condition), or one: their sum
  std::map<std::uint64_t, int> origins_{};  // the first condition of every initial field
};

}  // namespace program
