#pragma once
// The law of u_t given u_0: mean m, factor B and nugget η, one triple per sample; the law of the residuals
// and the warp to the user's units, one for all.
//
//   u = w(z),   z = m + Bᵀξ + η∘ζ,   E ξ = 0, E ζ = 0, Cov (ξ, ζ) = I
//   E[z] = m,   Cov[z] = Γ = BᵀB + diag(η²),   Var[z(c,x)] = Σ_k B_k(c,x)² + η(c,x)²
//
// ξ and ζ are drawn together by the residual law, so every z(c,x) is m + σ times its standardised marginal.
// A sample's fields are flattened as they lie in memory, entry x·C + c of n = points·C, so B is r × n. The
// factor field holds B_k(c,x) in channel k·C + c (law/factor.hpp).
#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <type_traits>
#include <utility>
#include <vector>

#include "mno/core/error.hpp"
#include "mno/core/field.hpp"
#include "mno/core/in_double.hpp"
#include "mno/law/factor.hpp"
#include "mno/law/residual/gaussian.hpp"
#include "mno/law/warp.hpp"

namespace mno {

template <class T, int D, class R = Gaussian, class W = Unwarped> struct Law {
  static_assert(ResidualLaw<R>, "mno: a residual law needs draw(Stream&, std::span<double>) const");
  static_assert(Warp<W>,
                "mno: a warp needs map(z, channel), inverse(u, channel) and slope(z, channel), all const");
  using Scalar = T;
  static constexpr int dimension = D;

  Field<T, D> mean;      // m, (batch, grid…, C)
  Field<T, D> factor;    // B, (batch, grid…, r·C)
  Field<T, D> nugget{};  // η, (batch, grid…, C), of any sign; empty: none
  R residual{};
  W warp{};

  Law() requires(std::is_default_constructible_v<R>&& std::is_default_constructible_v<W>) {}
  Law(Field<T, D> m, Field<T, D> b) : mean(std::move(m)), factor(std::move(b)) { require_parts(); }
  Law(Field<T, D> m, Field<T, D> b, Field<T, D> eta)
      : mean(std::move(m)), factor(std::move(b)), nugget(std::move(eta)) {
    require_parts();
  }
  Law(Field<T, D> m, Field<T, D> b, Field<T, D> eta, R of_residuals, W to_units)
      : mean(std::move(m)),
        factor(std::move(b)),
        nugget(std::move(eta)),
        residual(std::move(of_residuals)),
        warp(std::move(to_units)) {
    require_parts();
  }

  Index batch() const { return mean.batch(); }
  Index points() const { return mean.points(); }
  Index channels() const { return mean.channels(); }
  Index size() const { return points() * channels(); }  // n, the length of one flattened sample
  Index rank() const { return channels() ? factor.channels() / channels() : 0; }
  bool has_nugget() const { return nugget.size() > 0; }
  const Grid<D>& grid() const { return mean.grid(); }

 private:
  void require_parts() const {
    require(mean.batch() >= 1, "Law", "mean", Text("at least one sample"), Text("an empty field"));
    require_like_mean("factor", factor);
    require(factor.channels() % mean.channels() == 0, "Law", "factor",
            Text("a multiple of the mean's ", mean.channels(), " channels"),
            Text(factor.channels(), " channels"));
    if (has_nugget()) {
      require_like_mean("nugget", nugget);
      require(nugget.channels() == mean.channels(), "Law", "nugget",
              Text("the mean's ", mean.channels(), " channels"), Text(nugget.channels(), " channels"));
    }
    if constexpr (requires { warp.require_channels(Index(1)); }) warp.require_channels(mean.channels());
  }
  void require_like_mean(const char* argument, const Field<T, D>& field) const {
    require(field.batch() == mean.batch(), "Law", argument, Text("the mean's batch, ", mean.batch()),
            Text(field.batch()));
    require(field.grid() == mean.grid(), "Law", argument,
            Text("the mean's grid, ", mean.grid().str(), ", and its domain"),
            Text(field.grid().str(), field.grid().points == mean.grid().points ? " on another domain" : ""));
  }
};

/// The law with another warp: with_warp(law, LogWarp{}). Mean, factor and nugget are those of z.
template <class T, int D, class R, class W, class Other>
Law<T, D, R, Other> with_warp(Law<T, D, R, W> law, Other warp) {
  return {std::move(law.mean), std::move(law.factor), std::move(law.nugget), std::move(law.residual),
          std::move(warp)};
}
/// The law of z itself.
template <class T, int D, class R, class W> Law<T, D, R> unwarped(Law<T, D, R, W> law) {
  return with_warp(std::move(law), Unwarped{});
}

/// One sample of a field as a vector: entry x·C + c. No copy.
template <class T, int D> Eigen::Map<const Eigen::VectorX<T>> flat(const Field<T, D>& field, Index sample) {
  const Index n = field.points() * field.channels();
  return {field.data() + sample * n, n};
}
template <class T, int D> Eigen::Map<Eigen::VectorX<T>> flat(Field<T, D>& field, Index sample) {
  const Index n = field.points() * field.channels();
  return {field.data() + sample * n, n};
}

namespace detail {

template <class T> using RowMatrix = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// B(·, x·C … x·C + C): the r × C block of the factor that belongs to one point. No copy.
template <class T, int D, class R, class W>
Eigen::Map<const RowMatrix<T>> factor_at(const Law<T, D, R, W>& law, Index sample, Index point) {
  return {&law.factor(sample, point, 0), law.rank(), law.channels()};
}
template <class T, int D, class R, class W>
Eigen::Map<RowMatrix<T>> factor_at(Law<T, D, R, W>& law, Index sample, Index point) {
  return {&law.factor(sample, point, 0), law.rank(), law.channels()};
}

/// σ² = Σ_k B_k² + η² of one entry, counted over the whole batch; in the law's own coordinates.
template <class T, int D, class R, class W> double own_variance(const Law<T, D, R, W>& law, Index entry) {
  const Index channels = law.channels();
  const double v = row_variance(law.factor.data() + entry / channels * law.factor.channels(),
                                entry % channels, channels, law.rank());
  if (!law.has_nugget()) return v;
  const double eta = double(law.nugget.data()[entry]);
  return v + eta * eta;
}

/// The residual law as one entry sees it, counted over the whole batch.
template <class T, int D, class R, class W> R residual_at(const Law<T, D, R, W>& law, Index entry) {
  if constexpr (requires { law.residual.seen(0.5); })
    if (law.residual.leans() && law.rank() > 0) {
      const Index channels = law.channels();
      const double b = double(law.factor.data()[entry / channels * law.factor.channels() + entry % channels]);
      return seen(law.residual, b, std::sqrt(own_variance(law, entry)));
    }
  return law.residual;
}

/// Turns the factor of every sample so that ξ_1 is the coefficient of the field's average, every entry
/// divided by its deviation: with a = B (1/σ) and v = a/‖a‖ − e_1, the reflection B ← B − 2 v (vᵀB)/‖v‖². It
/// keeps Γ, does not depend on units, and leaves a factor that is already turned as it is.
template <class T, int D, class R, class W> void turn_to_average(Law<T, D, R, W>& law) {
  const Index channels = law.channels(), rank = law.rank();
  std::vector<double> v(std::size_t(rank), 0.0);
  for (Index s = 0; s < law.batch(); ++s) {
    T* const rows = law.factor.data() + s * law.points() * rank * channels;  // (x, k, c)
    std::ranges::fill(v, 0.0);
    for (Index i = 0; i < law.size(); ++i) {
      const double sigma = std::sqrt(own_variance(law, s * law.size() + i));
      const T* const b = rows + i / channels * rank * channels + i % channels;
      if (sigma > 0)
        for (Index k = 0; k < rank; ++k) v[std::size_t(k)] += double(b[k * channels]) / sigma;
    }
    double size = 0, square = 0;
    for (const double a : v) size += a * a;
    size = std::sqrt(size);
    if (!(size > 0)) continue;  // no noise, or none in the average
    for (double& a : v) a /= size;
    v[0] -= 1;
    for (const double a : v) square += a * a;
    if (square < 1e-12) continue;
    for (Index i = 0; i < law.size(); ++i) {
      T* const b = rows + i / channels * rank * channels + i % channels;
      double along = 0;
      for (Index k = 0; k < rank; ++k) along += v[std::size_t(k)] * double(b[k * channels]);
      along *= 2 / square;
      for (Index k = 0; k < rank; ++k) b[k * channels] -= T(v[std::size_t(k)] * along);
    }
  }
}

template <class T, int D, class R, class W>
void require_sample(const char* function, const Law<T, D, R, W>& law, Index sample) {
  require(sample >= 0 && sample < law.batch(), function, "sample",
          Text("an index below the law's batch, ", law.batch()), Text(sample));
}

/// The law of one sample alone.
template <class T, int D, class R, class W>
Law<T, D, R, W> law_of_sample(const Law<T, D, R, W>& law, Index sample) {
  const auto one = [&](const Field<T, D>& all) {
    if (all.size() == 0) return Field<T, D>();
    Field<T, D> field(1, all.grid(), all.channels());
    std::copy_n(all.data() + sample * Index(field.size()), field.size(), field.data());
    return field;
  };
  return {one(law.mean), one(law.factor), one(law.nugget), law.residual, law.warp};
}

template <MaybeUnwarped W> void require_unwarped(const char* function, const W& warp) {
  require(warp.identity(), function, "law", Text("a law without a warp: ask unwarped(law), or sample"),
          Text("a warped law"));
}

}  // namespace detail

/// The law with other residuals: with_residual(law, StudentT(5)).
template <class T, int D, class R, class W, class Other>
Law<T, D, Other, W> with_residual(Law<T, D, R, W> law, Other residual) {
  if (detail::leans(residual)) detail::turn_to_average(law);
  return {std::move(law.mean), std::move(law.factor), std::move(law.nugget), std::move(residual),
          std::move(law.warp)};
}

/// The factor B of one sample as a plain matrix, r × n.
template <class T, int D, class R, class W>
Eigen::MatrixX<T> factor_matrix(const Law<T, D, R, W>& law, Index sample) {
  detail::require_sample("factor_matrix", law, sample);
  Eigen::MatrixX<T> b(law.rank(), law.size());
  for (Index x = 0; x < law.points(); ++x)
    b.middleCols(x * law.channels(), law.channels()) = detail::factor_at(law, sample, x);
  return b;
}

/// B v: a flattened field seen by the r factors. Sums run in double for every scalar.
template <class T, int D, class R, class W, class V>
Eigen::VectorXd factor_times(const Law<T, D, R, W>& law, Index sample, const Eigen::MatrixBase<V>& v) {
  detail::require_sample("factor_times", law, sample);
  require(v.size() == law.size(), "factor_times", "v", Text("points x channels = ", law.size(), " entries"),
          Text(v.size()));
  Eigen::VectorXd product = Eigen::VectorXd::Zero(law.rank());
  for (Index x = 0; x < law.points(); ++x)
    product += detail::factor_at(law, sample, x)
                   .template cast<double>()
                   .lazyProduct(v.segment(x * law.channels(), law.channels()).template cast<double>());
  return product;
}

/// Bᵀξ: the flattened field that coefficients ξ make of the factors.
template <class T, int D, class R, class W, class V>
Eigen::VectorX<T> factor_transpose_times(const Law<T, D, R, W>& law, Index sample,
                                         const Eigen::MatrixBase<V>& xi) {
  detail::require_sample("factor_transpose_times", law, sample);
  require(xi.size() == law.rank(), "factor_transpose_times", "xi", Text("rank = ", law.rank(), " entries"),
          Text(xi.size()));
  const Eigen::VectorX<T> coefficients = xi.template cast<T>();
  Eigen::VectorX<T> field(law.size());
  for (Index x = 0; x < law.points(); ++x)
    field.segment(x * law.channels(), law.channels()) =
        detail::factor_at(law, sample, x).transpose().lazyProduct(coefficients);
  return field;
}

}  // namespace mno
