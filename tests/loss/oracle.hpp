#pragma once
// The gradient oracle of the losses: central differences in every entry of mean and factor.
//
// The law is given as training gives it: a block of samples that does not begin at the target's first, mean
// and factor as slices of wider fields, cotangents that already hold something.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "mno/core/random.hpp"
#include "mno/data/target.hpp"
#include "mno/law/block.hpp"

namespace mno::testing {

template <class T, int D> void randomise(Field<T, D>& field, double scale, double shift, std::uint64_t seed) {
  Stream stream(seed);
  for (T& value : field.span()) value = T(shift + scale * stream.normal());
}

/// An ensemble with its statistics.
template <class T, int D> struct RandomEnsemble {
  Field<T, D> members, mean, variance, factor;  // factor: all centred members over √(M−1), so YᵀY is exact
  Index count;

  RandomEnsemble(Index samples, Grid<D> grid, Index channels, Index m, std::uint64_t seed,
                 double spread = 0.6)
      : members(samples * m, grid, channels),
        mean(samples, grid, channels),
        variance(samples, grid, channels),
        factor(samples, grid, m * channels),
        count(m) {
    randomise(members, spread, 0.3, seed);
    summarise();
  }
  void summarise() {
    for (Index s = 0; s < mean.batch(); ++s)
      for (Index x = 0; x < mean.points(); ++x)
        for (Index c = 0; c < mean.channels(); ++c) {
          double sum = 0, squares = 0;
          for (Index j = 0; j < count; ++j) sum += double(members(s * count + j, x, c));
          const double average = sum / double(count);
          for (Index j = 0; j < count; ++j) {
            const double d = double(members(s * count + j, x, c)) - average;
            squares += d * d;
            factor(s, x, j * mean.channels() + c) = count > 1 ? T(d / std::sqrt(double(count - 1))) : T(0);
          }
          mean(s, x, c) = T(average);
          variance(s, x, c) = count > 1 ? T(squares / double(count - 1)) : T(0);
        }
  }
  Target<T, D> target() const {
    return {.mean = mean.view(),
            .variance = variance.view(),
            .counts = {&count, 1},
            .covariance_factor = factor.view(),
            .members = members.view()};
  }
};

/// A law of some samples in memory that can be changed, with its cotangents.
template <class T, int D> struct Block {
  Index first, channels, factors;
  bool nugget;
  Field<T, D> values, bars;  // channels: [mean | one unused | factor | one unused | nugget]

  Block(Index first_sample, Index samples, Grid<D> grid, Index c, Index rank, std::uint64_t seed,
        bool with_nugget = false)
      : first(first_sample),
        channels(c),
        factors(rank * c),
        nugget(with_nugget),
        values(samples, grid, 2 * c + rank * c + 2),
        bars(samples, grid, 2 * c + rank * c + 2) {
    // Away from 0, where a likelihood is so steep that differences say nothing.
    randomise(values, 0.5, 0, seed);
    for (T& value : values.span()) value += value < 0 ? T(-0.2) : T(0.2);
  }
  LawBlock<T, D> law() {
    const View<T, D> v = values.view(), b = bars.view();
    LawBlock<T, D> block{first, v.slice(0, channels), v.slice(channels + 1, factors), b.slice(0, channels),
                         b.slice(channels + 1, factors)};
    if (nugget) {
      block.nugget = v.slice(channels + factors + 2, channels);
      block.nugget_bar = b.slice(channels + factors + 2, channels);
    }
    return block;
  }
  T& mean(Index sample, Index point, Index channel) { return values(sample, point, channel); }
  T& eta(Index sample, Index point, Index c) { return values(sample, point, channels + factors + 2 + c); }
  T& factor(Index sample, Index point, Index k, Index c) {
    return values(sample, point, channels + 1 + k * channels + c);
  }
};

/// Draws of some conditions in memory that can be changed, with their cotangent.
template <class T, int D> struct DrawsBlock {
  Index first, draws, channels;
  Field<T, D> values, bars;  // channels: [draw | one unused]

  DrawsBlock(Index first_condition, Index conditions, Index s, Grid<D> grid, Index c, std::uint64_t seed)
      : first(first_condition),
        draws(s),
        channels(c),
        values(conditions * s, grid, c + 1),
        bars(conditions * s, grid, c + 1) {
    randomise(values, 0.5, 0.1, seed);
  }
  DrawBlock<T, D> law() {  // what a term is given
    return {first, draws, values.view().slice(0, channels), bars.view().slice(0, channels)};
  }
};

/// The largest |derivative − difference| / max(|difference|, 1 % of the largest difference), mean and factor
/// each by its own measure, by central differences of fourth order. Where a long step does not agree a short
/// one is tried, and the better counts: where the law is nearly certain the long one is spoilt by curvature,
/// elsewhere the short one by rounding. `value` is what the derivative is of; a term with parts held fixed
/// says it itself.
template <int D, class Term, class AnyBlock, class Value>
double gradient_error(const Term& term, const Target<double, D>& target, AnyBlock& block, Value&& value) {
  constexpr double scale = 0.37, already_there = 0.25;
  std::fill_n(block.bars.data(), block.bars.size(), already_there);
  term(block.law(), target, scale);
  const std::size_t n = block.bars.size();
  std::vector<double> derivative(n), difference(n);
  for (std::size_t i = 0; i < n; ++i) derivative[i] = block.bars.data()[i] - already_there;

  double size[2] = {1e-6, 1e-6};  // of mean, of factor
  const auto part = [&](std::size_t i) {
    return Index(i) % block.values.channels() < block.channels ? std::size_t(0) : std::size_t(1);
  };
  for (std::size_t i = 0; i < n; ++i) {
    double& x = block.values.data()[i];
    const double before = x;
    const auto central = [&](double step) {
      const auto at = [&](double h) {
        x = before + h;
        return value(block.law(), target, scale);
      };
      return (8 * (at(step) - at(-step)) - (at(2 * step) - at(-2 * step))) / (12 * step);
    };
    difference[i] = central(1e-4);
    const auto error = [&](double found) { return std::abs(found - derivative[i]); };
    if (error(difference[i]) > 1e-8 * std::abs(derivative[i]))
      if (const double narrow = central(1e-5); error(narrow) < error(difference[i])) difference[i] = narrow;
    x = before;
    size[part(i)] = std::max(size[part(i)], std::abs(difference[i]));
  }
  double worst = 0;
  for (std::size_t i = 0; i < n; ++i)
    worst = std::max(worst, std::abs(derivative[i] - difference[i]) /
                                std::max(std::abs(difference[i]), 0.01 * size[part(i)]));
  return worst;
}
template <int D, class Term, class AnyBlock>
double gradient_error(const Term& term, const Target<double, D>& target, AnyBlock& block) {
  return gradient_error(term, target, block, term);
}

/// f(target, block) for 1D and 2D, one and two channels, several ranks, without a nugget and with one; in
/// every second case the law's variance is below 1e-5 at one entry, where the ensemble has hardly any either,
/// and above 1e2 at another.
template <class F> void for_each_case(F&& f) {
  const auto cases = [&]<int D>(Grid<D> grid) {
    for (const Index channels : {1, 2})
      for (const Index rank : {1, 3, 16})
        for (const bool clamped : {false, true})
          for (const bool nugget : {false, true}) {
            const std::uint64_t seed = std::uint64_t(100 * D + 10 * channels + rank);
            RandomEnsemble<double, D> ensemble(5, grid, channels, 7, seed);
            Block<double, D> block(1, 3, grid, channels, rank, seed + 1, nugget);
            if (clamped) {
              for (Index j = 0; j < ensemble.members.batch(); ++j) ensemble.members(j, 0, 0) *= 1e-3;
              ensemble.summarise();
              for (Index s = 0; s < 3; ++s) {
                block.mean(s, 0, 0) *= 1e-3;
                for (Index k = 0; k < rank; ++k) {
                  block.factor(s, 0, k, 0) *= 1e-4;
                  block.factor(s, 1, k, channels - 1) += 14;
                }
                block.eta(s, 0, 0) *= 1e-4;
              }
            }
            f(ensemble.target(), block);
          }
  };
  cases(Grid<1>{{5}});
  cases(Grid<2>{{2, 3}});
}

/// The oracle in all cases: the largest error, printed and checked.
template <class Term> void check_gradient(const Term& term) {
  double worst = 0;
  for_each_case(
      [&](const auto& target, auto& block) { worst = std::max(worst, gradient_error(term, target, block)); });
  MESSAGE(std::string(Term::name), ": largest relative gradient error ", worst);
  CHECK(worst <= 1e-6);
}

/// The same for a term of draws: one and two dimensions and channels, several numbers of draws, one member
/// and seven; in every second case two draws are the same field, where a distance has a kink unless it is
/// smooth.
template <class Term> void check_draws_gradient(const Term& term) {
  double worst = 0;
  const auto cases = [&]<int D>(Grid<D> grid) {
    for (const Index channels : {1, 2})
      for (const Index draws : {2, 3, 8})
        for (const Index members : {1, 7})
          for (const bool equal : {false, true}) {
            const std::uint64_t seed = std::uint64_t(100 * D + 10 * channels + draws);
            RandomEnsemble<double, D> ensemble(5, grid, channels, members, seed);
            DrawsBlock<double, D> block(1, 3, draws, grid, channels, seed + 1);
            if (equal)
              for (Index p = 0; p < block.values.points(); ++p)
                for (Index c = 0; c < channels; ++c)
                  block.values(draws + 1, p, c) = block.values(draws, p, c);
            worst = std::max(worst, gradient_error(term, ensemble.target(), block));
            Target<double, D> single{.mean = ensemble.mean.view()};  // the mean is the member
            if (members == 1) worst = std::max(worst, gradient_error(term, single, block));
          }
  };
  cases(Grid<1>{{5}});
  cases(Grid<2>{{2, 3}});
  MESSAGE(std::string(Term::name), ": largest relative gradient error ", worst);
  CHECK(worst <= 1e-6);
}

/// A law of one sample at one point with one channel and rank one, and its target: for values by hand.
struct Point {
  double m, b;  // mean and factor
  double u, s2 = 0;
  Index count = 4;
  std::vector<double> members{};

  struct Result {
    double value, mean_bar, factor_bar;
  };
  template <class Term> Result operator()(const Term& term, double scale = 1) const {
    double mean_bar = 0, factor_bar = 0;
    const Grid<1> grid{{1}};
    const auto view = [&](const double* data, Index batch = 1) {
      return View<const double, 1>{data, batch, grid, 1, 1};
    };
    const LawBlock<double, 1> law{
        0, view(&m), view(&b), {&mean_bar, 1, grid, 1, 1}, {&factor_bar, 1, grid, 1, 1}};
    Target<double, 1> target{.mean = view(&u), .variance = view(&s2), .counts = {&count, 1}};
    if (!members.empty()) target.members = view(members.data(), count);
    const double value = term(law, target, scale);
    return {value, mean_bar, factor_bar};
  }
};

/// The sentence of an error.
template <class F> std::string sentence(F&& f) {
  try {
    f();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

}  // namespace mno::testing
