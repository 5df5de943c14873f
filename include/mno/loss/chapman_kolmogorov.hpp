#pragma once
// The Chapman–Kolmogorov defect as a term: the law at s + t against the one that goes through s.
//
//   x_i ~ law(u_0, s + t),   z_i ~ law(u_0, s),   y_i ~ law(z_i, t)        i = 1 … S
//
//   (2/S²) Σ_{i,j} ρ(x_i, y_j) − 1/(S(S−1)) Σ_{i≠j} [ρ(x_i, x_j) + ρ(y_i, y_j)]
//
// per condition, ρ(x, y) = √(‖x − y‖²/n + ε²): an unbiased estimate of the energy distance that
// metric/composition.hpp reports: 0 on average where both laws are the same, and positive where they differ.
// Distances are in units of the model's factor scale, which `fit` sets to the size of the noise: so a weight
// means the same for any noise.
//
// The second step starts from draws of the first, so this is not a function of a block of laws. It is a term
// of the model, which a loss evaluates once per batch, beside the blocks (loss/loss.hpp). Draws are made by
// reparametrisation (loss/law_draws.hpp), with Gaussian ξ and ζ, and the adjoint runs the steps backwards:
//
//   x̄ → law(u_0, s + t) → parameters
//   ȳ → law(z, t) → parameters, and z̄ → law(u_0, s) → parameters
//
// Known fields are taken to be the same in both steps, which does not hold for those of a history window.
#include <vector>

#include "mno/data/condition.hpp"
#include "mno/law/law.hpp"
#include "mno/loss/draw_pairs.hpp"
#include "mno/loss/factor_columns.hpp"
#include "mno/loss/law_draws.hpp"

namespace mno {

namespace detail {

/// The laws of some conditions, draws of them, and the way back. M is a Model.
template <class M> class DrawnLaws {
 public:
  using T = typename M::Scalar;
  static constexpr int D = M::dimension;

  template <class Device>
  DrawnLaws(const M& model, const Condition<T, D>& condition, Index draws, const LawNoise& noise,
            Arena& arena, Device& device)
      : condition_(condition),
        law_(predict(model, condition, device)),
        mean_bar_(law_.mean.batch(), law_.mean.grid(), law_.mean.channels()),
        factor_bar_(law_.mean.batch(), law_.mean.grid(), M::Expression::outputs - law_.mean.channels()) {
    const Index factors = law_.factor.channels(), channels = law_.mean.channels();
    LawBlock<T, D> block{0, law_.mean.view(), law_.factor.view(), mean_bar_.view(),
                         factor_bar_.view().slice(0, factors)};
    if (law_.nugget.size() > 0) {
      block.nugget = law_.nugget.view();
      block.nugget_bar = factor_bar_.view().slice(factors, channels);
    }
    drawn_ = law_draws(block, draws, arena);
    for (Index i = 0; i < drawn_.value.batch; ++i) {
      drawn_.fill_xi(noise, i);
      for (Index entry = 0; drawn_.zeta && entry < drawn_.entries(); ++entry)
        drawn_.fill_zeta(noise, i, entry);
      for (Index entry = 0; entry < drawn_.entries(); ++entry) drawn_.draw(i, entry);
    }
  }
  DrawnLaws(const DrawnLaws&) = delete;

  View<const T, D> draws() const { return drawn_.value; }
  View<T, D> bar() const { return drawn_.bar; }  // (condition·S + draw, grid…, C), to be added to

  /// Adds to the gradient of the parameters, and to `initial_bar`, ū_0, where it is given.
  template <class Device>
  void pull_back(const M& model, M& gradient, M& spare, Device& device, View<T, D> initial_bar = {}) {
    for (Index b = 0; b < law_.mean.batch(); ++b)
      for (Index entry = 0; entry < drawn_.entries(); ++entry) drawn_.pull_back(b, entry);
    vjp(model, condition_, mean_bar_, factor_bar_, spare, device, ConditionBar<T, D>{initial_bar});
    for (std::size_t i = 0; i < M::parameters; ++i) gradient.values()[i] += spare.values()[i];
  }

 private:
  Condition<T, D> condition_;
  Law<T, D> law_;
  Field<T, D> mean_bar_, factor_bar_;
  LawDraws<T, D> drawn_{};
};

/// The energy distance of S draws x and S draws y, n entries each, and what it adds to x̄ and ȳ, times `scale`
/// and for x̄ `share` besides.
template <class T>
double energy_between(const T* x, const T* y, T* x_bar, T* y_bar, Index draws, Index n, double epsilon,
                      double scale, double share) {
  const double s = double(draws);
  double total = 0;
  const auto pair = [&](const T* a, const T* b, T* a_bar, T* b_bar, double counts, double a_share,
                        double b_share) {
    double squares = 0;
    for (Index e = 0; e < n; ++e) squares += (double(a[e]) - double(b[e])) * (double(a[e]) - double(b[e]));
    const double rho = smooth_root(squares / double(n), epsilon);
    const double slope = scale * counts / (double(n) * rho);
    for (Index e = 0; e < n; ++e) {
      const double d = slope * (double(a[e]) - double(b[e]));
      a_bar[e] += T(a_share * d);
      b_bar[e] -= T(b_share * d);
    }
    total += counts * rho;
  };
  for (Index i = 0; i < draws; ++i) {
    for (Index j = 0; j < draws; ++j)
      pair(x + i * n, y + j * n, x_bar + i * n, y_bar + j * n, 2 / (s * s), share, 1);
    for (Index j = 0; j < i; ++j) {
      pair(x + i * n, x + j * n, x_bar + i * n, x_bar + j * n, -2 / (s * (s - 1)), share, share);
      pair(y + i * n, y + j * n, y_bar + i * n, y_bar + j * n, -2 / (s * (s - 1)), 1, 1);
    }
  }
  return scale * total;
}

}  // namespace detail

struct ChapmanKolmogorov {
  static constexpr const char* name = "chapman_kolmogorov";
  static constexpr bool of_model = true;  // a term of the model, not of a block
  double weight = 1;
  Index draws = 4;        // S of every condition
  Index conditions = 0;   // of a batch that it looks at, the first ones; 0: all
  double part = 0.5;      // s = part · (s + t)
  double least_time = 0;  // conditions with a smaller s or t are left out: nothing was trained for such times
  double at_once = 1;     // share of x̄ that reaches the law at s + t; 0: it is held fixed, and the composed
                          // law alone is moved towards it
  double epsilon = 1e-3;  // in units of the factor scale: the distance is smooth at 0
  std::uint64_t seed = 0;

