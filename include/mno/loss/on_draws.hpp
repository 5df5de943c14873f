#pragma once
// Terms of draws as one term of a loss: OnDraws{8, FairEnergyScore{}, FairCrps{.weight = 0.1}}.
//
// A term of draws is a struct with a `name`, a `weight` and
//   double operator()(const DrawBlock<T, D>& draws, const Target<T, D>& target, double scale) const
// which returns weight · scale · Σ_conditions and adds to the draws' cotangent. Where S draws of every
// condition come from depends on the model:
//   an operator with noise inside is run S times, with other noise each time (Condition::draws);
//   from a law S draws are taken by reparametrisation (law_draws.hpp), with ξ and ζ of the law's residuals,
//   so that it may stand beside any other term.
#include <string>
#include <tuple>

#include "mno/law/any_residual.hpp"
#include "mno/loss/factor_columns.hpp"
#include "mno/loss/law_draws.hpp"
#include "mno/loss/need.hpp"
#include "mno/loss/text.hpp"

namespace mno {

namespace detail {
template <class F, class T, int D>
concept DrawFunction = requires(const F& f, const DrawBlock<T, D>& draws, const Target<T, D>& target) {
  { f(draws, target, 1.0) } -> std::convertible_to<double>;
};
}  // namespace detail

template <class... Terms> struct OnDraws {
  static constexpr const char* name = "draws";
  static_assert(sizeof...(Terms) >= 1, "mno: OnDraws{S, terms…} needs at least one term of draws");

  Index draws;  // S of every condition
  std::tuple<Terms...> terms;
  double weight = 1;
  Index members = 0;  // of every condition, that a step compares with the draws, others in every step; 0: all
  std::uint64_t seed = 0;  // of draws from a law
  AnyResidual residual{};  // of that law; a Trainer sets it to that of its options

  explicit OnDraws(Index count, Terms... t) : draws(count), terms(std::move(t)...) {
    require(count >= 2 && count < (Index(1) << 20), "OnDraws", "draws",
            Text("at least two (one has no spread), and less than 2^20"), Text(count));
  }

  /// f(term) for those that count.
  template <class F> void for_each_term(F&& f) const {
    std::apply([&](const auto&... term) { ((term.weight != 0 ? f(term) : void()), ...); }, terms);
  }

  template <class T, int D>
  double operator()(const DrawBlock<T, D>& block, const Target<T, D>& target, double scale) const {
    static_assert((detail::DrawFunction<Terms, T, D> && ...),
                  "mno: a term inside of OnDraws needs `double operator()(const DrawBlock<T, D>&, const "
                  "Target<T, D>&, double scale) const`");
    DrawBlock<T, D> seen = block;
    seen.members = members;
    double total = 0;
    for_each_term([&](const auto& term) { total += term(seen, target, weight * scale); });
    return total;
  }

  template <class T, int D> void need(const LawBlock<T, D>& law, const Target<T, D>&) const {
    detail::require_factor(name, law);
  }
  template <class T, int D>
  double operator()(const LawBlock<T, D>& law, const Target<T, D>& target, double scale) const {
    need(law, target);
    Arena& arena = detail::loss_scratch();
    const ArenaScope scope(arena);
    const detail::LawDraws<T, D> all = detail::law_draws(law, draws, arena);
    const detail::LawNoise noise{seed, target.step};
    for (Index i = 0; i < all.value.batch; ++i) {
      all.fill_xi(noise, i);
      if (all.zeta)
        for (Index entry = 0; entry < all.entries(); ++entry) all.fill_zeta(noise, i, entry);
      if (!residual.gaussian()) all.scale(i, noise.deviation(residual, law.first + i / draws, i % draws));
      for (Index entry = 0; entry < all.entries(); ++entry) all.draw(i, entry);
    }
    const double value = (*this)(all.block(), target, scale);
    for (Index b = 0; b < law.mean.batch; ++b)
      for (Index entry = 0; entry < all.entries(); ++entry) all.pull_back(b, entry);
    return value;
  }

  /// "draws(1, 8, 0, fair_energy_score(1, 1e-06))"; how many members, if not all, and residuals other than
  /// Gaussian stand before the terms.
  std::string text() const requires(Describable<Terms>&&...) {
    std::string out = std::string(name) + "(" + detail::exact_text(weight) + ", " + std::to_string(draws) +
                      ", " + std::to_string(seed) +
                      (members > 0 ? ", members " + std::to_string(members) : "") +
                      (residual.gaussian() ? "" : ", " + residual.text());
    std::apply([&](const auto&... term) { ((out += ", " + term_text(term)), ...); }, terms);
    return out + ")";
  }
};
template <class... Terms> OnDraws(int, Terms...) -> OnDraws<Terms...>;

namespace detail {

template <class Term> inline constexpr bool is_on_draws = false;
template <class... Terms> inline constexpr bool is_on_draws<OnDraws<Terms...>> = true;

template <class Tuple> inline constexpr bool any_on_draws = false;
template <class... Terms>
inline constexpr bool any_on_draws<std::tuple<Terms...>> = (is_on_draws<std::remove_cvref_t<Terms>> || ...);
/// Has a loss a term of draws?
template <class L>
concept OfDraws = any_on_draws<std::remove_cvref_t<decltype(std::declval<const L&>().terms())>>;

/// S, the same for all of a loss's terms of draws.
template <OfDraws L> Index draws_of(const L& loss) {
  Index draws = 0;
  const auto look = [&]<class Term>(const Term& term) {
    if constexpr (is_on_draws<Term>) {
      require(draws == 0 || draws == term.draws, "OnDraws", "draws",
              Text("one number for all, ", draws, ", where an operator is run so often"), Text(term.draws));
      draws = term.draws;
    }
  };
  std::apply([&](const auto&... term) { (look(term), ...); }, loss.terms());
  return draws;
}

/// The loss with draws from laws that have these residuals.
template <class L> L drawn_from(L loss, const AnyResidual& residual) {
  if constexpr (OfDraws<L>) {
    const auto tell = [&]<class Term>(Term& term) {
      if constexpr (is_on_draws<Term>) term.residual = residual;
    };
    std::apply([&](auto&... term) { (tell(term), ...); }, loss.terms());
  }
  return loss;
}

}  // namespace detail
}  // namespace mno
