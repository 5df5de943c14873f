#include "mno/law/any_warp.hpp"

#include "mno/law/conditioning.hpp"
#include "mno/law/covariance.hpp"
#include "mno/law/functional.hpp"
#include "mno/law/residual/student_t.hpp"
#include "warp/warp_checks.hpp"

using namespace mno;
using namespace mno::testing;

TEST_CASE("AnyWarp: text and back") {
  for (const char* text : {"unwarped", "log", "asinh 2", "asinh 0.1 2.5 1e-300"})
    CHECK(AnyWarp::parse(text).text() == text);
  CHECK(AnyWarp().text() == "unwarped");
  CHECK(AnyWarp(AsinhWarp(0.1 + 0.2)).text() == "asinh 0.30000000000000004");
  const AnyWarp again = AnyWarp::parse(AnyWarp(AsinhWarp(0.1 + 0.2)).text());
  CHECK(std::get<AsinhWarp>(again.held()).scale(0) == 0.1 + 0.2);
}

TEST_CASE("AnyWarp: a wrong text is a sentence") {
  const std::string expected =
      "mno::AnyWarp: argument 'text': expected 'unwarped', 'log', 'asinh SCALE' or 'asinh' with a scale per "
      "channel, got '";
  for (const char* text : {"", "logarithm", "log 2", "asinh", "Log"})
    CHECK(sentence([&] { AnyWarp::parse(text); }) == expected + text + "'.");
  CHECK(sentence([] { AnyWarp::parse("asinh 2x"); }) ==
        "mno::AnyWarp: argument 'text': expected a name and finite numbers, with single spaces between them, "
        "got 'asinh 2x'.");
  CHECK(sentence([] { AnyWarp::parse("asinh  2"); }) != "no error");
  CHECK(sentence([] { AnyWarp::parse("asinh -1"); }) ==
        "mno::AsinhWarp: argument 'scales': expected positive finite numbers, got -1.");
}

TEST_CASE("AnyWarp: answers as the warp that it holds") {
  check_warp(AnyWarp(LogWarp{}));
  check_warp(AnyWarp(AsinhWarp(3)));
  check_warp(AnyWarp());
  const MeanAndVariance a = AnyWarp(LogWarp{}).moments(0.4, 0.5, 0, Gaussian{}),
                        b = LogWarp{}.moments(0.4, 0.5, 0, Gaussian{}),
                        none = AnyWarp().moments(0.4, 0.5, 0, StudentT(5));
  CHECK(a.mean == b.mean);
  CHECK(a.variance == b.variance);
  CHECK(none.mean == 0.4);
  CHECK(none.variance == 0.25);
}

TEST_CASE("AnyWarp: what a warped law does not answer is refused in a sentence, if it is warped") {
  const auto plain = with_warp(random_law<double, 1>(1, {{4}, {}}, 1, 2, 1), AnyWarp());
  const auto warped = with_warp(plain, AnyWarp(LogWarp{}));
  CHECK(covariance(plain, 0).rank_bound() == 2);
  CHECK(functional(plain, 0, plain.mean).sd > 0);
  CHECK(condition(plain, 0, {}, 0.1).rank() == 2);
  CHECK(sentence([&] { covariance(warped, 0); }) ==
        "mno::covariance: argument 'law': expected a law without a warp: ask unwarped(law), or sample, got a "
        "warped law.");
  CHECK(
      sentence([&] { functional(warped, 0, warped.mean); }) ==
      "mno::functionals: argument 'law': expected a law without a warp: ask unwarped(law), or sample, got a "
      "warped law.");
  CHECK(sentence([&] { condition(warped, 0, {}, 0.1); }) ==
        "mno::condition: argument 'law': expected a law without a warp: ask unwarped(law), or sample, got a "
        "warped law.");
  CHECK(sentence([&] { mean(with_residual(warped, StudentT(5))); }) ==
        "mno::moments: argument 'law': expected residuals with log_moment(s), without which a warped law has "
        "no moments: ask for quantiles, got the warp log.");
}
