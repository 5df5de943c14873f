#pragma once
// Which residual law the data has, learned from members that were not trained on.
//
// Mean and covariance are the model's; what is left to learn is the shape of ζ in u = m + σζ. Every family
// has its numbers fitted by the likelihood of the marginals,
//
//   score(R) = −avg log f_R(ζ | ρ),   ζ = (u − m)/σ,   ρ = B_1/σ for a law that singles out ξ_1,
//
// a proper score of the marginals. For the fit, ζ is divided by its own root mean square, so that the
// variance stays the model's. Families are compared by the same score on ζ as it is, each condition with
// numbers that were fitted to the other half of the conditions. Gaussian is kept unless another family is
// better by two standard errors over conditions; the chosen family is fitted again to all.
#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "mno/data/ensemble.hpp"
#include "mno/law/any_residual.hpp"
#include "mno/metric/moments.hpp"

namespace mno::metric {

struct ResidualChoice {
  AnyResidual residual{};
  double gain = 0, error = 0;  // over Gaussian, in nats per entry, with its standard error over conditions
  struct Candidate {
    std::string family;
    double score;  // by numbers that were fitted to other conditions
  };
  std::vector<Candidate> candidates{};
};

namespace detail {

struct StandardResidual {
  double zeta, rho;
};
using StandardResiduals = std::vector<StandardResidual>;

inline double residual_score(const AnyResidual& law, const StandardResiduals& all) {
  double sum = 0;
  const bool leans = law.leans();
  for (const auto& [zeta, rho] : all) sum -= (leans ? law.seen(rho) : law).marginal_log_density(zeta);
  return sum / double(all.size());
}

/// The smallest value of f found by steps along the axes that are halved when none is downhill.
inline std::vector<double> pattern_search(const std::function<double(const std::vector<double>&)>& f,
                                          std::vector<double> x, double step, double least) {
  for (double best = f(x); step > least;) {
    bool moved = false;
    for (std::size_t i = 0; i < x.size(); ++i)
      for (const double sign : {1.0, -1.0}) {
        std::vector<double> y = x;
        y[i] += sign * step;
        if (const double value = f(y); value < best) {
          best = value;
          x = std::move(y);
          moved = true;
          break;
        }
      }
    if (!moved) step /= 2;
  }
  return x;
}

inline double logistic(double x) { return 1 / (1 + std::exp(-x)); }

/// ν = 2 + e^x, up to 400, where data of this size cannot tell it from the normal law.
inline AnyResidual fit_student(const StandardResiduals& all) {
  const auto at = [](double x) { return StudentT(2 + std::exp(std::clamp(x, -4.0, 6.0))); };
  const auto x = pattern_search([&](const auto& v) { return residual_score(at(v[0]), all); }, {2}, 1, 0.02);
  return at(x[0]);
}

/// Four values of S by expectation and maximisation, which raises the likelihood in every round; E S is then
/// the mean of ζ², one.
inline AnyResidual fit_scale_mixture(const StandardResiduals& all) {
  std::vector<double> w(4, 0.25), s{0.1, 0.5, 1, 3}, part(4);
  for (int round = 0; round < 100; ++round) {
    std::vector<double> weight(4, 0.0), square(4, 0.0);
    for (const auto& [zeta, rho] : all) {
      double sum = 0;
      for (std::size_t i = 0; i < 4; ++i)
        sum += part[i] = w[i] / std::sqrt(s[i]) * std::exp(-0.5 * zeta * zeta / s[i]);
      if (!(sum > 0)) {  // too far out for all: it belongs to the widest
        std::fill(part.begin(), part.end(), 0.0);
        sum = part[std::size_t(std::max_element(s.begin(), s.end()) - s.begin())] = 1;
      }
      for (std::size_t i = 0; i < 4; ++i) {
        weight[i] += part[i] / sum;
        square[i] += part[i] / sum * zeta * zeta;
      }
    }
    for (std::size_t i = 0; i < 4; ++i) {
      w[i] = std::max(weight[i] / double(all.size()), 1e-6);
      s[i] = std::max(square[i] / std::max(weight[i], 1e-12), 1e-4);
    }
  }
  return ScaleMixture(w, s);
}

inline AnyResidual fit_two_modes(const StandardResiduals& all) {
  const auto at = [](const std::vector<double>& v) {
    return TwoModes(logistic(std::clamp(v[0], -6.0, 6.0)), logistic(std::clamp(v[1], -6.0, 6.0)));
  };
  const auto score = [&](const std::vector<double>& v) { return residual_score(at(v), all); };
  std::optional<std::vector<double>> best;
  for (const double skew : {-1.5, 0.0, 1.5}) {
    const auto x = pattern_search(score, {skew, 0.5}, 0.5, 0.02);
    if (!best || score(x) < score(*best)) best = x;
  }
  return at(*best);
}

/// Divided by their root mean square.
inline StandardResiduals of_unit_variance(StandardResiduals all) {
  double square = 0;
  for (const auto& one : all) square += one.zeta * one.zeta / double(all.size());
  if (square > 0)
    for (auto& one : all) one.zeta /= std::sqrt(square);
  return all;
}

/// The standardised residuals of every condition, about `most` in all.
template <class T, int D>
std::vector<StandardResiduals> standard_residuals(const Law<T, D>& law, const Ensemble<T, D>& data,
                                                  Index most) {
  const Law<T, D, AnyResidual> turned = with_residual(law, AnyResidual(TwoModes(0.5, 0.5)));
  std::vector<StandardResiduals> result;
  const Index n = law.size(), each = std::max<Index>(1, most / std::max<Index>(1, data.size()));
  for (Index s = 0; s < data.size(); ++s) {
    const View<const T, D> members = data.members_of(s);
    const Index total = members.batch * n;
    Index stride = std::max<Index>(1, total / each);
    while (stride > 1 && n % stride == 0) ++stride;  // every entry has its turn
    StandardResiduals of_condition;
    for (Index k = 0; k < total; k += stride) {
      const Index i = k % n, entry = s * n + i, channels = law.channels();
      const double sigma = std::sqrt(mno::detail::own_variance(law, entry));
      if (!(sigma > 0)) continue;
      const double u = double(members(k / n, i / channels, i % channels));
      const double b =
          double(turned.factor.data()[entry / channels * turned.factor.channels() + entry % channels]);
      of_condition.push_back({(u - double(law.mean.data()[entry])) / sigma, b / sigma});
    }
    if (!of_condition.empty()) result.push_back(std::move(of_condition));
  }
  return result;
}

}  // namespace detail

/// The residual law of all conditions of data that keeps its members, in the coordinates of the laws. With
/// fewer than eight conditions the data cannot tell, and it is Gaussian.
template <class T, int D>
ResidualChoice likeliest_residual(const Law<T, D>& law, const Ensemble<T, D>& data, Index most = 1 << 16) {
  using namespace detail;
  require(data.size() >= 1 && data.members.size() > 0 && law.batch() == data.size(),
          "metric::likeliest_residual", "data",
          Text("an ensemble of ", law.batch(),
               " conditions that keeps its members: make_ensemble(counts, …, {.members = true})"),
          Text(data.size(), " conditions", data.members.size() > 0 ? "" : ", of which it keeps statistics"));
  const std::vector<StandardResiduals> conditions = standard_residuals(law, data, most);
  ResidualChoice choice;
  if (conditions.size() < 8) return choice;
  const auto joined = [&](std::size_t from, std::size_t step) {
    StandardResiduals all;
    for (std::size_t s = from; s < conditions.size(); s += step)
      all.insert(all.end(), conditions[s].begin(), conditions[s].end());
    return of_unit_variance(std::move(all));
  };
  const StandardResiduals halves[2] = {joined(0, 2), joined(1, 2)};
  struct Family {
    const char* name;
    std::function<AnyResidual(const StandardResiduals&)> fit;
  };
  const std::vector<Family> families{{"gaussian", [](const auto&) { return AnyResidual(); }},
                                     {"laplace", [](const auto&) { return AnyResidual(Laplace{}); }},
                                     {"student_t", fit_student},
                                     {"scale_mixture", fit_scale_mixture},
                                     {"two_modes", fit_two_modes}};
  const double count = double(conditions.size());
  std::vector<double> gaussian;  // the score of every condition
  const Family* best = &families[0];
  for (const Family& family : families) {
    const AnyResidual by_other_half[2] = {family.fit(halves[1]), family.fit(halves[0])};
    double sum = 0, gain = 0, square = 0;
    for (std::size_t s = 0; s < conditions.size(); ++s) {
      const double score = residual_score(by_other_half[s % 2], conditions[s]);
      if (&family == &families[0]) gaussian.push_back(score);
      sum += score;
      gain += gaussian[s] - score;
      square += std::pow(gaussian[s] - score, 2);
    }
    gain /= count;
    const double error = std::sqrt(std::max(0.0, square / count - gain * gain) / (count - 1));
    choice.candidates.push_back({family.name, sum / count});
    if (gain > 2 * error && gain > choice.gain) {
      best = &family;
      choice.gain = gain;
      choice.error = error;
    }
  }
  choice.residual = best->fit(joined(0, 1));
  return choice;
}

}  // namespace mno::metric
