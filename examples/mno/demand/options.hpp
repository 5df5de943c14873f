#pragma once
// The options of a training and what comes of it as plain data and back, for both sides of the boundary.
#include <bit>
#include <mno/train/fit.hpp>
#include <span>

#include "exchange.hpp"
#include "loss_choice.hpp"

namespace demand {

/// f(number) for every number of the options: the one list of them. All members are named, so that one that
/// is added does not compile until somebody has said whether it crosses; texts and functions have their own
/// ways.
template <class Options, class F> void for_each_number(Options& options, F&& f) {
  auto& [training, validation, split_seed, warp, choose_residual, factor_scale, least_points, path,
         symmetries, places, calibrate, checkpoint, checkpoint_seconds, resume, data, about, after_epoch,
         interrupted] = options;
  auto& [epochs, batch, seed, adamw, decay, warmup_steps, clip, average, patience, validation_draws, residual,
         moves] = training;
  auto& [learning_rate, beta1, beta2, epsilon, weight_decay] = adamw;
  f(epochs);
  f(batch);
  f(seed);
  f(learning_rate);
  f(beta1);
  f(beta2);
  f(epsilon);
  f(weight_decay);
  f(decay);
  f(warmup_steps);
  f(clip);
  f(average);
  f(patience);
  f(validation_draws);
  f(moves.negative);
  f(moves.mirrored);
  f(moves.turned);
  f(moves.shifted);
  f(least_points);
  f(path);
  f(symmetries);
  f(choose_residual);
  f(calibrate);
  f(checkpoint_seconds);
  f(resume);
}

/// Numbers of any type, each in 64 bits.
class NumberWriter {
 public:
  template <class T> void operator()(const T& value) {
    if constexpr (std::is_same_v<T, double>)
      bits_.push_back(std::bit_cast<std::uint64_t>(value));
    else
      bits_.push_back(std::uint64_t(value));
  }
  /// Whether there is one comes before it.
  template <class T> void operator()(const std::optional<T>& value) {
    (*this)(value.has_value());
    if (value) (*this)(*value);
  }
  boundary::Numbers numbers() const { return {bits_.data(), bits_.size()}; }

 private:
  std::vector<std::uint64_t> bits_{};
};
class NumberReader {
 public:
  explicit NumberReader(boundary::Numbers numbers) : bits_(numbers.bits, numbers.count) {}
  template <class T> void operator()(T& value) {
    mno::require(!bits_.empty(), "demand", "numbers", mno::Text("as many as the options have"),
                 mno::Text("fewer"));
    if constexpr (std::is_same_v<T, double>)
      value = std::bit_cast<double>(bits_.front());
    else
      value = T(bits_.front());
    bits_ = bits_.subspan(1);
  }
  template <class T> void operator()(std::optional<T>& value) {
    bool there = false;
    (*this)(there);
    if (there) (*this)(value.emplace());
  }
  void end() const {
    mno::require(bits_.empty(), "demand", "numbers", mno::Text("as many as the options have"),
                 mno::Text(bits_.size(), " more"));
  }

 private:
  std::span<const std::uint64_t> bits_;
};

inline void write_numbers(NumberWriter& to, const mno::FitOptions& options, const LossChoice& loss) {
  for_each_number(options, to);
  to(options.factor_scale);
  to(options.places);
  to(loss.index());
  std::visit([&](const auto& given) { for_each_number_of_loss(given, to); }, loss);
}
inline void read_numbers(NumberReader from, mno::FitOptions& options, LossChoice& loss) {
  for_each_number(options, from);
  from(options.factor_scale);
  from(options.places);
  std::size_t type = 0;
  from(type);
  loss = loss_of_type(type);
  std::visit([&](auto& given) { for_each_number_of_loss(given, from); }, loss);
  from.end();
}

inline boundary::Scores plain(const mno::Scores& s) {
  return {s.mean_rmse, s.variance_rmse, s.w2g, s.crps, s.several, s.draws};
}
inline mno::Scores scores_of(const boundary::Scores& s) {
  return {.mean_rmse = s.mean_rmse,
          .variance_rmse = s.variance_rmse,
          .w2g = s.w2g,
          .crps = s.crps,
          .several = s.several != 0,
          .draws = s.draws != 0};
}

/// The report of an epoch as plain data that refers to it.
struct PlainEpoch {
  boundary::Scores scores{};
  boundary::Epoch data;

  explicit PlainEpoch(const mno::EpochReport& e)
      : data{e.epoch,         e.epochs,
             e.loss,          e.learning_rate,
             e.gradient_norm, e.conditions_per_second,
             e.seconds_left,  e.terms.data(),
             e.terms.size(),  e.validation ? &scores : nullptr,
             e.finished,      e.best} {
    if (e.validation) scores = plain(*e.validation);
  }
  PlainEpoch(const PlainEpoch&) = delete;
};
inline mno::EpochReport epoch_of(const boundary::Epoch& e) {
  mno::EpochReport report;
  report.epoch = mno::Index(e.epoch);
  report.epochs = mno::Index(e.epochs);
  report.finished = e.finished != 0;
  report.loss = e.loss;
  report.terms.assign(e.terms, e.terms + e.term_count);
  report.learning_rate = e.learning_rate;
  report.gradient_norm = e.gradient_norm;
  if (e.validation) report.validation = scores_of(*e.validation);
  report.best = e.best != 0;
  report.conditions_per_second = e.conditions_per_second;
  report.seconds_left = e.seconds_left;
  return report;
}

}  // namespace demand
