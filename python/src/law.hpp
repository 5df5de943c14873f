#pragma once
// A law of any dimension: every question is one of the library's own, so that nugget, residual law and warp
// are answered for or refused by it.
#include <mno/law/any_residual.hpp>
#include <mno/law/any_warp.hpp>
#include <mno/law/conditioning.hpp>
#include <mno/law/covariance.hpp>
#include <mno/law/density.hpp>
#include <mno/law/functional.hpp>
#include <mno/law/marginal_crps.hpp>
#include <mno/law/quantile.hpp>
#include <mno/law/sample.hpp>
#include <mno/metric/scorecard.hpp>
#include <optional>
#include <variant>

#include "arrays.hpp"

namespace package {

template <int D> using LawIn = mno::Law<float, D, mno::AnyResidual, mno::AnyWarp>;

class AnyLaw {
 private:
  using Held = std::variant<LawIn<1>, LawIn<2>, LawIn<3>>;

  template <class F> auto ask(F&& f) const { return std::visit(f, law_); }
  /// Without the interpreter's lock.
  template <class F> auto quietly(F&& f) const {
    const nb::gil_scoped_release released;
    return ask(f);
  }
  template <class F> Result answer(F&& f) const { return quietly(f).array(); }

 public:
  template <int D> explicit AnyLaw(LawIn<D> law) : law_(std::move(law)) {}
  AnyLaw(const Floats& mean, const Floats& factor, const std::optional<Floats>& nugget,
         const std::string& residual, const std::string& warp, const std::vector<double>& length,
         const std::vector<bool>& bounded)
      : law_(made(mean, factor, nugget, residual, warp, length, bounded)) {}

  int dimension() const { return int(law_.index()) + 1; }
  Index batch() const {
    return ask([](const auto& law) { return law.batch(); });
  }
  Index channels() const {
    return ask([](const auto& law) { return law.channels(); });
  }
  Index rank() const {
    return ask([](const auto& law) { return law.rank(); });
  }
  bool has_nugget() const {
    return ask([](const auto& law) { return law.has_nugget(); });
  }
  std::string residual() const {
    return ask([](const auto& law) { return law.residual.text(); });
  }
  std::string warp() const {
    return ask([](const auto& law) { return law.warp.text(); });
  }
  std::vector<Index> points() const {
    return ask([](const auto& law) {
      const auto& n = law.grid().points;
      return std::vector<Index>(n.begin(), n.end());
    });
  }
  std::vector<double> length() const {
    return ask([](const auto& law) {
      const auto& all = law.grid().domain.length;
      return std::vector<double>(all.begin(), all.end());
    });
  }
  std::vector<bool> bounded() const {
    return ask([](const auto& law) {
      const auto& all = law.grid().domain.bounded;
      return std::vector<bool>(all.begin(), all.end());
    });
  }

