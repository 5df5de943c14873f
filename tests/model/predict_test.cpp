// Prediction: threads, batches, misuse, known fields.
#include "mno/model/predict.hpp"

#include <doctest/doctest.h>

#include <cstring>
#include <limits>
#include <numbers>

#include "mno/model/gradient.hpp"
#include "model/shapes.hpp"

using namespace mno;
using namespace mno_test;

namespace {

struct Forced : OneChannel {
  static constexpr int known = 1, harmonics = 2;
};

template <class T, int D> Field<T, D> noise(Index batch, Grid<D> grid, Index channels, std::uint64_t seed) {
  Field<T, D> field(batch, grid, channels);
  Stream random(seed);
  for (T& value : field.span()) value = T(random.normal());
  return field;
}
template <class T> std::vector<T> some_times(Index batch) {
  std::vector<T> t;
  for (Index b = 0; b < batch; ++b) t.push_back(T(0.01) * T(b));
  return t;
}
template <class T> bool same_bits(std::span<const T> a, std::span<const T> b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size_bytes()) == 0;
}

template <class M> void same_for_all_thread_counts(Index batch, Grid<M::dimension> grid) {
  using T = typename M::Scalar;
  constexpr int D = M::dimension;
  using S = typename M::ShapeType;
  const M model(3);
  const auto u = noise<T, D>(batch, grid, S::channels, 1);
  const auto t = some_times<T>(batch);
  const auto mean_bar = noise<T, D>(batch, grid, S::channels, 2);
  const auto factor_bar = noise<T, D>(batch, grid, S::rank * S::channels, 3);
  Cpu one(1);
  const auto law = predict(model, {u.view(), t}, one);
  M gradient = model.zeros();
  vjp(model, {u.view(), t}, mean_bar, factor_bar, gradient, one);
  for (const int threads : {2, 4, 7}) {
    CAPTURE(threads);
    Cpu device(threads);
    const auto other = predict(model, {u.view(), t}, device);
    CHECK(same_bits<T>(law.mean.span(), other.mean.span()));
    CHECK(same_bits<T>(law.factor.span(), other.factor.span()));
    M other_gradient = model.zeros();
    vjp(model, {u.view(), t}, mean_bar, factor_bar, other_gradient, device);
    CHECK(same_bits<T>(std::as_const(gradient).values(), std::as_const(other_gradient).values()));
  }
}

}  // namespace

TEST_CASE("laws and gradients are bitwise equal for every thread count") {
  same_for_all_thread_counts<Mno<OneChannel, float>>(513, {{16}});
  same_for_all_thread_counts<Mno<OneChannel, double>>(37, {{65}});
  same_for_all_thread_counts<Mno<TwoChannelPlane, float>>(11, {{16, 18}});
}

TEST_CASE("a batch is its samples one by one") {
  const Mno<OneChannel, double> model(3);
  const auto u = noise<double, 1>(150, {{16}}, 1, 1);
  const auto t = some_times<double>(150);
  const auto law = predict(model, {u.view(), t});
  for (Index b : {0, 1, 63, 64, 149}) {
    const auto alone = predict(model, u.view().samples(b, 1), t[std::size_t(b)]);
    for (Index p = 0; p < 16; ++p) {
      CHECK(alone.mean(0, p, 0) == doctest::Approx(law.mean(b, p, 0)).epsilon(1e-13));
      for (Index k = 0; k < 4; ++k)
        CHECK(alone.factor(0, p, k) == doctest::Approx(law.factor(b, p, k)).epsilon(1e-12));
    }
  }
}

TEST_CASE("one time serves all samples") {
  const Mno<OneChannel> model(3);
  const auto u = noise<float, 1>(5, {{16}}, 1, 1);
  const std::vector<float> t(5, 0.3f);
  CHECK(same_bits<float>(predict(model, u, 0.3f).mean.span(), predict(model, {u.view(), t}).mean.span()));
}

