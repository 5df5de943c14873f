// Diffusion: DDIM against the closed form of a normal law, what a denoiser is trained on, exactness at t = 0.
#include <set>

#include "mno/baseline/fit_diffusion.hpp"
#include "mno/expression/text.hpp"
#include "mno/train/trainer.hpp"
#include "rival.hpp"

using namespace mno;
using namespace mno::test;

namespace {
struct Line {
  static constexpr int dimension = 1, channels = 1, rank = 2, width = 6, modes = 4, depth = 1, projection = 8;
};
/// What the tables use.
struct Standard {
  static constexpr int dimension = 1, channels = 1, rank = 16, width = 48, modes = 16, depth = 4;
};

// [normal]
/// E[ε | x] where r ~ N(m, s²): ε* = √(1−ᾱ) (x − √ᾱ m) / (ᾱ s² + 1 − ᾱ), with √ᾱ = cos πτ/2
struct Normal {
  double m, s;
  double epsilon(double x, double tau) const {
    const double a = std::cos(std::numbers::pi * tau / 2), b = std::sin(std::numbers::pi * tau / 2);
    return b * (x - a * m) / (a * a * s * s + b * b);
  }
  double residual(double x, double tau) const {  // E[r | x]
    const double a = std::cos(std::numbers::pi * tau / 2), b = std::sin(std::numbers::pi * tau / 2);
    return m + a * s * s * (x - a * m) / (a * a * s * s + b * b);
  }
  double velocity(double x, double tau) const {
    return std::cos(std::numbers::pi * tau / 2) * epsilon(x, tau) -
           std::sin(std::numbers::pi * tau / 2) * residual(x, tau);
  }
};
// [normal] end

/// DDIM as it is published: x ← √ᾱ' (x − √(1−ᾱ) ε*)/√ᾱ + √(1−ᾱ') ε*; at τ = 1, where ᾱ = 0, E[r] is m.
double published(const Normal& law, double x, Index evaluations) {
  for (Index left = evaluations; left > 0; --left) {
    const double tau = double(left) / double(evaluations), next = double(left - 1) / double(evaluations);
    const double epsilon = law.epsilon(x, tau);
    const double a = std::cos(std::numbers::pi * tau / 2), b = std::sin(std::numbers::pi * tau / 2);
    const double clean = left == evaluations ? law.m : (x - b * epsilon) / a;
    x = std::cos(std::numbers::pi * next / 2) * clean + std::sin(std::numbers::pi * next / 2) * epsilon;
  }
  return x;
}

/// DDIM from x = ε, as a loop; v(x, τ) is the field that a network or a formula says.
template <class T, int D, class Velocity>
Field<T, D> ddim(Field<T, D> x, Index evaluations, const Velocity& velocity) {
  const double delta = std::numbers::pi / (2 * double(evaluations));
  for (Index left = evaluations; left > 0; --left) {
    const Field<T, D> v = velocity(std::as_const(x), T(double(left) / double(evaluations)));
    for (std::size_t i = 0; i < x.size(); ++i)
      x.data()[i] = T(std::cos(delta) * x.data()[i] - std::sin(delta) * v.data()[i]);
  }
  return x;
}

Ensemble<double, 1> some_data() {
  const std::vector<Index> counts{3, 5};
  auto data = make_ensemble<double, 1>(std::span<const Index>(counts), Grid<1>{{16}}, 1, {.members = true});
  Stream random(1);
  for (Index b = 0; b < 2; ++b) {
    Field<double, 1> u(1, data.grid(), 1), members(counts[std::size_t(b)], data.grid(), 1);
    for (double& value : u.span()) value = random.normal();
    for (double& value : members.span()) value = random.normal();
    set_condition<double, 1>(data, b, u.view(), 0.25 * double(b + 1), b, members.view());
  }
  return data;
}
}  // namespace

TEST_CASE("DDIM on a normal law is the affine recursion of its formula, for every number of evaluations") {
  const Normal law{.m = 0.3, .s = 0.6};
  double last = 1;
  for (const Index evaluations : {25, 50, 100}) {
    Field<double, 1> noise(2, Grid<1>{{4}}, 1);
    for (Index p = 0; p < 4; ++p) noise(1, p, 0) = 1;  // from x = 0 and from x = 1
    const auto x = ddim(noise, evaluations, [&](const Field<double, 1>& at, double tau) {
      Field<double, 1> v(2, at.grid(), 1);
      for (std::size_t i = 0; i < v.size(); ++i) v.data()[i] = law.velocity(at.data()[i], tau);
      return v;
    });
    CHECK(x(0, 2, 0) == doctest::Approx(published(law, 0, evaluations)).epsilon(1e-10));
    CHECK(x(1, 2, 0) == doctest::Approx(published(law, 1, evaluations)).epsilon(1e-10));
    const double deviation = x(1, 2, 0) - x(0, 2, 0);  // of what is drawn from N(0, 1)
    MESSAGE(evaluations, " evaluations: a deviation of ", deviation, " for ", law.s);
    CHECK(std::abs(deviation - law.s) < 0.6 * last);  // more evaluations, less error: about half
    last = std::abs(deviation - law.s);
    CHECK(std::abs(x(0, 2, 0) - law.m) < 0.02);
  }
  CHECK(last < 0.01);
}

