#pragma once
// Every score of a prediction beside its floor: the score of a model that knows the law. Even that is not
// perfect, because the data shows the law only through its members.
//
//   const auto rows = metric::scorecard(law, data);        // or a field, for a deterministic prediction
//   const auto rows = metric::scorecard(draws, S, data);   // S draws of every condition
//
// and, where the data does not fit into memory, condition by condition:
//
//   metric::Scorecard<1> card(grid, least_members);
//   card.add(law, sample, draws, members);
//   for (const metric::ScoreRow& row : card.rows()) …
//
// A score stands in the table where it has a meaning:
//
//   two members of every condition    mean_rmse, var_rmse, w2s, w2g, cov_frobenius_rel
//   any number of members             crps, energy_score, coverage, log_score, pit_distance
//
// Floors need four members of every condition. log_score and pit_distance are in the table by default where
// some condition has fewer, elsewhere if they are asked for by name. A warped law has no covariance.
//
// A deterministic prediction has no var_rmse, log_score, cov_frobenius_rel, coverage and pit_distance, a law
// without a density no log_score, and draws neither log_score nor pit_distance.
//
// A model that gives S draws shows its law only through them. CRPS and energy score are fair, without bias in
// S. S draws add κ₂/S and κ₄/S + 2κ₂²/(S−1) to the squared errors of mean and variance. With four draws or
// more this is estimated without bias (floor.hpp) and subtracted. The squares of w2g and cov_frobenius_rel
// are sums of such parts too, and what draws of the law itself would have is subtracted from them. w2s
// compares draws with members, for a law too, so it falls with the number of either. Coverage is by order
// statistics, at the levels that S draws allow. If a model knows mean and covariance of its draws, these are
// scored as they are.
#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "mno/data/ensemble.hpp"
#include "mno/law/sample.hpp"
#include "mno/metric/covariance_error.hpp"
#include "mno/metric/coverage.hpp"
#include "mno/metric/crps.hpp"
#include "mno/metric/energy_score.hpp"
#include "mno/metric/floor.hpp"
#include "mno/metric/log_score.hpp"
#include "mno/metric/pit.hpp"

namespace mno::metric {

struct ScoreRow {
  std::string metric{};
  double value = 0;
  std::optional<double> floor{};
  std::optional<double> level{};  // of coverage: the share that it should be
};

struct ScorecardOptions {
  std::vector<std::string> metrics{};  // none: those that suit the data
  bool floors = true;
  Index draws = 0;         // of a law, per condition; 0: as many as there are members, 64 where these are few
  std::uint64_t seed = 0;  // of the draws

