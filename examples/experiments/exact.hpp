#pragma once
// The law of a condition, where the equation has one that is known, and how far another law is from it:
//
//   mean_to_exact   √(Σ (m − m*)² / Σ m*²) over conditions and entries, likewise var_to_exact of variances
//   cov_to_exact    ‖Γ − Γ*‖/‖Γ*‖, the mean over conditions
#include <cmath>
#include <mno/law/distance.hpp>
#include <mno/metric/moments.hpp>
#include <optional>

#include "study.hpp"

namespace experiment {

/// An equation whose law is known and normal has mean(u_0, t); one with shocks is normal only given these.
template <class Equation> constexpr bool has_exact_law() {
  if constexpr (requires { typename Equation::Shocks; })
    return false;
  else
    return requires(const Equation& e) { e.mean(e.draw(0, 0), 0.0); };
}
inline bool has_exact_law(const program::Equation& equation) {
  return std::visit([]<class E>(const E&) { return has_exact_law<E>(); }, equation);
}

/// In the coordinates of a model, on the points of the data; none: the law is not known.
template <int D>
std::optional<mno::Law<double, D>> exact_law_of(const Data& data, std::size_t pair, Index row, double time,
                                                const mno::Normaliser& normaliser) {
  return std::visit(
      [&]<class E>(const E& equation) -> std::optional<mno::Law<double, D>> {
        if constexpr (E::dimension == D && has_exact_law<E>()) {
          const auto exact =
              mno::exact_law(equation, data.pairs[pair].seed, data.first + row / data.queries, time);
          const Index channels = E::channels, rank = exact.factor.rows();
          mno::Field<double, D> mean = exact.mean, factor(1, mean.grid(), rank * channels);
          for (Index p = 0; p < mean.points(); ++p)
            for (Index k = 0; k < rank; ++k)
              for (Index c = 0; c < channels; ++c)
                factor(0, p, mno::detail::factor_channel(k, c, channels)) = exact.factor(k, p * channels + c);
          normaliser.apply(mean);
          normaliser.apply_to_spread(factor);
          return mno::Law<double, D>(mno::subsample(mean, data.points), mno::subsample(factor, data.points));
        } else {
          return {};
        }
      },
      data.equation);
}

class ToExact {
 public:
  /// One condition. A deterministic prediction is a law without spread; only its mean counts.
  template <class L, int D> void add(const L& law, const mno::Law<double, D>& exact, bool stochastic) {
    const auto model = mno::metric::moments(law, 0), truth = mno::metric::moments(exact, 0);
    mean_ += (model.mean - truth.mean).squaredNorm();
    mean_size_ += truth.mean.squaredNorm();
    ++conditions_;
    if (!stochastic) return;
    variance_ += (model.variance - truth.variance).squaredNorm();
    variance_size_ += truth.variance.squaredNorm();
    covariance_ += mno::relative_distance(mno::covariance(law, 0), mno::covariance(exact, 0));
  }
  std::vector<Row> rows() const {
    std::vector<Row> rows;
    if (mean_size_ > 0) rows.push_back({.metric = "mean_to_exact", .value = std::sqrt(mean_ / mean_size_)});
    if (variance_size_ > 0) {
      rows.push_back({.metric = "var_to_exact", .value = std::sqrt(variance_ / variance_size_)});
      rows.push_back({.metric = "cov_to_exact", .value = covariance_ / double(conditions_)});
    }
    return rows;
  }

 private:
  double mean_ = 0, mean_size_ = 0, variance_ = 0, variance_size_ = 0, covariance_ = 0;
  Index conditions_ = 0;
};

}  // namespace experiment