TEST_CASE("bad conditions are refused with a sentence") {
  const Mno<OneChannel> model(3);
  const auto u = noise<float, 1>(2, {{8}}, 1, 1);
  const float good = 0.5f;
  const auto sentence = [&](const Condition<float, 1>& condition) {
    try {
      predict(model, condition);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("no error");
  };
  CHECK(sentence({{}, {&good, 1}}) ==
        "mno::predict: argument 'initial': expected at least one sample, got 0.");
  const auto two = noise<float, 1>(2, {{8}}, 2, 1);
  CHECK(sentence({two.view(), {&good, 1}}) ==
        "mno::predict: argument 'initial': expected 1 channel(s), got 2.");
  const auto small = noise<float, 1>(2, {{3}}, 1, 1);
  CHECK(sentence({small.view(), {&good, 1}}) ==
        "mno::predict: argument 'initial': expected at least 4 points on axis 0, got 3.");
  const auto longer = noise<float, 1>(2, {{8}, {{2.0}}}, 1, 1);
  CHECK(
      sentence({longer.view(), {&good, 1}}) ==
      "mno::predict: argument 'initial': expected a domain of length 1 on axis 0, as the model has, got 2.");
  auto broken = u;
  broken(1, 3, 0) = std::numeric_limits<float>::quiet_NaN();
  CHECK(sentence({std::as_const(broken).view(), {&good, 1}}) ==
        "mno::predict: argument 'initial': expected finite values, got a NaN or an infinity.");
  const float negative = -1, infinite = std::numeric_limits<float>::infinity();
  CHECK(sentence({u.view(), {&negative, 1}}) ==
        "mno::predict: argument 'times': expected finite times that are not negative, got -1.");
  CHECK(sentence({u.view(), {&infinite, 1}}) ==
        "mno::predict: argument 'times': expected finite times that are not negative, got inf.");
  const std::vector<float> three(3, 1.0f);
  CHECK(sentence({u.view(), three}) ==
        "mno::predict: argument 'times': expected one time, or one per sample (2), got 3.");
  CHECK(sentence({u.view(), {&good, 1}, u.view()}) ==
        "mno::predict: argument 'known': expected 0 known field(s), got 1.");
  CHECK(sentence({u.view(), {&good, 1}}) == "no error");

  Law<float, 1> wrong(Field<float, 1>(2, {{9}}, 1), Field<float, 1>(2, {{9}}, 4));
  CHECK_THROWS_WITH_AS(
      predict_into(model, {u.view(), {&good, 1}}, wrong),
      "mno::predict: argument 'law.mean': expected 2 sample(s) of 1 channel(s) on 8, got 2 of 1 on 9.",
      Error);
  const Field<float, 1> mean_bar(2, {{8}}, 1), factor_bar(2, {{8}}, 3);
  Mno<OneChannel> gradient;
  CHECK_THROWS_WITH_AS(
      vjp(model, {u.view(), {&good, 1}}, mean_bar, factor_bar, gradient),
      "mno::vjp: argument 'factor_bar': expected 2 sample(s) of 4 channel(s) on 8, got 2 of 3 on 8.", Error);
  CHECK_THROWS_AS((Field<float, 1>(0, {{8}}, 1)), Error);
  CHECK_THROWS_WITH_AS(Mno<OneChannel>(1, Domain<1>{{-1.0}}),
                       "mno::Model: argument 'domain': expected a positive length on axis 0, got -1.", Error);
}

TEST_CASE("leaves are found by name, and a wrong name lists the right ones") {
  Mno<OneChannel> model(3);
  CHECK(model.leaf("gate.alpha").size() == 1);
  CHECK(model.leaf("gate.alpha")[0] == 1.0f);
  CHECK(model.leaf("lift.weight").size() == 48);
  std::string message;
  try {
    model.leaf("gate.beta");
  } catch (const Error& error) {
    message = error.what();
  }
  CHECK(message.find("gate.alpha") != std::string::npos);
  CHECK(message.find("'gate.beta'") != std::string::npos);
}

TEST_CASE("layers see u_0 and known fields in the units of the model") {
  const Grid<1> grid{{16}};
  const auto u = noise<double, 1>(2, grid, 1, 1), fields = noise<double, 1>(2, grid, 1, 2);
  Mno<Forced, double> model(3);
  const std::vector<double> t(2, 0.4);
  Condition<double, 1> condition{u.view(), t};
  condition.known = fields.view();
  const auto plain = predict(model, condition);
  Mno<Forced, double>::InputUnits units;
  units.shift = {-0.3};
  units.scale = {2.5};
  units.known_shift = {0.7};
  units.known_scale = {0.2};
  model.set_input_units(units);
  auto scaled_u = u, scaled_fields = fields;  // those of the condition, in these units
  for (double& x : scaled_u.span()) x = 2.5 * x - 0.3;
  for (double& x : scaled_fields.span()) x = 0.2 * x + 0.7;
  condition.initial = std::as_const(scaled_u).view();
  condition.known = std::as_const(scaled_fields).view();
  const auto law = predict(model, condition);
  for (Index b = 0; b < 2; ++b)
    for (Index x = 0; x < 16; ++x) {
      CHECK(std::abs(law.factor(b, x, 0) - plain.factor(b, x, 0)) < 1e-12);
      CHECK(std::abs((law.mean(b, x, 0) - scaled_u(b, x, 0)) - (plain.mean(b, x, 0) - u(b, x, 0))) < 1e-12);
    }
}

TEST_CASE("known fields: given, stored and resampled, or missing") {
  Mno<Forced, double> model(3, Domain<1>{{2.0}});
  const Domain<1> domain{{2.0}};
  const auto forcing = [](auto x, Index) {
    return std::sin(std::numbers::pi * x[0]) + 0.3 * std::cos(2 * std::numbers::pi * x[0]);
  };
  Field<double, 1> u(3, {{16}, domain}, 1), f(1, {{16}, domain}, 1), coarse(1, {{10}, domain}, 1);
  u.fill([](Index b, auto x, Index) { return std::cos(std::numbers::pi * x[0] + double(b)); });
  f.fill(forcing);
  coarse.fill(forcing);
  const double t = 0.4;
  CHECK_THROWS_WITH_AS(
      predict(model, u, t),
      "mno::predict: argument 'known': expected 1 known field(s), given here or stored with the "
      "model, got none.",
      Error);
  const auto given = predict(model, {u.view(), {&t, 1}, f.view()});
  model.store_known_fields(coarse);  // another grid: it is the same function
  const auto stored = predict(model, u, t);
  for (std::size_t i = 0; i < given.factor.size(); ++i)
    CHECK(stored.factor.data()[i] == doctest::Approx(given.factor.data()[i]).epsilon(1e-12));

  Field<double, 1> per_sample(3, {{16}, domain}, 1);
  per_sample.fill([&](Index b, auto x, Index c) { return double(b) * forcing(x, c); });
  const auto own = predict(model, {u.view(), {&t, 1}, per_sample.view()});
  double same = 0, different = 0;
  for (Index p = 0; p < 16; ++p) {
    same = std::max(same, std::abs(own.mean(1, p, 0) - given.mean(1, p, 0)));
    different = std::max(different, std::abs(own.mean(2, p, 0) - given.mean(2, p, 0)));
  }
  CHECK(same < 1e-13);
  CHECK(different > 1e-6);

  Mno<OneChannel, double> unforced(1);
  CHECK_THROWS_AS(unforced.store_known_fields(f), Error);
  CHECK_THROWS_AS(model.store_known_fields(per_sample), Error);
}
