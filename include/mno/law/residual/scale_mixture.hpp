#pragma once
// S takes one of a few values s_i with probability w_i, Σ w_i s_i = 1: a·ξ is a finite mixture of centred
// normal laws. Enough values come close to any law of the strength of the noise.
//   E exp(sa·ξ) = Σ w_i e^{s² s_i/2},   density of ξ ∈ R^n:  Σ w_i (2π s_i)^{−n/2} e^{−q/(2 s_i)}
#include <cmath>
#include <utility>
#include <vector>

#include "mno/core/error.hpp"
#include "mno/law/normal_mixture.hpp"
#include "mno/law/residual.hpp"

namespace mno {

class ScaleMixture {
 public:
  /// Any positive weights and values of S; both are scaled so that Σ w_i = 1 and E S = 1.
  ScaleMixture(std::vector<double> weights, std::vector<double> variances) {
    require(!weights.empty() && weights.size() == variances.size() && weights.size() <= 32, "ScaleMixture",
            "weights", Text("as many as variances, at least one and at most 32"),
            Text(weights.size(), " and ", variances.size()));
    double sum = 0, average = 0;
    for (std::size_t i = 0; i < weights.size(); ++i) {
      require(weights[i] > 0 && std::isfinite(weights[i]), "ScaleMixture", "weights",
              Text("positive finite numbers"), Text(weights[i]));
      require(variances[i] > 0 && std::isfinite(variances[i]), "ScaleMixture", "variances",
              Text("positive finite numbers"), Text(variances[i]));
      sum += weights[i];
      average += weights[i] * variances[i];
    }
    average /= sum;
    if (std::abs(sum - 1) < 1e-12) sum = 1;  // numbers that were scaled before stay as they are
    if (std::abs(average - 1) < 1e-12) average = 1;
    for (std::size_t i = 0; i < weights.size(); ++i) {
      variances_.push_back(variances[i] / average);
      parts_.push_back({weights[i] / sum, 0, std::sqrt(variances_.back())});
    }
  }

  /// w_1, s_1, w_2, s_2, …
  std::vector<double> numbers() const {
    std::vector<double> all;
    for (std::size_t i = 0; i < parts_.size(); ++i) all.insert(all.end(), {parts_[i].weight, variances_[i]});
    return all;
  }

  double draw_variance(Stream& stream) const {
    double left = stream.uniform();
    std::size_t i = 0;
    while (i + 1 < parts_.size() && (left -= parts_[i].weight) > 0) ++i;
    return variances_[i];
  }
  void draw(Stream& stream, std::span<double> xi) const {
    detail::draw_scaled(stream, draw_variance(stream), xi);
  }
  double cdf(double z) const { return detail::mixture_cdf(parts_, z); }
  double exceedance(double z) const { return cdf(-z); }
  double quantile(double p) const { return detail::mixture_quantile(parts_, p); }
  double crps(double z) const { return detail::mixture_crps(parts_, z); }
  double log_density(double q, double n) const {
    return detail::mixture_log_sum(parts_, [&](const detail::NormalPart& p) {
      const double s = p.deviation * p.deviation;
      return -0.5 * (q / s + n * std::log(2 * std::numbers::pi * s));
    });
  }
  double log_moment(double s) const {
    return detail::mixture_log_sum(
        parts_, [&](const detail::NormalPart& p) { return 0.5 * std::pow(s * p.deviation, 2); });
  }

 private:
  std::vector<detail::NormalPart> parts_;
  std::vector<double> variances_;
};

}  // namespace mno
