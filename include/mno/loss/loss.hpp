#pragma once
// A loss is a sum of terms, and a term is any struct with a `name`, a `weight` and
//   double operator()(const LawBlock<T, D>& law, const Target<T, D>& target, double scale) const
// that returns weight · scale · Σ_samples term(sample) and adds its derivative to the law's cotangents.
//
//   const Loss loss{GaussianNll{}, VarianceConsistency{.weight = 0.1}};
//   TermValues values;
//   value_and_gradient(model, condition, loss.on(target, values), gradient);
//   // values[0] is the likelihood's share, values[1] the consistency's
#include <array>
#include <tuple>
#include <vector>

#include "mno/loss/need.hpp"
#include "mno/loss/shared_variance.hpp"

namespace mno {

/// What each term contributed, weights included. Blocks write to places of their own and the sums run in the
/// samples' order, so they do not depend on the number of threads. Kept between steps, it allocates once.
class TermValues {
 public:
  void start(Index samples, std::size_t terms) {
    terms_ = terms;
    values_.assign(std::size_t(samples) * terms, 0.0);
  }
  /// The value of a term on the block that begins with this sample.
  void set(Index first, std::size_t term, double value) {
    values_[std::size_t(first) * terms_ + term] = value;
  }
  std::size_t size() const { return terms_; }
  double operator[](std::size_t term) const {
    double sum = 0;
    for (std::size_t i = term; i < values_.size(); i += terms_) sum += values_[i];
    return sum;
  }
  double total() const {
    double sum = 0;
    for (std::size_t term = 0; term < terms_; ++term) sum += (*this)[term];
    return sum;
  }

 private:
  std::size_t terms_ = 0;
  std::vector<double> values_;  // (sample, term)
};

/// A loss held against a target: what value_and_gradient calls block by block. The mean over the target's
/// samples. Terms of weight 0 are not evaluated.
template <class L, class T, int D> class LossOn {
 public:
  LossOn(const L& loss, const Target<T, D>& target, TermValues* values = nullptr)
      : loss_(loss), target_(target), values_(values) {
    detail::check_target("Loss::on", target);
    if (values) values->start(target.samples(), L::size);
  }

  double operator()(const LawBlock<T, D>& law) const {
    require(law.first + law.mean.batch <= target_.samples(), "Loss::on", "target",
            Text("as many samples as the condition has, at least ", law.first + law.mean.batch),
            Text(target_.samples()));
    const double scale = 1 / double(target_.samples());
    double total = 0;
    std::size_t index = 0;
    detail::SharedVariance<T, D> shared(law);
    const auto add = [&](const auto& term) {
      if (term.weight != 0) {
        const double value = term(shared.law(), target_, scale);
        if (values_) values_->set(law.first, index, value);
        total += value;
      }
      ++index;
    };
    std::apply([&](const auto&... term) { (add(term), ...); }, loss_.terms());
    shared.hand_on();
    return total;
  }
  const L& loss() const { return loss_; }
  const Target<T, D>& target() const { return target_; }
  TermValues* values() const { return values_; }

  double operator()(const FieldBlock<T, D>& field) const { return (*this)(detail::as_law(field)); }

 private:
  L loss_;
  Target<T, D> target_;
  TermValues* values_;
};

template <class... Terms> class Loss {
 public:
  static constexpr std::size_t size = sizeof...(Terms);
  static constexpr std::array<const char*, size> names{Terms::name...};

  explicit Loss(Terms... terms) : terms_(terms...) {}
  const std::tuple<Terms...>& terms() const { return terms_; }

  template <class T, int D> LossOn<Loss, T, D> on(const Target<T, D>& target) const {
    return {*this, target};
  }
  template <class T, int D> LossOn<Loss, T, D> on(const Target<T, D>& target, TermValues& values) const {
    return {*this, target, &values};
  }

 private:
  std::tuple<Terms...> terms_;
};

}  // namespace mno
