// Every term against automatic differentiation: reference.py wrote reference.txt. There the terms are written
// from members; here they are evaluated from statistics.
#include <fstream>
#include <map>
#include <sstream>

#include "mno/loss/recipe.hpp"
#include "oracle.hpp"

using namespace mno;
using namespace mno::testing;

namespace {

using Numbers = std::map<std::string, std::vector<double>>;

Numbers read(const std::string& path) {
  std::ifstream file(path);
  REQUIRE_MESSAGE(file.good(), path);
  Numbers numbers;
  for (std::string line; std::getline(file, line);) {
    std::istringstream in(line);
    std::string name;
    std::size_t count = 0;
    in >> name >> count;
    auto& values = numbers[name];
    for (double value; in >> value;) values.push_back(value);
    REQUIRE_MESSAGE(values.size() == count, name);
  }
  return numbers;
}

template <class T> Field<T, 1> field(Index batch, Index channels, const std::vector<double>& values) {
  Field<T, 1> result(batch, Grid<1>{{5}}, channels);
  REQUIRE(result.size() == values.size());
  std::transform(values.begin(), values.end(), result.data(), [](double v) { return T(v); });
  return result;
}

template <class T> double largest_difference(const Field<T, 1>& got, const std::vector<double>& expected) {
  REQUIRE(got.size() == expected.size());
  double error = 0, size = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    error = std::max(error, std::abs(double(got.data()[i]) - expected[i]));
    size = std::max(size, std::abs(expected[i]));
  }
  return size == 0 ? error : error / size;
}

template <class T> void compare(double tolerance) {
  const Numbers numbers = read(MNO_SOURCE_DIR "/tests/loss/reference.txt");
  const auto mean = field<T>(2, 2, numbers.at("mean")), factor = field<T>(2, 6, numbers.at("factor"));
  RandomEnsemble<T, 1> ensemble(2, Grid<1>{{5}}, 2, 6, 0);
  ensemble.members = field<T>(12, 2, numbers.at("members"));
  ensemble.summarise();
  const auto y = field<T>(2, 8, numbers.at("covariance_factor"));
  Target<T, 1> target = ensemble.target();
  target.covariance_factor = y.view();

  Recipe recipe;
  recipe.hutchinson = {.weight = 0, .probes = 8, .seed = 12345678901234};
  target.step = 3;
  const auto check_term = [&](auto term) {
    term.weight = 1;
    Field<T, 1> mean_bar(2, Grid<1>{{5}}, 2), factor_bar(2, Grid<1>{{5}}, 6);
    const double value =
        term(LawBlock<T, 1>{0, mean.view(), factor.view(), mean_bar.view(), factor_bar.view()}, target, 0.5);
    const std::string name = term.name;
    CAPTURE(name);
    const double expected = numbers.at(name + ".value")[0];
    CHECK(std::abs(value - expected) <= tolerance * std::abs(expected));
    CHECK(largest_difference(mean_bar, numbers.at(name + ".mean_bar")) <= tolerance);
    CHECK(largest_difference(factor_bar, numbers.at(name + ".factor_bar")) <= tolerance);
  };
  const auto check = [&]<class Term>(const Term& term) {
    // exact_nll_test.cpp has the dense one; a term of the model is not a function of a block
    if constexpr (!std::is_same_v<Term, ExactNll> && !detail::is_of_model<Term>) check_term(term);
  };
  std::apply([&](const auto&... term) { (check(term), ...); }, recipe.terms());
}

}  // namespace

TEST_CASE("all terms in double") { compare<double>(1e-11); }
TEST_CASE("all terms in float") { compare<float>(2e-5); }