TEST_CASE("a denoiser is trained on cos φ r + sin φ ε of one member, with others in every epoch") {
  const auto data = some_data();
  Field<double, 1> mean(2, data.grid(), 1);
  mean.fill([](auto x, Index) { return 0.1 * x[0]; });
  const double scale = residual_scale(data, mean);
  double squares = 0;
  for (Index m = 0; m < 8; ++m)
    for (Index p = 0; p < 16; ++p)
      squares += std::pow(data.members(m, p, 0) - mean(0, p, 0), 2) / (m < 3 ? 0.25 : 0.5) / (8 * 16);
  CHECK(scale == doctest::Approx(std::sqrt(squares)).epsilon(1e-12));

  DiffusionData<double, 1> source(data, mean, scale, 5);
  std::vector<double> taus, noise;
  std::set<Index> seen;  // members of the second condition
  for (Index epoch = 0; epoch < 6; ++epoch) {
    source.draw<Line>(epoch);
    const auto& e = source.ensemble;
    for (Index b = 0; b < 2; ++b) {
      const double tau = e.times[std::size_t(b)], a = std::cos(std::numbers::pi * tau / 2),
                   c = std::sin(std::numbers::pi * tau / 2);
      taus.push_back(tau);
      noise.push_back(c * e.known(b, 3, 0) + a * e.mean(b, 3, 0));  // ε
      Index found = 0;
      for (Index m = 0; m < data.counts[std::size_t(b)]; ++m) {
        double distance = 0;
        for (Index p = 0; p < 16; ++p)
          distance += std::abs(mean(b, p, 0) +
                               scale * std::sqrt(data.times[std::size_t(b)]) *
                                   (a * e.known(b, p, 0) - c * e.mean(b, p, 0)) -
                               data.members_of(b)(m, p, 0));
        if (distance < 1e-10) {
          ++found;
          if (b == 1) seen.insert(m);
        }
      }
      CHECK(found == 1);
      CHECK(e.known(b, 0, 1) == data.times[std::size_t(b)]);
    }
  }
  CHECK(seen.size() > 1);
  for (auto* numbers : {&taus, &noise}) {
    std::sort(numbers->begin(), numbers->end());
    CHECK(std::adjacent_find(numbers->begin(), numbers->end()) == numbers->end());
  }
  source.draw<Line>(2);
  const auto again = source.ensemble.mean;
  source.draw<Line>(3);
  source.draw<Line>(2);
  CHECK(std::equal(again.span().begin(), again.span().end(), source.ensemble.mean.span().begin()));
}

TEST_CASE("draws are those of DDIM with the denoiser, around the mean: the loop written out") {
  const MeanFno<Line, double> mean_model(3);
  const Denoiser<Line, double> denoiser(4);
  constexpr Index evaluations = 5, draws = 3;
  Diffusion<Line, int(evaluations), double> model(0);
  double* to = std::ranges::copy(mean_model.values(), model.values().data()).out;
  to = std::ranges::copy(denoiser.values(), to).out;
  *to = 0.5;
  CHECK(to + 1 == model.values().data() + model.values().size());
  CHECK(model.leaf("residual.scale")[0] == 0.5);

  const auto u = smooth_fields<double, 1>(2, Grid<1>{{16}});
  const double t = 0.25;
  const auto mean = predict(mean_model, Condition<double, 1>{u.view(), {&t, 1}});
  const auto noise = baseline::diffusion_noise<Line, double, 1>(u.view(), draws, 3);
  Field<double, 1> initial(2 * draws, u.grid(), 1), known(2 * draws, u.grid(), 2);
  for (Index i = 0; i < 2 * draws; ++i)
    for (Index p = 0; p < 16; ++p) initial(i, p, 0) = u(i / draws, p, 0);
  const auto x = ddim(noise, evaluations, [&](const Field<double, 1>& at, double tau) {
    for (Index i = 0; i < 2 * draws; ++i)
      for (Index p = 0; p < 16; ++p) {
        known(i, p, 0) = at(i, p, 0);
        known(i, p, 1) = t;
      }
    return predict(denoiser, Condition<double, 1>{initial.view(), {&tau, 1}, known.view()});
  });
  const auto drawn = draws_of(model, u, t, draws, 3);
  for (Index i = 0; i < 2 * draws; ++i)
    for (Index p = 0; p < 16; ++p)
      CHECK(drawn(i, p, 0) == doctest::Approx(mean(i / draws, p, 0) + 0.5 * 0.5 * x(i, p, 0)).epsilon(1e-11));
}

