#pragma once
// A loss is a sum of terms, and a term is any struct with a `name`, a `weight` and
//   double operator()(const LawBlock<T, D>& law, const Target<T, D>& target, double scale) const
// that returns weight · scale · Σ_samples term(sample) and adds its derivative to the law's cotangents. A
// term that looks at one entry at a time has instead
//   MNO_HOST_DEVICE EntryTerm at(double m, double v, const EntryTarget& e) const
// with the value and its derivatives in the law's mean m and variance v there; such a term runs on GPUs too.
// `own_term` makes a term of a plain function with the arguments of operator(). Terms of draws stand in
// OnDraws (on_draws.hpp). A term that needs further predictions of the model stands beside the blocks
// (chapman_kolmogorov.hpp): it has `of_model = true` and
//   double operator()(const M& model, const Condition<T, D>&, std::uint64_t step, M& gradient, Cpu&) const
// which returns weight · its mean over the conditions and adds to the gradient of the parameters.
//
//   const Loss loss{GaussianNll{}, VarianceConsistency{.weight = 0.1}};
//   TermValues values;
//   value_and_gradient(model, condition, loss.on(target, values), gradient);
//   // values[0] is the likelihood's share, values[1] the consistency's
#include <array>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "mno/data/condition.hpp"
#include "mno/loss/need.hpp"
#include "mno/loss/on_draws.hpp"
#include "mno/loss/shared_variance.hpp"
#include "mno/loss/text.hpp"

namespace mno {

using detail::EntryTarget, detail::EntryTerm;

namespace detail {

template <class F, class T, int D>
concept BlockFunction = requires(const F& f, const LawBlock<T, D>& law, const Target<T, D>& target) {
  { f(law, target, 1.0) } -> std::convertible_to<double>;
};
/// A term of the model: blocks know nothing of it.
template <class Term> inline constexpr bool is_of_model = requires { requires Term::of_model; };
template <class Tuple> inline constexpr bool any_of_model = false;
template <class... Terms>
inline constexpr bool any_of_model<std::tuple<Terms...>> = (is_of_model<std::remove_cvref_t<Terms>> || ...);

/// A term on a block, whichever of the two ways it is written in.
template <class Term, class T, int D>
double evaluate_term(const Term& term, const LawBlock<T, D>& law, const Target<T, D>& target, double scale) {
  if constexpr (is_of_model<Term>) {
    return 0;
  } else if constexpr (BlockFunction<Term, T, D>) {
    return term(law, target, scale);
  } else if constexpr (EntryLoss<Term>) {
    require_mean(term.name, law, target);
    return average_entries(formula_of(term), law, target, term.weight * scale);
  } else {
    constexpr bool of_draws = DrawFunction<Term, T, D>;
    static_assert(!of_draws, "mno: a term of draws stands in OnDraws{S, terms…}, which says how many draws");
    static_assert(
        of_draws,
        "mno: a term of a loss needs `double operator()(const LawBlock<T, D>&, const Target<T, D>&, double "
        "scale) const` or `EntryTerm at(double m, double v, const EntryTarget&) const`");
    return 0;
  }
}
/// A term on draws of an operator with noise inside.
template <class Term, class T, int D>
double evaluate_term(const Term& term, const DrawBlock<T, D>& draws, const Target<T, D>& target,
                     double scale) {
  static_assert(is_on_draws<Term>,
                "mno: beside OnDraws{S, terms…} an operator with noise inside takes no term of the mean, "
                "which would pull every draw there: write it as a term of draws");
  return term(draws, target, scale);
}

}  // namespace detail

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
  std::span<double> numbers() { return values_; }  // (sample, term)
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

namespace detail {

/// The mean over the target's samples of all terms that count, on a block.
template <class L, class Block, class T, int D>
double evaluate_terms(const L& loss, const Block& block, const Target<T, D>& target, TermValues* values) {
  const double scale = 1 / double(target.samples());
  double total = 0;
  std::size_t index = 0;
  const auto add = [&](const auto& term) {
    if (term.weight != 0) {
      const double value = evaluate_term(term, block, target, scale);
      if (values) values->set(block.first, index, value);
      total += value;
    }
    ++index;
  };
  std::apply([&](const auto&... term) { (add(term), ...); }, loss.terms());
  return total;
}

}  // namespace detail

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
    detail::SharedVariance<T, D> shared(law);
    const double total = evaluate(shared.law(), law.mean.batch);
    shared.hand_on();
    return total;
  }
  double operator()(const FieldBlock<T, D>& field) const {
    if constexpr (detail::OfDraws<L>) {
      const DrawBlock<T, D> block = detail::as_draws(field, draws());
      return evaluate(block, block.conditions());
    } else {
      return (*this)(detail::as_law(field));
    }
  }

  /// Its terms of the model: their values, weights included, and what they add to the gradient.
  template <class M, class Device>
  double add_of_model(const M& model, const Condition<T, D>& condition, M& gradient, Device& device)
      const requires detail::any_of_model<std::remove_cvref_t<decltype(std::declval<const L&>().terms())>> {
    double total = 0;
    std::size_t index = 0;
    const auto add = [&]<class Term>(const Term& term) {
      if constexpr (detail::is_of_model<Term>)
        if (term.weight != 0) {
          double value = 0;
          if constexpr (M::stochastic)
            value = term(model, condition, target_.step, gradient, device);
          else
            require(false, term.name, "weight", Text("0, as this operator gives no law"), Text(term.weight));
          if (values_) values_->set(0, index, value);
          total += value;
        }
      ++index;
    };
    std::apply([&](const auto&... term) { (add(term), ...); }, loss_.terms());
    return total;
  }

  const L& loss() const { return loss_; }
  const Target<T, D>& target() const { return target_; }
  TermValues* values() const { return values_; }
  /// How often an operator with noise inside is run for every condition.
  Index draws() const requires detail::OfDraws<L> { return detail::draws_of(loss_); }

 private:
  template <class Block> double evaluate(const Block& block, Index conditions) const {
    require(block.first + conditions <= target_.samples(), "Loss::on", "target",
            Text("as many samples as the condition has, at least ", block.first + conditions),
            Text(target_.samples()));
    return detail::evaluate_terms(loss_, block, target_, values_);
  }

  L loss_;
  Target<T, D> target_;
  TermValues* values_;
};