  /// The number of draws for conditions with these numbers of members.
  Index draws_for(Index least_members, Index most_members) const {
    if (draws > 0) return draws;
    return least_members >= least_ensemble ? most_members : std::max<Index>(most_members, 64);
  }
  template <class T, int D> Index draws_for(const Ensemble<T, D>& data) const {
    return draws_for(data.least_members(), data.counts.empty() ? 0 : *std::ranges::max_element(data.counts));
  }
};

template <int D> class Scorecard {
 public:
  static constexpr std::array names{"mean_rmse", "var_rmse",     "w2s",       "w2g",
                                    "crps",      "energy_score", "log_score", "cov_frobenius_rel",
                                    "coverage",  "pit_distance"};

  /// No condition has fewer members than `least_members`.
  Scorecard(const Grid<D>& grid, Index least_members, ScorecardOptions options = {})
      : options_(std::move(options)),
        least_(least_members),
        floors_(options_.floors && least_members >= least_ensemble),
        energy_(grid),
        energy_floor_(grid) {
    require(least_members >= 1, "metric::Scorecard", "least_members", Text("at least one"),
            Text(least_members));
    for (const std::string& name : options_.metrics) {
      require(std::find(names.begin(), names.end(), name) != names.end(), "metric::Scorecard", "metrics",
              Text("names of metrics: ", all_names()), Text(name));
      require(least_members >= 2 || !needs_ensembles(name), "metric::Scorecard", "metrics",
              Text("scores of single draws: ", name, " needs at least two members of every condition"),
              Text("a condition with one"));
    }
  }

  /// Is the score in the table, if the prediction has it?
  bool wants(const std::string& name) const {
    if (!options_.metrics.empty())
      return std::find(options_.metrics.begin(), options_.metrics.end(), name) != options_.metrics.end();
    if (needs_ensembles(name)) return least_ >= 2;
    return (name != "log_score" && name != "pit_distance") || least_ < least_ensemble;
  }
  /// Does some score need draws of a law?
  bool wants_draws() const { return wants("w2s") || wants("energy_score"); }

  /// One condition: a sample of a law, with draws from it if they are wanted, (entry, draw).
  template <class L> void add(const L& law, Index sample, const Members& draws, const Members& members) {
    begin(Kind::law);
    const Moments model = moments(law, sample);
    if (wants("crps")) crps_.add(law, sample, members);
    add_common(model, draws, members);
    if (wants("coverage")) coverage_.add(law, sample, members);
    if (wants("pit_distance")) pit_.add(law, sample, members);
    if (wants("log_score") && (has_density(law) || !options_.metrics.empty())) {
      density_ = true;
      log_.add(law, sample, members);
    }
    if constexpr (mno::detail::MaybeUnwarped<decltype(law.warp)>)
      if (wants("cov_frobenius_rel") && law.warp.identity() &&
          differ(members)) {  // at t = 0 there is no covariance to compare with
        between_ = true;
        covariance_.add(covariance(law, sample), members);
        if (floors_) covariance_floor_.add(first_half(members), second_half(members));
      }
  }
  /// One condition: a sample of a deterministic prediction, which is its own only draw.
  template <class T> void add(const Field<T, D>& prediction, Index sample, const Members& members) {
    begin(Kind::field);
    const Moments model = point_mass(flat(prediction, sample).template cast<double>());
    add_common(model, model.mean, members);
    if (wants("crps")) crps_.add(model, members);
  }
  /// One condition: draws, (entry, draw), of a model that gives nothing else.
  void add(const Members& draws, const Members& members) {
    if (least_ >= 2 && draws.cols() >= 4) of_draws_.add(draws);
    corrected_ = corrected_ && draws.cols() >= 4;
    add_draws(moments(draws), draws, members, [&] {
      covariance_.add(draws, members);
      covariance_of_draws_.add(own_covariance_error(draws) / ensemble_covariance(members).frobenius_norm());
    });
  }
  /// One condition: draws of a model that knows their mean and covariance, as a sample of a law. Only the
  /// law's mean and covariance are used: the draws need not be normal.
  template <class L>
  void add_draws(const L& law, Index sample, const Members& draws, const Members& members) {
    corrected_ = false;
    add_draws(moments(law, sample), draws, members,
              [&] { covariance_.add(covariance(law, sample), members); });
  }

  /// Did the members of some condition differ? If not, the data has no spread to predict.
  bool spread() const { return spread_; }
  /// The CRPS of every condition, where it is wanted: what skill() compares.
  const std::vector<double>& crps_per_condition() const {
    return kind_ == Kind::draws ? draws_crps_.per_condition() : crps_.per_condition();
  }

  std::vector<ScoreRow> rows() const {
    std::vector<ScoreRow> rows;
    // Halves have M/2 members, so what falls like 1/√M comes out √2 times too large.
    const double to_all = 1 / std::sqrt(2.0);
    const auto row = [&](const char* name, const auto& measured, const auto& floor) {
      if (!wants(name)) return;
      rows.push_back({.metric = name, .value = measured.value()});
      if (floors_) rows.back().floor = floor();
    };
    const auto row_without_floor = [&](const char* name, const auto& measured) {
      if (wants(name)) rows.push_back({.metric = name, .value = measured.value()});
    };
    const bool law = kind_ == Kind::law, draws = kind_ == Kind::draws;
    const auto without = [&](const auto& measured, double of_draws) {
      return Corrected{std::sqrt(std::max(0.0, std::pow(measured.value(), 2) - of_draws * of_draws))};
    };
    const auto mean_floor = [&] { return exact_.mean_rmse(); };
    const auto variance_floor = [&] { return exact_.variance_rmse(); };
    if (draws && corrected_ && least_ >= 2) {
      row("mean_rmse", without(mean_, of_draws_.mean_rmse()), mean_floor);
      row("var_rmse", without(variance_, of_draws_.variance_rmse()), variance_floor);
    } else {
      row("mean_rmse", mean_, mean_floor);
      if (law || draws) row("var_rmse", variance_, variance_floor);
    }
    row("w2s", w2s_, [&] { return halves_.w2s() * to_all; });
    const auto w2g_floor = [&] { return exact_.w2g(); };
    if (draws && corrected_ && least_ >= 2)
      row("w2g", without(w2g_, of_draws_.w2g()), w2g_floor);
    else
      row("w2g", w2g_, w2g_floor);
    const auto crps_floor = [&] { return crps_floor_.value(); };
    draws ? row("crps", draws_crps_, crps_floor) : row("crps", crps_, crps_floor);
    row("energy_score", energy_, [&] { return energy_floor_.value(); });
    if (law && density_) row_without_floor("log_score", log_);
    const auto covariance_floor = [&] { return covariance_floor_.value() / 2; };
    if (between_ && draws && corrected_)
      row("cov_frobenius_rel", without(covariance_, covariance_of_draws_.value("metric::Scorecard")),
          covariance_floor);
    else if (between_)
      row("cov_frobenius_rel", covariance_, covariance_floor);
    if (law && wants("coverage")) {
      const auto inside = coverage_.value();
      for (std::size_t l = 0; l < inside.size(); ++l)
        rows.push_back({.metric = "coverage", .value = inside[l], .level = coverage_.levels()[l]});
    }
    if (draws && wants("coverage"))
      for (const auto& [level, inside] : draws_coverage_.value())
        rows.push_back({.metric = "coverage", .value = inside, .level = level});
    if (law) row_without_floor("pit_distance", pit_);
    return rows;
  }

 private:
  enum class Kind { field, law, draws };
  struct Corrected {
    double corrected;
    double value() const { return corrected; }
  };

  static bool needs_ensembles(const std::string& name) {
    return name == "mean_rmse" || name == "var_rmse" || name == "w2s" || name == "w2g" ||
           name == "cov_frobenius_rel";
  }
  static std::string all_names() {
    std::string all;
    for (const char* name : names) all += (all.empty() ? "" : ", ") + std::string(name);
    return all;
  }
  using MembersHere = mno::detail::MatrixIn<Grid<D>>;
  static Members first_half(const MembersHere& members) { return members.leftCols(members.cols() / 2); }
  static Members second_half(const MembersHere& members) {
    return members.middleCols(members.cols() / 2, members.cols() / 2);
  }
  static bool differ(const MembersHere& members) {
    return members.cols() > 1 && ((members.colwise() - members.col(0)).array() != 0).any();
  }

  void begin(Kind kind) {
    require(kind_.value_or(kind) == kind, "metric::Scorecard", "add",
            Text("laws alone, draws alone, or deterministic predictions alone"), Text("a mixture"));
    kind_ = kind;
  }
  template <class Covariance>
  void add_draws(const Moments& model, const Members& draws, const Members& members,
                 const Covariance& add_covariance) {
    begin(Kind::draws);
    add_common(model, draws, members);
    if (wants("crps")) draws_crps_.add(draws, members);
    if (wants("coverage")) draws_coverage_.add(draws, members);
    if (!wants("cov_frobenius_rel") || !differ(members)) return;
    between_ = true;
    add_covariance();
    if (floors_) covariance_floor_.add(first_half(members), second_half(members));
  }
  void add_common(const Moments& model, const Members& draws, const Members& members) {
    require(members.cols() >= least_, "metric::Scorecard", "members", Text("at least ", least_),
            Text(members.cols()));
    spread_ = spread_ || differ(members);
    if (least_ >= 2) {
      const Moments ensemble = moments(members);
      mean_.add(model, ensemble);
      variance_.add(model, ensemble);
      w2g_.add(model, ensemble);
    }
    if (wants("w2s")) w2s_.add(draws, members);
    if (wants("energy_score")) energy_.add(draws, members);
    if (!floors_) return;
    const Members first = first_half(members), second = second_half(members);
    exact_.add(members);
    if (wants("w2s")) halves_.add(first, second);
    if (wants("crps")) crps_floor_.add(first, second);
    if (wants("energy_score")) energy_floor_.add(first, second);
  }

  ScorecardOptions options_;
  Index least_;
  bool floors_, spread_ = false, density_ = false, between_ = false;
  bool corrected_ = true;  // there are enough draws to subtract their own error
  std::optional<Kind> kind_{};
  MeanRmse mean_;
  VarianceRmse variance_;
  W2s w2s_;
  W2g w2g_;
  Crps crps_;
  EnergyScore energy_, energy_floor_;
  LogScore log_;
  CovarianceError covariance_, covariance_floor_;
  detail::Average covariance_of_draws_;  // what their number adds
  Coverage coverage_;
  SampleCoverage draws_coverage_;
  SampleCrps draws_crps_;
  Pit pit_;
  ExactModelFloor exact_, of_draws_;
  EnsembleFloor halves_;
  SampleCrps crps_floor_;
};

namespace detail {
template <class T, int D, class Add>
std::vector<ScoreRow> scored(const Field<T, D>& mean, const Ensemble<T, D>& data,
                             const ScorecardOptions& options, Add&& add, Index draws = 1) {
  require(
      mean.batch() == draws * data.size() && mean.grid() == data.grid() && mean.channels() == data.channels(),
      "metric::scorecard", "data",
      Text(mean.batch() / draws, " condition(s) of ", mean.channels(), " channel(s) on ", mean.grid().str()),
      Text(data.size(), " of ", data.channels(), " on ", data.grid().str()));
  require(data.members.size() > 0, "metric::scorecard", "data",
          Text("an ensemble that keeps its members: make_ensemble(counts, …, {.members = true})"),
          Text("statistics"));
  Scorecard<D> card(data.grid(), data.least_members(), options);
  for (Index s = 0; s < data.size(); ++s) add(card, s, members(data.members_of(s)));
  return card.rows();
}
}  // namespace detail

/// All conditions of a law against the members of an ensemble, in the coordinates of both.
template <class L, class T = typename L::Scalar, int D = L::dimension>
std::vector<ScoreRow> scorecard(const L& law, const Ensemble<T, D>& data,
                                const ScorecardOptions& options = {}) {
  const Index count = options.draws_for(data);
  Field<T, D> draws;
  return detail::scored<T, D>(
      law.mean, data, options, [&](Scorecard<D>& card, Index s, const Members& truth) {
        if (s == 0 && card.wants_draws()) draws = sample(law, count, options.seed);
        card.add(law, s, card.wants_draws() ? members(std::as_const(draws).view(), s, count) : Members(),
                 truth);
      });
}
/// The same for a deterministic prediction.
template <class T, int D>
std::vector<ScoreRow> scorecard(const Field<T, D>& prediction, const Ensemble<T, D>& data,
                                const ScorecardOptions& options = {}) {
  return detail::scored<T, D>(
      prediction, data, options,
      [&](Scorecard<D>& card, Index s, const Members& truth) { card.add(prediction, s, truth); });
}

/// The same for S draws of every condition: (condition·S + draw, grid…, C), what an operator with noise
/// inside predicts for Condition::draws = S.
template <class T, int D>
std::vector<ScoreRow> scorecard(const Field<T, D>& draws, Index per_condition, const Ensemble<T, D>& data,
                                const ScorecardOptions& options = {}) {
  require(per_condition >= 2, "metric::scorecard", "per_condition", Text("at least two draws, for a spread"),
          Text(per_condition));
  return detail::scored<T, D>(
      draws, data, options,
      [&](Scorecard<D>& card, Index s, const Members& truth) {
        card.add(members(draws.view(), s, per_condition), truth);
      },
      per_condition);
}

}  // namespace mno::metric