TEST_CASE("every draw begins at u_0; a file of weights serves any number of evaluations") {
  check_draws<Diffusion<Line, 3>>(Grid<1>{{16}});
  CHECK(expression_text<Diffusion<Line, 3>::Expression>() ==
        expression_text<Diffusion<Line, 50>::Expression>());
  static_assert(Diffusion<Line, 3>::parameters == Diffusion<Line, 50>::parameters);
}

TEST_CASE("symmetries move u_0 and the residual together") {
  const auto data = some_data();
  const Field<double, 1> mean(2, data.grid(), 1);  // zero
  DiffusionData<double, 1> source(data, mean, 1.0, 5, {.turned = true, .shifted = true});
  bool moved = false;
  for (Index epoch = 0; epoch < 4; ++epoch) {
    source.draw<Line>(epoch);
    const auto& e = source.ensemble;
    for (Index b = 0; b < 2; ++b) {
      const double tau = e.times[std::size_t(b)], a = std::cos(std::numbers::pi * tau / 2),
                   c = std::sin(std::numbers::pi * tau / 2);
      int found = 0;  // a member, a sign and a shift that explain what is seen
      for (const double sign : {1.0, -1.0})
        for (Index shift = 0; shift < 16; ++shift)
          for (Index m = 0; m < data.counts[std::size_t(b)]; ++m) {
            double distance = 0;
            for (Index p = 0; p < 16; ++p) {
              const Index to = ((sign < 0 ? 16 - p : p) + shift) % 16;
              const double residual = a * e.known(b, to, 0) - c * e.mean(b, to, 0);
              distance += std::abs(sign * data.initial(b, p, 0) - e.initial(b, to, 0)) +
                          std::abs(sign * data.members_of(b)(m, p, 0) -
                                   residual * std::sqrt(data.times[std::size_t(b)]));
            }
            if (distance < 1e-10) {
              ++found;
              moved = moved || shift > 0 || sign < 0;
            }
          }
      CHECK(found == 1);
    }
  }
  CHECK(moved);
}

TEST_CASE("fit trains the mean, then the denoiser of what it leaves, and scores draws") {
  constexpr Index conditions = 12, members = 6;
  const Grid<1> grid{{16}};
  const std::vector<Index> counts(conditions, members);
  auto data = make_ensemble<float, 1>(std::span<const Index>(counts), grid, 1, {.members = true});
  Stream random(1);
  const auto u = smooth_fields<float, 1>(conditions, grid);
  for (Index b = 0; b < conditions; ++b) {  // u_t = u_0/2 and noise of deviation 0.1
    Field<float, 1> drawn(members, grid, 1);
    for (Index m = 0; m < members; ++m)
      for (Index p = 0; p < 16; ++p) drawn(m, p, 0) = 0.5f * u(b, p, 0) + 0.1f * float(random.normal());
    set_condition<float, 1>(data, b, u.view().samples(b, 1), 0.5f, b, std::as_const(drawn).view());
  }
  using Model = Diffusion<Line, 4>;
  FitOptions options;
  options.training.epochs = 60;
  options.training.batch = 4;
  const auto run = [&] { return fit_diffusion<Model>(fit_data(data, data, {}), options); };
  const auto [surrogate, report] = run();
  REQUIRE(report.scores);
  CHECK(report.epochs_done == 60);
  CHECK(report.scores->mean_rmse < 0.5);  // u_0 itself is about 1 away, in normalised coordinates
  CHECK(surrogate.model().leaf("residual.scale")[0] > 0);
  const auto again = run();
  CHECK(std::ranges::equal(again.surrogate.model().values(), surrogate.model().values()));

  int asked = 0;  // stopped in the denoiser, which comes second
  options.interrupted = [&] { return ++asked > 60 * 3 * 2 + 5; };
  CHECK(run().report.interrupted);
}

TEST_CASE("gradients") {
  check_vjp<MeanFno<Line, double>::Expression>(lines[6]);
  check_vjp<Denoiser<Line, double>::Expression>(lines[4]);
  check_vjp<Diffusion<Line, 2, double>::Expression>(lines[6]);
}

TEST_CASE("its size at the shape of the tables") {
  CHECK(Denoiser<Standard>::parameters == 48 * 5 + 4 * 76080 + 6401);
  CHECK(MeanFno<Standard>::parameters == 48 * 3 + 4 * 76080 + 6401 + 2);
  CHECK(Diffusion<Standard, 50>::parameters ==
        Denoiser<Standard>::parameters + MeanFno<Standard>::parameters + 1);
}
