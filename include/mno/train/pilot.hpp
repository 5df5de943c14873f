#pragma once
// A pilot: the mean, trained for a while on half of the conditions and judged on the other half. It tells
// three things before the run itself.
//
// How large is the noise, where there are no ensembles? What the mean leaves unexplained: E(u − m)² =
// E Var(u|u_0) + E(E(u|u_0) − m)² is an upper bound, and close to the variance once the mean is.
//
// Which symmetries does the law have (data/symmetry.hpp)? A mean that was learned from data as it is foresees
// moved data as well if the law has the symmetry, and worse if not. Whether the noise is the same everywhere,
// a mean cannot tell: its size is looked at in waves of x, which vanish on average where it is.
//
// Does the law differ from place to place? Then a pilot that knows the place foresees better than one that
// does not (train/places.hpp).
#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>
#include <vector>

#include "mno/data/split.hpp"
#include "mno/loss/mean_squared_error.hpp"
#include "mno/train/trainer.hpp"

namespace mno {

template <class M> class Pilot {
 public:
  using T = typename M::Scalar;
  static constexpr int D = M::dimension;
  using Data = Ensemble<T, D>;
  static constexpr Index least = 64;  // conditions, fewer of which tell nothing about symmetries

  /// A tenth of the steps; nothing of the model stays but what the pilot learned of the data.
  template <class Device>
  Pilot(M model, const Data& train, TrainingOptions options, Device& device) : model_(std::move(model)) {
    const Split halves = split_by_origin(train.origins, 0.5, 0, options.seed);
    const bool halved = !halves.train.empty() && !halves.validation.empty();
    const Data learned = halved ? subset(train, halves.train) : train;
    held_ = halved ? subset(train, halves.validation) : train;
    options.epochs = std::max<Index>(5, options.epochs / (halved ? 5 : 10));
    options.average = 0;
    options.patience = 0;
    options.symmetries = {};
    Trainer trainer(model_, learned, nullptr, squared_error(), options, device);
    while (!trainer.finished()) trainer.run_epoch();
    mean_ = mean_of(held_, device);
    errors_ = errors(mean_, held_);
  }

  /// The mean of (u − m)² over conditions, members, points and channels that it has not seen.
  double noise() const {
    double sum = 0;
    const Index n = entries();
    for (Index e = 0; e < held_.size(); ++e) {
      const double members = double(held_.counts[std::size_t(e)]);
      sum += errors_[std::size_t(e)];
      if (members > 1)
        for (Index i = e * n; i < (e + 1) * n; ++i)
          sum += double(held_.variance.data()[i]) * (members - 1) / members / double(n);
    }
    return sum / double(held_.size());
  }

  /// Does it foresee the other half better than another pilot, by three standard errors of the difference and
  /// by 2 %?
  bool better_than(const Pilot& other) const {
    const double n = double(errors_.size());
    double gain = 0, square = 0, error = 0;
    for (std::size_t e = 0; e < errors_.size(); ++e) {
      const double d = other.errors_[e] - errors_[e];
      gain += d / n;
      square += d * d / n;
      error += other.errors_[e] / n;
    }
    return gain > 3 * std::sqrt(std::max(0.0, square - gain * gain) / n) && gain > 0.02 * error;
  }

  /// Those that nothing speaks against; −u only where 0 is the data's own zero.
  template <class Device> Symmetries symmetries(bool about_zero, Device& device) const {
    Symmetries found;
    if (held_.known.size() > 0 || model_.stored_known_fields().size() > 0) return found;
    const bool walls = held_.grid().domain.has_walls();
    found.negative = about_zero && holds({.negative = true}, device);
    found.mirrored = !walls && holds({.mirrored = true}, device);
    found.turned = about_zero && !walls && holds({.turned = true}, device);
    found.shifted = noise_is_the_same_everywhere() && holds({.shifted = true}, device);
    return found;
  }

 private:
  Index entries() const { return held_.mean.points() * held_.channels(); }

  /// As a recipe where there is one, which is compiled for the run itself anyway.
  static auto squared_error() {
    if constexpr (M::gives_draws) {
      return MeanSquaredError{};
    } else {
      Recipe recipe;
      recipe.mean_squared_error.weight = 1;
      return recipe;
    }
  }

  /// The mean of a law, or the field that an operator gives: squared errors leave one with noise inside none.
  template <class Device> Field<T, D> mean_of(const Data& data, Device& device) const {
    if constexpr (M::stochastic)
      return predict(model_, data.condition(), device).mean;
    else
      return predict(model_, data.condition(), device);
  }

  /// The mean of (ū − m)² of every condition.
  static std::vector<double> errors(const Field<T, D>& mean, const Data& data) {
    std::vector<double> all(std::size_t(data.size()), 0.0);
    const Index n = data.mean.points() * data.channels();
    for (Index i = 0; i < data.size() * n; ++i)
      all[std::size_t(i / n)] +=
          std::pow(double(mean.data()[i]) - double(data.mean.data()[i]), 2) / double(n);
    return all;
  }

  /// Is moved data foreseen as well as data? The difference of the two errors, condition by condition, is
  /// then zero on average. It has to be known to a tenth of the error, and to be zero within three of its
  /// standard errors, or within 3 % of the error: a shift between points is not quite the pilot's own. One
  /// that is missed is dearly paid for, and two standard errors would miss one in forty; on Burgers those
  /// that do not hold are off by a thousand times the error (docs/decisions/default-recipe.md).
  template <class Device> bool holds(const Symmetries& one, Device& device) const {
    Data moved = held_;
    Stream random(1, 0, 0x6D6F7665);
    for (Index e = 0; e < held_.size(); ++e) {
      Move<D> move = Move<D>::random(one, held_.grid(), random);
      if (!one.shifted) {
        move.negative = one.negative || one.turned;
        move.mirrored = one.mirrored || one.turned;
      }
      move_condition<T, D>(held_, e, move, moved);
    }
    const std::vector<double> after = errors(mean_of(moved, device), moved);
    const double n = double(held_.size());
    double error = 0, difference = 0, square = 0;
    for (std::size_t e = 0; e < errors_.size(); ++e) {
      const double d = after[e] - errors_[e];
      error += errors_[e] / n;
      difference += d / n;
      square += d * d / n;
    }
    const double deviation = std::sqrt(std::max(0.0, square - difference * difference) / n);
    return deviation <= 0.1 * error && difference <= std::clamp(3 * deviation, 0.03 * error, 0.2 * error);
  }

  /// The size w(x) of the noise, s² of an ensemble or (u − m)² of a draw, has waves ŵ_k along every periodic
  /// axis. Where the noise is the same everywhere they have no preferred phase: of n conditions
  /// |Σŵ_k|²/Σ|ŵ_k|² is then about exponential with mean one, and above log(100 tests) in one case of a
  /// hundred.
  bool noise_is_the_same_everywhere() const {
    constexpr Index waves = 4;
    const Grid<D>& grid = held_.grid();
    const Index channels = held_.channels(), points = grid.size();
    const bool draws = held_.least_members() < least_ensemble;
    const double most = std::log(100.0 * double(waves * D * channels));
    bool periodic = false;
    Index stride = points;
    for (std::size_t d = 0; d < D; ++d) {
      stride /= grid.points[d];
      if (grid.domain.bounded[d]) continue;
      periodic = true;
      for (Index c = 0; c < channels; ++c)
        for (Index k = 1; k <= std::min(waves, (grid.points[d] - 1) / 2); ++k) {
          std::complex<double> sum = 0;
          double squares = 0;
          for (Index e = 0; e < held_.size(); ++e) {
            std::complex<double> wave = 0;
            for (Index p = 0; p < points; ++p) {
              const Index i = (e * points + p) * channels + c;
              const double size = draws ? std::pow(double(held_.mean.data()[i]) - double(mean_.data()[i]), 2)
                                        : double(held_.variance.data()[i]);
              const double x = double(p / stride % grid.points[d]) / double(grid.points[d]);
              wave += size * std::polar(1.0, -2 * std::numbers::pi * double(k) * x);
            }
            sum += wave;
            squares += std::norm(wave);
          }
          if (std::norm(sum) > most * squares) return false;
        }
    }
    return periodic;
  }

  M model_;
  Data held_{};
  Field<T, D> mean_{};
  std::vector<double> errors_{};
};

}  // namespace mno
