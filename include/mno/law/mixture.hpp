#pragma once
// Several laws as one: one of K laws is chosen with equal probability, and u is drawn from it. K models of
// different seeds make such an ensemble; they disagree where the data did not decide.
//
//   mean        m̄ = avg_k m_k
//   covariance  Γ = avg_k Γ_k + avg_k (m_k − m̄)(m_k − m̄)ᵀ     (law of total covariance)
//               aleatoric    epistemic
//
// Γ is again of low rank. Its factor has K r + K − 1 rows: B_k/√K of every law, and K − 1 contrasts between
// each mean and the average of those before it,
//
//   √(j/(j+1)) (m̄_j − m_{j+1})/√K,   m̄_j = avg of m_1 … m_j,   j = 1 … K − 1.
//
// The epistemic part is that of these K laws. It underestimates how models of all seeds differ: on average it
// is (K−1)/K of that.
#include <cmath>
#include <utility>
#include <vector>

#include "mno/law/covariance.hpp"
#include "mno/law/sample.hpp"

namespace mno {

template <class T, int D, class R = Gaussian, class W = Unwarped> class Mixture {
 public:
  using Scalar = T;
  static constexpr int dimension = D;

  explicit Mixture(std::vector<Law<T, D, R, W>> laws) : laws_(std::move(laws)) {
    require(!laws_.empty(), "Mixture", "laws", Text("at least one"), Text("none"));
    const auto& first = laws_.front();
    for (const auto& law : laws_)
      require(
          law.batch() == first.batch() && law.grid() == first.grid() && law.channels() == first.channels(),
          "Mixture", "laws",
          Text("the batch, grid and channels of the first: ", first.batch(), ", ", first.grid().str(), ", ",
               first.channels()),
          Text(law.batch(), ", ", law.grid().str(), ", ", law.channels()));
  }

  const std::vector<Law<T, D, R, W>>& laws() const { return laws_; }
  Index count() const { return Index(laws_.size()); }  // K
  Index batch() const { return laws_.front().batch(); }
  Index points() const { return laws_.front().points(); }
  Index channels() const { return laws_.front().channels(); }
  Index size() const { return laws_.front().size(); }
  const Grid<D>& grid() const { return laws_.front().grid(); }

 private:
  std::vector<Law<T, D, R, W>> laws_;
};

/// E[u(c,x)] in the user's units.
template <class T, int D, class R, class W> Field<T, D> mean(const Mixture<T, D, R, W>& mixture) {
  Field<T, D> sum(mixture.batch(), mixture.grid(), mixture.channels());
  for (Index k = 0; k < mixture.count(); ++k) {
    const Field<T, D> one = mean(mixture.laws()[std::size_t(k)]);
    for (std::size_t i = 0; i < sum.size(); ++i) sum.data()[i] += (one.data()[i] - sum.data()[i]) / T(k + 1);
  }
  return sum;
}

/// The two parts of Var[u(c,x)], in the user's units: they add up to it, under every warp.
template <class T, int D> struct Uncertainty {
  Field<T, D> aleatoric;  // avg_k Var_k: noise, as the laws see it
  Field<T, D> epistemic;  // variance of the means: what the laws disagree about
};
template <class T, int D, class R, class W>
Uncertainty<T, D> uncertainty(const Mixture<T, D, R, W>& mixture) {
  Uncertainty<T, D> parts{{mixture.batch(), mixture.grid(), mixture.channels()},
                          {mixture.batch(), mixture.grid(), mixture.channels()}};
  const Field<T, D> centre = mean(mixture);
  const T share = T(1) / T(mixture.count());
  for (const auto& law : mixture.laws()) {
    const Field<T, D> m = mean(law), v = variance(law);
    for (std::size_t i = 0; i < centre.size(); ++i) {
      const T off = m.data()[i] - centre.data()[i];
      parts.aleatoric.data()[i] += share * v.data()[i];
      parts.epistemic.data()[i] += share * off * off;
    }
  }
  return parts;
}
/// Var[u(c,x)] in the user's units.
template <class T, int D, class R, class W> Field<T, D> variance(const Mixture<T, D, R, W>& mixture) {
  auto [all, epistemic] = uncertainty(mixture);
  for (std::size_t i = 0; i < all.size(); ++i) all.data()[i] += epistemic.data()[i];
  return std::move(all);
}

/// The Gaussian law with the mixture's mean and covariance, in a factor of Σ_k r_k + K − 1 rows.
template <class T, int D, class R, class W> Law<T, D> moment_law(const Mixture<T, D, R, W>& mixture) {
  static_assert(detail::MaybeUnwarped<W>,
                "mno: the covariance of a mixture belongs to the laws' own coordinates: make it of "
                "unwarped(law), or take that of samples");
  Index rank = mixture.count() - 1;
  bool nugget = false;
  for (const auto& law : mixture.laws()) {
    if constexpr (detail::MaybeUnwarped<W>) detail::require_unwarped("moment_law", law.warp);
    rank += law.rank();
    nugget = nugget || law.has_nugget();
  }
  const Index channels = mixture.channels(), rows = mixture.batch() * mixture.points();
  Field<T, D> centre(mixture.batch(), mixture.grid(), channels),
      factor(mixture.batch(), mixture.grid(), rank * channels),
      eta = nugget ? Field<T, D>(mixture.batch(), mixture.grid(), channels) : Field<T, D>();
  const double share = 1 / double(mixture.count()), root = std::sqrt(share);
  for (Index row = 0; row < rows; ++row)
    for (Index c = 0; c < channels; ++c) {
      const Index entry = row * channels + c;
      Index k = 0;
      const auto put = [&](double b) {
        factor.data()[row * rank * channels + detail::factor_channel(k++, c, channels)] = T(b);
      };
      double running = 0, noise = 0;
      for (Index j = 0; j < mixture.count(); ++j) {
        const auto& law = mixture.laws()[std::size_t(j)];
        const double m = double(law.mean.data()[entry]);
        if (j > 0) put(root * std::sqrt(double(j) / double(j + 1)) * (running - m));
        running += (m - running) / double(j + 1);
        for (Index i = 0; i < law.rank(); ++i)
          put(root *
              double(
                  law.factor.data()[row * law.factor.channels() + detail::factor_channel(i, c, channels)]));
        if (law.has_nugget()) noise += share * std::pow(double(law.nugget.data()[entry]), 2);
      }
      centre.data()[entry] = T(running);
      if (nugget) eta.data()[entry] = T(std::sqrt(noise));
    }
  return {std::move(centre), std::move(factor), std::move(eta)};
}

/// Γ of one sample, aleatoric and epistemic.
template <class T, int D, class R, class W>
Covariance<T> covariance(const Mixture<T, D, R, W>& mixture, Index sample) {
  return covariance(moment_law(mixture), sample);
}

namespace detail {
inline constexpr std::uint32_t mixture_substream = 0x6D6978;  // "mix"
}

/// `count` draws per sample, (batch·count, grid…, C), in the order (sample, draw). Draw j of sample s depends
/// on (seed, s, j) and the laws of that sample only.
template <class T, int D, class R, class W>
Field<T, D> sample(const Mixture<T, D, R, W>& mixture, Index count, std::uint64_t seed) {
  require(count >= 1 && count < (Index(1) << 32), "sample", "count", Text("between 1 and 2^32 - 1 draws"),
          Text(count));
  Field<T, D> draws(mixture.batch() * count, mixture.grid(), mixture.channels());
  const Index n = mixture.size();
  for (Index s = 0; s < mixture.batch(); ++s) {
    std::vector<std::vector<Index>> of_law(std::size_t(mixture.count()));  // the draws that each law makes
    for (Index j = 0; j < count; ++j) {
      Stream stream(seed, (std::uint64_t(s) << 32) | std::uint64_t(j), detail::mixture_substream);
      of_law[std::size_t(stream.uniform() * double(mixture.count()))].push_back(j);
    }
    for (Index k = 0; k < mixture.count(); ++k) {
      const auto& chosen = of_law[std::size_t(k)];
      if (chosen.empty()) continue;
      Stream stream(seed, (std::uint64_t(s) << 32) | std::uint64_t(k), detail::mixture_substream + 1);
      const std::uint64_t high = stream.bits(), own_seed = (high << 32) | stream.bits();
      const Field<T, D> made =
          sample(detail::law_of_sample(mixture.laws()[std::size_t(k)], s), Index(chosen.size()), own_seed);
      for (std::size_t i = 0; i < chosen.size(); ++i)
        std::copy_n(made.data() + Index(i) * n, n, draws.data() + (s * count + chosen[i]) * n);
    }
  }
  return draws;
}

}  // namespace mno
