// The Student t likelihood over members.
#include "mno/loss/student_nll.hpp"

#include <boost/math/distributions/students_t.hpp>

#include "mno/loss/gaussian_nll.hpp"
#include "oracle.hpp"

using namespace mno;
using namespace mno::testing;

TEST_CASE("is the density of a t distribution with variance v") {
  const Point point{.m = 1, .b = 2, .u = 2, .count = 2, .members = {0.5, 3.5}};
  const double nu = 5, scale = 2 * std::sqrt((nu - 2) / nu);
  const boost::math::students_t t(nu);
  const double expected =
      -0.5 * (std::log(pdf(t, (0.5 - 1) / scale) / scale) + std::log(pdf(t, (3.5 - 1) / scale) / scale)) -
      0.5 * std::log(2 * std::numbers::pi);
  CHECK(point(StudentNll{.nu = nu}).value == doctest::Approx(expected).epsilon(1e-13));
}

TEST_CASE("with many degrees of freedom it is the Gaussian likelihood") {
  for_each_case([]<int D>(const Target<double, D>& target, Block<double, D>& block) {
    const double gaussian = GaussianNll{}(block.law(), target, 1);
    CHECK(StudentNll{.nu = 1e10}(block.law(), target, 1) == doctest::Approx(gaussian).epsilon(1e-4));
  });
}

TEST_CASE("sentences: members, degrees of freedom, members that are no numbers") {
  const Point none{.m = 0, .b = 1, .u = 0};
  CHECK(sentence([&] { none(StudentNll{}); }).find("target.members") != std::string::npos);
  const Point some{.m = 0, .b = 1, .u = 0, .count = 2, .members = {0, 1}};
  CHECK(sentence([&] { some(StudentNll{.nu = 2}); }).find("degrees of freedom above 2") != std::string::npos);
  const Point broken{.m = 0, .b = 1, .u = 0, .count = 2, .members = {0, std::nan("")}};
  CHECK(sentence([&] { broken(StudentNll{}); }).find("a NaN or an infinity") != std::string::npos);
}

TEST_CASE("cotangents by central differences") {
  check_gradient(StudentNll{});
  check_gradient(StudentNll{.nu = 2.5});
}