template <class... Terms> class Loss {
 public:
  static constexpr std::size_t size = sizeof...(Terms);

  explicit Loss(Terms... terms) : terms_(std::move(terms)...) {}
  const std::tuple<Terms...>& terms() const { return terms_; }
  std::tuple<Terms...>& terms() { return terms_; }
  std::array<std::string, size> names() const {
    return std::apply([](const auto&... term) { return std::array<std::string, size>{term.name...}; },
                      terms_);
  }
  /// All terms with all of their numbers.
  std::string text() const requires(Describable<Terms>&&...) {
    std::string out;
    std::apply([&](const auto&... term) { ((out += (out.empty() ? "" : " + ") + term_text(term)), ...); },
               terms_);
    return out;
  }

  template <class T, int D> LossOn<Loss, T, D> on(const Target<T, D>& target) const {
    return {*this, target};
  }
  template <class T, int D> LossOn<Loss, T, D> on(const Target<T, D>& target, TermValues& values) const {
    return {*this, target, &values};
  }

 private:
  std::tuple<Terms...> terms_;
};

/// A function of (law, target, scale) as a term: it returns scale · Σ_samples and adds to the law's
/// cotangents. Inside of OnDraws it is a function of (draws, target, scale). `numbers` lists the constants
/// that it computes with, so that a checkpoint notices when they change.
template <class F> struct OwnTerm {
  std::string name;
  F function;
  std::vector<double> numbers{};
  double weight = 1;

  template <class T, int D>
  requires detail::BlockFunction<F, T, D>
  double operator()(const LawBlock<T, D>& law, const Target<T, D>& target, double scale) const {
    return function(law, target, weight * scale);
  }
  template <class T, int D>
  requires detail::DrawFunction<F, T, D>
  double operator()(const DrawBlock<T, D>& draws, const Target<T, D>& target, double scale) const {
    return function(draws, target, weight * scale);
  }
  std::string text() const {
    std::string out = name + "(" + detail::exact_text(weight);
    for (const double number : numbers) out += ", " + detail::exact_text(number);
    return out + ")";
  }
};
template <class F> OwnTerm<F> own_term(std::string name, F function, std::vector<double> numbers = {}) {
  return {std::move(name), std::move(function), std::move(numbers)};
}

namespace detail {

template <class L>
concept WholeLoss = requires(const L& loss) {
  loss.terms();
  loss.names();
  { L::size } -> std::convertible_to<std::size_t>;
};
template <class L>
concept Term = requires(const L& term) {
  term.name;
  { term.weight } -> std::convertible_to<double>;
};
/// A function without a name: it trains, but a checkpoint could not tell it from another one.
template <class F> struct NamelessTerm : OwnTerm<F> { std::string text() const = delete; };

}  // namespace detail

/// A loss from what a user gives: a loss, a term, or a function of (law, target, scale).
template <class L> auto as_loss(L loss) {
  if constexpr (detail::WholeLoss<L>)
    return loss;
  else if constexpr (detail::Term<L>)
    return Loss(std::move(loss));
  else
    return Loss(detail::NamelessTerm<L>{{"own", std::move(loss), {}}});
}
template <class L> using LossOf = decltype(as_loss(std::declval<L>()));

}  // namespace mno
