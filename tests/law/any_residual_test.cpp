#include "mno/law/any_residual.hpp"

#include "mno/law/any_warp.hpp"
#include "mno/law/conditioning.hpp"
#include "mno/law/density.hpp"
#include "mno/law/marginal_crps.hpp"
#include "mno/law/sample.hpp"
#include "residual/checks.hpp"

using namespace mno;
using namespace mno::testing;

TEST_CASE("AnyResidual: text and back") {
  for (const char* text : {"gaussian", "laplace", "student_t 5", "student_t 2.0000000001",
                           "compound_poisson 0.3", "scale_mixture 0.5 0.5 0.5 1.5", "two_modes 0.25 0.75"})
    CHECK(AnyResidual::parse(text).text() == text);
  CHECK(AnyResidual().text() == "gaussian");
  CHECK(std::get<StudentT>(AnyResidual::parse("student_t 1e9").held()).nu() == 1e9);
}

TEST_CASE("AnyResidual: a wrong text is a sentence") {
  const std::string expected =
      "mno::AnyResidual: argument 'text': expected 'gaussian', 'laplace', 'student_t NU', 'compound_poisson "
      "RATE', 'scale_mixture W1 S1 W2 S2 …' or 'two_modes P DELTA', got '";
  for (const char* text : {"", "normal", "gaussian 1", "student_t", "student_t 5 6", " gaussian",
                           "two_modes 0.5", "scale_mixture 1"})
    CHECK(sentence([&] { AnyResidual::parse(text); }).substr(0, 38) == expected.substr(0, 38));
  CHECK(sentence([] { AnyResidual::parse("normal"); }) == expected + "normal'.");
  CHECK(sentence([] { AnyResidual::parse("student_t five"); }) ==
        "mno::AnyResidual: argument 'text': expected a name and finite numbers, with single spaces between "
        "them, got 'student_t five'.");
  CHECK(sentence([] { AnyResidual::parse("student_t nan"); }) != "no error");
  CHECK(sentence([] { AnyResidual::parse("student_t 2"); }) ==
        "mno::StudentT: argument 'nu': expected finite degrees of freedom above 2, where the variance is "
        "finite, got 2.");
}

TEST_CASE("AnyResidual: answers as the law that it holds, to the last bit") {
  const auto plain = with_nugget(random_law<double, 1>(2, {{4}, {}}, 1, 2, 1), 2, 0.3);
  const auto check = [&](const auto& residual) {
    const auto exact = with_residual(plain, residual);
    const auto any = with_residual(plain, AnyResidual(residual));
    CHECK(std::ranges::equal(sample(any, 3, 1).span(), sample(exact, 3, 1).span()));
    CHECK(std::ranges::equal(quantile(any, 0.1).span(), quantile(exact, 0.1).span()));
    CHECK(std::ranges::equal(exceedance(any, 0.1).span(), exceedance(exact, 0.1).span()));
    CHECK(std::ranges::equal(crps(any, plain.nugget).span(), crps(exact, plain.nugget).span()));
    if constexpr (!std::is_same_v<std::remove_cvref_t<decltype(residual)>, CompoundPoisson>)
      CHECK(log_density(any, plain.nugget) == log_density(exact, plain.nugget));
  };
  check(Gaussian{});
  check(StudentT(4));
  check(Laplace{});
  check(CompoundPoisson(0.7));
  check(ScaleMixture({0.3, 0.7}, {4, 0.5}));
  check(TwoModes(0.3, 0.9));
}

TEST_CASE("AnyResidual: what the law that it holds cannot answer is refused in a sentence") {
  const auto plain = with_nugget(random_law<double, 1>(1, {{4}, {}}, 1, 2, 1), 2);
  const auto jumps = with_residual(plain, AnyResidual(CompoundPoisson(0.5)));
  CHECK(
      sentence([&] { log_density(jumps, plain.mean); }) ==
      "mno::log_density: argument 'law': expected residuals with a density, got compound_poisson 0.5, which "
      "has an atom.");
  CHECK(sentence([&] { condition(jumps, 0, {}, 0.1); }) ==
        "mno::condition: argument 'law': expected Gaussian residuals: with_residual(law, Gaussian{}) has the "
        "same mean and covariance, got others.");
  const auto heavy = with_warp(with_residual(plain, AnyResidual(StudentT(5))), AnyWarp(LogWarp{}));
  CHECK(sentence([&] { mean(heavy); }) ==
        "mno::log_moment: argument 'law': expected residuals that have moments under this warp: ask for "
        "quantiles, got student_t 5.");
  CHECK(sentence([&] { crps(heavy, plain.mean); }) == sentence([&] { mean(heavy); }));
  Stream stream(1);
  CHECK(sentence([&] { AnyResidual(TwoModes(0.5, 0.5)).draw_variance(stream); }).find("one scale per draw") !=
        std::string::npos);
}