  /// weight · its mean over the conditions that it looks at; adds to the gradient. `step` names the draws.
  template <class M, class T, int D, class Device>
  double operator()(const M& model, const Condition<T, D>& given, std::uint64_t step, M& gradient,
                    Device& device) const {
    static_assert(M::stochastic, "mno: chapman_kolmogorov needs a model that gives a law");
    require(draws >= 2, name, "draws", Text("at least two: one has no spread"), Text(draws));
    require(part > 0 && part < 1, name, "part", Text("a number between 0 and 1"), Text(part));
    require(epsilon > 0, name, "epsilon", Text("a positive number"), Text(epsilon));
    std::vector<Index> chosen;
    for (Index i = 0; i < given.initial.batch; ++i) {
      const double t = double(given.time(i)), shorter = std::min(part, 1 - part) * t;
      if ((conditions == 0 || Index(chosen.size()) < conditions) && t > 0 &&
          shorter >= least_time * (1 - 1e-6))
        chosen.push_back(i);
    }
    const auto n = Index(chosen.size());
    if (n == 0) return 0;
    const auto rows = [&](const View<const T, D>& from, Index times) {  // of the chosen, so often each
      Field<T, D> to(n * times, from.grid, from.channels);
      for (Index i = 0; i < n * times; ++i)
        for (Index p = 0; p < from.points(); ++p)
          for (Index c = 0; c < from.channels; ++c)
            to(i, p, c) = from(from.batch == 1 ? 0 : chosen[std::size_t(i / times)], p, c);
      return to;
    };
    const Field<T, D> initial = rows(given.initial, 1);
    const bool known = bool(given.known);
    const Field<T, D> known_once = known ? rows(given.known, 1) : Field<T, D>(),
                      known_each = known ? rows(given.known, draws) : Field<T, D>();
    std::vector<T> whole, first, second;
    for (const Index i : chosen) {
      whole.push_back(given.time(i));
      first.push_back(T(part * double(given.time(i))));
      second.insert(second.end(), std::size_t(draws), T((1 - part) * double(given.time(i))));
    }
    const auto condition = [&](const View<const T, D>& u, const std::vector<T>& times,
                               const Field<T, D>& fields) {
      Condition<T, D> c{u, times};
      if (known) c.known = fields.view();
      return c;
    };
    const auto noise = [&](std::uint64_t which) {
      return detail::LawNoise{seed + which * 0x9E3779B97F4A7C15u, step};
    };

    Arena& arena = detail::loss_scratch();
    const ArenaScope scope(arena);
    using Drawn = detail::DrawnLaws<M>;
    Drawn x(model, condition(initial.view(), whole, known_once), draws, noise(1), arena, device);
    Drawn z(model, condition(initial.view(), first, known_once), draws, noise(2), arena, device);
    Drawn y(model, condition(z.draws(), second, known_each), 1, noise(3), arena, device);

    const Index entries = initial.points() * initial.channels(), each = draws * entries;
    const double unit = double(model.factor_scale());
    double value = 0;
    for (Index b = 0; b < n; ++b)
      value += detail::energy_between(x.draws().data + b * each, y.draws().data + b * each,
                                      x.bar().data + b * each, y.bar().data + b * each, draws, entries,
                                      epsilon * unit, weight / (double(n) * unit), at_once);
    M spare = model.zeros();
    if (at_once != 0) x.pull_back(model, gradient, spare, device);
    y.pull_back(model, gradient, spare, device, z.bar());
    z.pull_back(model, gradient, spare, device);
    return value;
  }
};

}  // namespace mno
