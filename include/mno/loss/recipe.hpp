#pragma once
// Losses chosen at run time: every term with its weight, the named recipes, and how training begins.
#include <algorithm>
#include <string>
#include <string_view>

#include "mno/loss/beta_nll.hpp"
#include "mno/loss/centring.hpp"
#include "mno/loss/chapman_kolmogorov.hpp"
#include "mno/loss/crps.hpp"
#include "mno/loss/decoupled_nll.hpp"
#include "mno/loss/exact_nll.hpp"
#include "mno/loss/factor_regularisation.hpp"
#include "mno/loss/gaussian_nll.hpp"
#include "mno/loss/hilbert_schmidt.hpp"
#include "mno/loss/hutchinson.hpp"
#include "mno/loss/loss.hpp"
#include "mno/loss/mean_error.hpp"
#include "mno/loss/mean_squared_error.hpp"
#include "mno/loss/student_nll.hpp"
#include "mno/loss/variance_consistency.hpp"

namespace mno {

/// The factor of the likelihood: 0 during warm-up, then in equal steps up to 1, which it has from epoch
/// warmup_epochs + ramp_epochs on. Epochs are counted from 0.
inline double nll_scale(Index epoch, Index warmup_epochs, Index ramp_epochs) {
  if (epoch < warmup_epochs) return 0;
  return std::min(1.0, double(epoch - warmup_epochs + 1) / double(ramp_epochs + 1));
}

/// All terms, each with weight 0 until a recipe or a program sets it; a term of weight 0 costs nothing.
struct Recipe {
  GaussianNll gaussian_nll{.weight = 0};
  DecoupledNll decoupled_nll{.weight = 0};
  BetaNll beta_nll{.weight = 0};
  StudentNll student_nll{.weight = 0};
  Crps crps{.weight = 0};
  ExactNll exact_nll{.weight = 0};
  VarianceConsistency variance_consistency{.weight = 0};
  HilbertSchmidt hilbert_schmidt{.weight = 0};
  Hutchinson hutchinson{.weight = 0};
  Centring centring{.weight = 0};
  MeanError mean_error{.weight = 0};
  MeanSquaredError mean_squared_error{.weight = 0};
  FactorRegularisation factor_regularisation{.weight = 0};
  ChapmanKolmogorov chapman_kolmogorov{.weight = 0};

  Index warmup_epochs = 0;  // the mean alone is trained
  Index ramp_epochs = 0;    // then the likelihood comes in

 private:
  template <class Self> static auto tie(Self& r) {
    return std::tie(r.gaussian_nll, r.decoupled_nll, r.beta_nll, r.student_nll, r.crps, r.exact_nll,
                    r.variance_consistency, r.hilbert_schmidt, r.hutchinson, r.centring, r.mean_error,
                    r.mean_squared_error, r.factor_regularisation, r.chapman_kolmogorov);
  }

 public:
  static constexpr std::size_t size = 14;
  static constexpr std::array<const char*, size> names() {
    return {GaussianNll::name,
            DecoupledNll::name,
            BetaNll::name,
            StudentNll::name,
            Crps::name,
            ExactNll::name,
            VarianceConsistency::name,
            HilbertSchmidt::name,
            Hutchinson::name,
            Centring::name,
            MeanError::name,
            MeanSquaredError::name,
            FactorRegularisation::name,
            ChapmanKolmogorov::name};
  }
  /// References to all terms, in the order of their names.
  template <class R = Recipe> auto terms() const { return tie<const R>(*this); }
  template <class R = Recipe> auto terms() { return tie<R>(*this); }

  /// All terms that count, with all of their numbers, and how training begins.
  template <class R = Recipe> std::string text() const {
    std::string out =
        "warmup_epochs=" + std::to_string(warmup_epochs) + " ramp_epochs=" + std::to_string(ramp_epochs);
    const auto add = [&](const auto& term) {
      if (term.weight != 0) out += " + " + term_text(term);
    };
    std::apply([&](const auto&... term) { (add(term), ...); }, terms<R>());
    return out;
  }

  /// The weight of a term by its name, to be read or set.
  template <class R = Recipe> double& weight(std::string_view name) {
    double* found = nullptr;
    std::string all;
    const auto look = [&](auto& term) {
      if (name == term.name) found = &term.weight;
      all += (all.empty() ? "" : ", ") + std::string(term.name);
    };
    std::apply([&](auto&... term) { (look(term), ...); }, terms<R>());
    require(found != nullptr, "Recipe::weight", "name", Text("one of ", all), Text("'", name, "'"));
    return *found;
  }

  /// L = L_NLL + .1 L_consistency + .1 L_martingale + .01 L_reg. The paper ramps the likelihood without
  /// saying over how many epochs: as many as the warm-up has.
  static Recipe paper() {
    Recipe recipe;
    recipe.gaussian_nll.weight = 1;
    recipe.variance_consistency.weight = 0.1;
    recipe.centring.weight = 0.1;
    recipe.factor_regularisation.weight = 0.01;
    recipe.warmup_epochs = 10;
    recipe.ramp_epochs = 10;
    return recipe;
  }

  /// Mean and variance each have terms of their own, so training needs no warm-up. Meant for a model whose
  /// factor scale is 4√(mean training variance), which is set in the model, not in the loss.
  static Recipe decoupled() {
    Recipe recipe;
    recipe.mean_error.weight = 10;
    recipe.decoupled_nll.weight = 1;
    recipe.variance_consistency.weight = 0.1;
    recipe.mean_squared_error.weight = 0.1;
    recipe.factor_regularisation.weight = 0.01;
    return recipe;
  }

  static Recipe named(std::string_view name) {
    if (name == "paper") return paper();
    require(name == "decoupled", "Recipe::named", "name", Text("paper or decoupled"), Text("'", name, "'"));
    return decoupled();
  }

  /// What is minimised in an epoch: during warm-up the mean's squared error alone, then this recipe with its
  /// likelihoods scaled by nll_scale.
  Recipe at(Index epoch) const {
    const double likelihood = nll_scale(epoch, warmup_epochs, ramp_epochs);
    Recipe now;
    if (likelihood == 0) {
      now.mean_squared_error.weight = 1;
      return now;
    }
    now = *this;
    now.gaussian_nll.weight *= likelihood;
    now.decoupled_nll.weight *= likelihood;
    now.beta_nll.weight *= likelihood;
    now.student_nll.weight *= likelihood;
    now.exact_nll.weight *= likelihood;
    return now;
  }

  template <class T, int D> LossOn<Recipe, T, D> on(const Target<T, D>& target) const {
    return {*this, target};
  }
  template <class T, int D> LossOn<Recipe, T, D> on(const Target<T, D>& target, TermValues& values) const {
    return {*this, target, &values};
  }
};

}  // namespace mno
