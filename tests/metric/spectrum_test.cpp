// Spectra of single waves by hand, Parseval's identity, and the same spectrum on every grid.
#include "mno/metric/spectrum.hpp"

#include <doctest/doctest.h>

#include <numbers>

#include "metric/support.hpp"

using namespace mno;
using namespace mno::testing;

namespace {

constexpr double two_pi = 2 * std::numbers::pi;

template <int D> std::vector<double> spectrum(const Field<double, D>& field) {
  metric::EnergySpectrum<D> metric(field.grid(), field.channels());
  for (Index s = 0; s < field.batch(); ++s) metric.add(flat(field, s));
  return metric.value();
}
double total(const std::vector<double>& energy) {
  double sum = 0;
  for (const double e : energy) sum += e;
  return sum;
}
/// energy[s] is expected[s], and nothing else is there.
void check_only(const std::vector<double>& energy, std::vector<double> expected) {
  REQUIRE(energy.size() >= expected.size());
  expected.resize(energy.size(), 0.0);
  for (std::size_t s = 0; s < energy.size(); ++s) CHECK(std::abs(energy[s] - expected[s]) < 1e-13);
}

}  // namespace

TEST_CASE("waves in 1D: a constant c has energy c^2, a cosine of amplitude a has a^2/2") {
  for (const Index n : {16, 15, 64}) {
    Field<double, 1> u(1, {{n}, {{5.0}}}, 1);
    u.fill([](const auto& x, Index) {
      return 3 + 2 * std::cos(two_pi * x[0] / 5) + std::sin(two_pi * 4 * x[0] / 5);
    });
    check_only(spectrum(u), {9, 2, 0, 0, 0.5});
  }
}

TEST_CASE("the highest wave of an even grid counts as its cosine") {
  Field<double, 1> u(1, {{8}, {}}, 1);
  u.fill([](const auto& x, Index) { return std::cos(two_pi * 4 * x[0]); });
  check_only(spectrum(u), {0, 0, 0, 0, 0.5});
}

TEST_CASE("shells in 2D, and channels are summed") {
  Field<double, 2> u(1, {{12, 15}, {}}, 2);
  u.fill([](const auto& x, Index c) {
    return c == 0 ? 2 * std::cos(two_pi * (3 * x[0] + 4 * x[1])) : std::sin(two_pi * (x[0] - x[1]));
  });
  check_only(spectrum(u), {0, 0.5, 0, 0, 0, 2});  // |(3,4)| = 5, |(1,−1)| = 1.41
}

TEST_CASE("a box that is no cube has physical wavenumbers, in units of its longest side") {
  Field<double, 2> u(1, {{12, 12}, {{1.0, 3.0}}}, 1);
  u.fill([](const auto& x, Index) { return std::cos(two_pi * x[0]) + 2 * std::cos(two_pi * 2 * x[1] / 3); });
  check_only(spectrum(u), {0, 0, 2, 0.5});
}

TEST_CASE("Parseval: all shells together are the mean square, in 1D and 2D") {
  Field<double, 1> u(3, {{31}, {{2.0}}}, 2);
  Field<double, 2> w(2, {{9, 13}, {}}, 3);
  fill_normal(u, 1);
  fill_normal(w, 2);
  const auto mean_square = [](const auto& f) {
    double sum = 0;
    for (const double x : f.span()) sum += x * x;
    return sum / double(f.batch() * f.points());  // summed over channels
  };
  CHECK(total(spectrum(u)) == doctest::Approx(mean_square(u)).epsilon(1e-13));
  CHECK(total(spectrum(w)) == doctest::Approx(mean_square(w)).epsilon(1e-13));
}

TEST_CASE("moments: the mean's and the variance's spectra, each its own") {
  metric::MomentSpectra<1> spectra({{9}, {}}, 1);
  for (const double v : {1.0, 3.0})
    spectra.add({Eigen::VectorXd::Constant(9, 2), Eigen::VectorXd::Constant(9, v)});
  check_only(spectra.mean(), {4});
  check_only(spectra.variance(), {5});
}

TEST_CASE("misuse gives a sentence") {
  metric::EnergySpectrum<1> metric({{8}, {}}, 2);
  CHECK(sentence([&] { metric.add(Eigen::VectorXd::Zero(8)); }) ==
        "mno::metric::EnergySpectrum: argument 'field': expected 16 entries as the model has, got 8.");
  CHECK(sentence([] {
          metric::EnergySpectrum<2>({{8, 0}, {}}, 2);
        }) ==
        "mno::metric::EnergySpectrum: argument 'grid': expected at least one point on every axis, got 8x0.");
  CHECK(sentence([] {
          metric::EnergySpectrum<1>({{8}, {}}, 0);
        }) == "mno::metric::EnergySpectrum: argument 'channels': expected at least one, got 0.");
  CHECK(sentence([&] { metric.value(); }) ==
        "mno::metric::EnergySpectrum: argument 'add': expected at least one condition before the value is "
        "asked for, got none.");
}

TEST_CASE("a field with walls has the spectrum of its box: no jump between walls that do not meet") {
  Field<double, 1> ramp(1, {{64}, {{1.0}, {true}}}, 1), wrapped(1, {{64}}, 1);
  for (auto* field : {&ramp, &wrapped}) field->fill([](const auto& x, Index) { return x[0]; });
  const auto energy = spectrum(ramp), with_jump = spectrum(wrapped);
  const auto short_waves = [](const std::vector<double>& e) {
    double sum = 0;
    for (std::size_t s = 10; s < e.size(); ++s) sum += e[s];
    return sum;
  };
  CHECK(short_waves(energy) < 0.05 * short_waves(with_jump));
  const auto box = in_box(ramp);
  CHECK(total(energy) == doctest::Approx(flat(box, 0).squaredNorm() / 80));
  Field<double, 1> constant(1, {{8}, {{2.0}, {true}}}, 1);
  constant.fill([](const auto&, Index) { return 3.0; });
  check_only(spectrum(constant), {9});
}