  // In the law's own coordinates.
  Result own_mean() const {
    return answer([](const auto& law) { return Values(law.mean); });
  }
  Result factor() const {
    return answer([](const auto& law) { return Values(law.factor); });
  }
  Result nugget() const {
    return answer([](const auto& law) { return Values(law.nugget); });
  }
  // In the units of the data.
  Result mean() const {
    return answer([](const auto& law) { return Values(mno::mean(law)); });
  }
  Result variance() const {
    return answer([](const auto& law) { return Values(mno::variance(law)); });
  }
  Result quantile(double p) const {
    return answer([&](const auto& law) { return Values(mno::quantile(law, p)); });
  }
  Result exceedance(const Floats& level) const {
    return answer([&](const auto& law) {
      return Values(mno::exceedance(law, like(law, "exceedance", "level", level)));
    });
  }
  Result cdf(const Floats& u) const {
    return answer([&](const auto& law) { return Values(mno::cdf(law, like(law, "cdf", "u", u))); });
  }
  Result crps(const Floats& u) const {
    return answer([&](const auto& law) { return Values(mno::crps(law, like(law, "crps", "u", u))); });
  }
  /// (sample·draw, channel, x…)
  Result sample(Index count, std::uint64_t seed) const {
    return answer([&](const auto& law) { return Values(mno::sample(law, count, seed)); });
  }
  /// Of fields (sample, channel, x…): one per sample of the law.
  Doubles log_density(const Floats& u, double noise_variance) const {
    std::vector<double> all = quietly([&](const auto& law) {
      const Eigen::VectorXd values = mno::log_density(law, like(law, "log_prob", "u", u), noise_variance);
      return std::vector<double>(values.begin(), values.end());
    });
    const std::size_t count = all.size();
    return array_of(std::move(all), {count});
  }
  /// Every sample given values (sample, observation) at the same entries, (point, channel) each.
  AnyLaw condition(const std::vector<std::pair<Index, Index>>& where,
                   const nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>& values,
                   double noise_variance) const {
    return quietly([&]<int D>(const LawIn<D>& law) {
      mno::require(Index(values.shape(0)) == law.batch() && values.shape(1) == where.size(), "condition",
                   "values", mno::Text("one per sample and index, (", law.batch(), ", ", where.size(), ")"),
                   mno::Text("(", values.shape(0), ", ", values.shape(1), ")"));
      LawIn<D> all = law;
      std::vector<mno::Observation> seen(where.size());
      for (Index s = 0; s < law.batch(); ++s) {
        for (std::size_t i = 0; i < where.size(); ++i)
          seen[i] = {where[i].first, where[i].second, values.data()[std::size_t(s) * where.size() + i]};
        const LawIn<D> one = mno::condition(law, s, std::span<const mno::Observation>(seen), noise_variance);
        put(one.mean, s, all.mean);
        put(one.factor, s, all.factor);
        if (law.has_nugget()) put(one.nugget, s, all.nugget);
      }
      return AnyLaw(std::move(all));
    });
  }
  /// Mean (sample, functional) and covariance (sample, functional, functional) of ⟨w_i,u⟩, weights
  /// (functional, channel, x…).
  std::pair<Doubles, Doubles> functionals(const Floats& weights) const {
    std::vector<double> means, covariances;
    const std::size_t count = weights.ndim() > 0 ? weights.shape(0) : 0;
    quietly([&]<int D>(const LawIn<D>& law) {
      const auto w = field_of<D>("functional", "weights", weights, law.grid().domain);
      require_finite<D>("functional", "weights", w);
      for (Index s = 0; s < law.batch(); ++s) {
        const auto all = mno::functionals(law, s, w);
        const Eigen::MatrixXd covariance = all.covariance();
        means.insert(means.end(), all.mean.begin(), all.mean.end());
        covariances.insert(covariances.end(), covariance.data(), covariance.data() + covariance.size());
      }
      return 0;
    });
    const std::size_t samples = std::size_t(batch());
    return {array_of(std::move(means), {samples, count}),
            array_of(std::move(covariances), {samples, count, count})};
  }
  /// Every score of the law against draws (sample, draw, channel, x…): metric, value, floor, level.
  struct Score {
    std::string metric;
    double value;
    std::optional<double> floor, level;
  };
  std::vector<Score> scores(const Floats& draws, Index members, std::vector<std::string> metrics,
                            std::uint64_t seed) const {
    return quietly([&]<int D>(const LawIn<D>& law) {
      const auto all = field_of<D>("score", "draws", draws, law.grid().domain);
      require_finite<D>("score", "draws", all);
      mno::require(
          members >= 1 && all.batch() == law.batch() * members && all.grid() == law.grid() &&
              all.channels() == law.channels(),
          "score", "draws",
          mno::Text("(", law.batch(), ", draw, ", law.channels(), ", …) on the grid ", law.grid().str()),
          mno::Text(io::to_string(shape_of(draws))));
      const std::vector<Index> counts(std::size_t(law.batch()), members);
      auto data = mno::make_ensemble<float, D>(std::span<const Index>(counts), law.grid(), law.channels(),
                                               {.members = true});
      for (Index s = 0; s < law.batch(); ++s)
        mno::set_condition<float, D>(data, s, law.mean.view().samples(s, 1), 0, s,
                                     all.view().samples(s * members, members));
      mno::metric::ScorecardOptions options;
      options.metrics = std::move(metrics);
      options.seed = seed;
      std::vector<Score> rows;
      for (const mno::metric::ScoreRow& row : mno::metric::scorecard(law, data, options))
        rows.push_back({row.metric, row.value, row.floor, row.level});
      return rows;
    });
  }

 private:
  template <int D>
  static mno::Field<float, D> like(const LawIn<D>& law, const char* function, const char* name,
                                   const Floats& array) {
    return field_of<D>(function, name, array, law.grid().domain);
  }
  template <int D> static void put(const mno::Field<float, D>& one, Index sample, mno::Field<float, D>& all) {
    mno::flat(all, sample) = mno::flat(one, 0);
  }

  static Held made(const Floats& mean, const Floats& factor, const std::optional<Floats>& nugget,
                   const std::string& residual, const std::string& warp, const std::vector<double>& length,
                   const std::vector<bool>& bounded) {
    const auto in = [&]<int D>(std::integral_constant<int, D>) -> Held {
      const mno::Domain<D> domain = domain_of<D>(length, bounded);
      const auto part = [&](const char* name, const Floats& array) {
        auto field = field_of<D>("Law", name, array, domain);
        require_finite<D>("Law", name, field);
        return field;
      };
      LawIn<D> law(part("mean", mean), part("factor", factor),
                   nugget ? part("nugget", *nugget) : mno::Field<float, D>(), mno::AnyResidual(),
                   mno::AnyWarp::parse(warp));
      return mno::with_residual(std::move(law), mno::AnyResidual::parse(residual));
    };
    if (mean.ndim() == 3) return in(std::integral_constant<int, 1>());
    if (mean.ndim() == 4) return in(std::integral_constant<int, 2>());
    mno::require(mean.ndim() == 5, "Law", "mean", mno::Text("(sample, channel, x[, y[, z]])"),
                 mno::Text(io::to_string(shape_of(mean))));
    return in(std::integral_constant<int, 3>());
  }

  Held law_;
};

/// cdf, exceedance or quantile of mean + sd·ζ, ζ the standardised marginal of a residual law; the three
/// arrays have the same size.
inline std::vector<double> marginals(const std::string& residual, std::string_view what,
                                     std::span<const double> mean, std::span<const double> sd,
                                     std::span<const double> at) {
  mno::require(mean.size() == sd.size() && mean.size() == at.size(), "marginals", "at",
               mno::Text(mean.size(), " numbers"), mno::Text(at.size()));
  const mno::AnyResidual law = mno::AnyResidual::parse(residual);
  mno::require(!law.leans(), "marginals", "residual",
               mno::Text("residuals that are alike in every direction: take the functional of samples"),
               mno::Text(residual));
  std::vector<double> all;
  for (std::size_t i = 0; i < mean.size(); ++i) {
    const mno::Marginal<mno::AnyResidual> one{mean[i], sd[i], law};
    all.push_back(what == "cdf"          ? one.cdf(at[i])
                  : what == "exceedance" ? one.exceedance(at[i])
                                         : one.quantile(at[i]));
  }
  return all;
}

}  // namespace package
