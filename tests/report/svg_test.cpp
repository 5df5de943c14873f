#include "../../examples/mno/report/svg.hpp"

#include <doctest/doctest.h>

#include "../../examples/mno/report/heat_map.hpp"
#include "../../examples/mno/report/plots.hpp"

using namespace mno::report;

namespace {

std::vector<std::string> labels(double low, double high, bool logarithmic) {
  Axis axis(logarithmic);
  axis.include(low);
  axis.include(high);
  axis.widen(0);
  std::vector<std::string> out;
  for (const Tick& tick : axis.ticks()) out.push_back(tick.label);
  return out;
}
using Labels = std::vector<std::string>;

}  // namespace

TEST_CASE("numbers are shown as a person would write them") {
  CHECK(shown(0) == "0");
  CHECK(shown(-0.0) == "0");
  CHECK(shown(1) == "1");
  CHECK(shown(0.012345) == "0.01235");
  CHECK(shown(-2.5) == "−2.5");
  CHECK(shown(123456) == "123456");
  CHECK(shown(9.99999) == "10");
  CHECK(shown(1.5e-7) == "1.5×10⁻⁷");
  CHECK(shown(-3e12) == "−3×10¹²");
  CHECK(shown(std::nan("")) == "–");
  CHECK(shown(std::numeric_limits<double>::infinity()) == "–");
  CHECK(fixed(-0.001, 1) == "0.0");
  CHECK(fixed(-1.25, 1) == "-1.2");
}

TEST_CASE("ticks are round numbers inside the range") {
  CHECK(labels(0, 1, false) == Labels{"0.0", "0.2", "0.4", "0.6", "0.8", "1.0"});
  CHECK(labels(-1.2, 1.2, false) == Labels{"−1.0", "−0.5", "0.0", "0.5", "1.0"});
  CHECK(labels(0, 200, false) == Labels{"0", "50", "100", "150", "200"});
  CHECK(labels(0, 4e-5, false) == Labels{"0", "1", "2", "3", "4"});       // the axis says 10⁻⁵
  CHECK(labels(1e6, 1e6 + 4, false) == Labels{"0", "1", "2", "3", "4"});  // the axis says − 10⁶
  CHECK(labels(1e-6, 1, true) == Labels{"10⁻⁶", "10⁻⁵", "10⁻⁴", "10⁻³", "0.01", "0.1", "1"});
  CHECK(labels(1, 30, true) == Labels{"1", "2", "5", "10", "20"});
  CHECK(labels(3, 4.5, true) == Labels{"3", "3.5", "4", "4.5"});
  CHECK(labels(1e-90, 1, true).size() <= 7);
  for (const bool logarithmic : {false, true})
    for (const auto& [low, high] : {std::pair{1.0, 1.0},
                                    {1e-300, 1e-299},
                                    {1e149, 1.1e149},
                                    {1e-149, 9e149},
                                    {1.0, 1 + 1e-12},
                                    {1e8, 1e8 + 1}}) {
      Axis axis(logarithmic);
      axis.include(low);
      axis.include(high);
      if (axis.empty()) continue;
      axis.widen(0.05);
      const auto ticks = axis.ticks();
      CHECK(ticks.size() >= 2);
      CHECK(ticks.size() <= 20);
      for (const Tick& tick : ticks) {
        CHECK(axis.place(tick.value) >= -1e-6);
        CHECK(axis.place(tick.value) <= 1 + 1e-6);
      }
    }
}

TEST_CASE("an axis says what its labels stand for") {
  const auto labelled = [](double low, double high) {
    Axis axis;
    axis.include(low);
    axis.include(high);
    return axis.labelled("u");
  };
  CHECK(labelled(0, 1) == "u");
  CHECK(labelled(0, 4e-5) == "u / 10⁻⁵");
  CHECK(labelled(-3e7, 1) == "u / 10⁷");
  CHECK(labelled(1000, 1004) == "u − 1000");
  CHECK(labelled(-1004, -1000) == "u + 1004");
  CHECK(labelled(2, 2 + 4e-6) == "(u − 2) / 10⁻⁶");
}

TEST_CASE("colours run evenly from dark to light") {
  REQUIRE(viridis().size() == colour_levels);
  CHECK(viridis().front() == 0x440154);
  CHECK(viridis().back() == 0xfde725);
  double before = 0;
  for (int level = 0; level < colour_levels; ++level) {
    const int rgb = viridis()[std::size_t(level)];
    const double light = 0.2126 * std::pow((rgb >> 16) / 255.0, 2.2) +
                         0.7152 * std::pow((rgb >> 8 & 255) / 255.0, 2.2) +
                         0.0722 * std::pow((rgb & 255) / 255.0, 2.2);
    const double lightness = 116 * std::cbrt(light) - 16;
    if (level) CHECK(lightness > before);
    if (level) CHECK(lightness < before + 3);
    before = lightness;
  }
}

TEST_CASE("a large field is reduced to means over blocks, without what is not finite") {
  Image image{"i", 128, 65, Numbers(128 * 65, 3)};
  image.values[0] = std::nan("");
  image.values[1] = 7;
  image.values[128] = image.values[129] = std::nan("");
  const Image small = reduced(image, 64);
  CHECK(small.width == 64);
  CHECK(small.height == 64);
  REQUIRE(small.values.size() == 64 * 64);
  CHECK(small.values[0] == 7);
  CHECK(small.values[1] == 3);
  CHECK(std::isnan(small.values[64]));
  CHECK(small.values.back() == 3);
  const Image same = reduced({"s", 2, 1, {1, 2}});
  CHECK(same.values == Numbers{1, 2});
}

TEST_CASE("fields that belong together share a colour bar, errors have one around zero") {
  const Image small{"small", 2, 1, {1, 2}}, large{"large", 2, 1, {5, 9}};
  const Axis axis = common_axis({&small, &large});
  CHECK(axis.low() == 1);
  CHECK(axis.high() == 9);
  Image error{"error", 2, 1, {-1, 3}};
  error.symmetric = true;
  CHECK(common_axis({&error}).low() == -3);
  CHECK(blue_to_red()[colour_levels / 2] > 0xf00000);  // nearly white

  const auto count = [](const std::string& text, const std::string& part) {
    int n = 0;
    for (std::size_t at = 0; (at = text.find(part, at)) != text.npos; ++at) ++n;
    return n;
  };
  std::vector<Image> images{small, large, error, {"alone", 1, 1, {0}}};
  images[0].panel = images[1].panel = "Condition 3/Values";
  images[2].panel = "Condition 3/Errors";
  const std::string html = panels(images);
  CHECK(count(html, "<figure class=\"panel\">") == 3);
  CHECK(count(html, "class=\"bar\"") == 3);
  CHECK(count(html, "class=\"field\"") == 4);
  CHECK(count(html, "<h3>Condition 3</h3>") == 1);
  CHECK(html.find("<figcaption>Values</figcaption>") != html.npos);
  // Equal values have equal colours, wherever they are.
  const Image one{"one", 1, 1, {5}}, other{"other", 1, 1, {5}};
  const auto pixels = [&](const Image& image) {
    const std::string svg = field_svg(image, axis, viridis());
    return svg.substr(svg.find("base64,"));
  };
  CHECK(pixels(one) == pixels(other));
  CHECK(pixels(one) != pixels({"none", 1, 1, {std::nan("")}}));
}

TEST_CASE("single draws are seen in the predicted band, and nothing is estimated from them") {
  Example e{.title = "e", .x = {0, 1}, .mean = {1, 2}, .deviation = {0.5, 0.25}, .members = {{1.5, 2.5}}};
  const Plot mean = mean_plot(e), error = error_plot(e);
  REQUIRE(mean.lines.size() == 2);
  CHECK(mean.lines[0].name == "realisation");
  CHECK(error.lines.at(0).y == Numbers{0.5, 0.5});
  REQUIRE(error.bands.size() == 1);
  CHECK(error.bands[0].high[1] == doctest::Approx(0.25 * normal_quantile95));
  const std::string html = example_figures(e);
  for (const char* word : {"ensemble", "Members", "Density"})
    CHECK_MESSAGE(html.find(word) == html.npos, word);
  // Of an ensemble the error is that of the mean, beside what chance in its mean comes to.
  e.truth_mean = {1.5, 2};
  e.truth_deviation = {1, 1};
  e.marginal_members = Numbers(16, 0.0);
  const Plot of_ensemble = error_plot(e);
  CHECK(of_ensemble.lines.at(0).y == Numbers{-0.5, 0});
  CHECK(of_ensemble.bands.at(0).high[0] == doctest::Approx(normal_quantile95 / 4));
}

TEST_CASE("a histogram of the transform is a density around one") {
  const std::string html = pit_figure({{0.5, 0.25, 0.25, 0}});
  CHECK(html.find("Where truths fall") != html.npos);
  CHECK(pit_figure({}) == "");
}

TEST_CASE("a histogram is a density") {
  Numbers values;
  for (int i = 0; i < 100; ++i) values.push_back(i * i / 1000.0);
  values.push_back(std::nan(""));
  const Bars bars = histogram("h", values);
  REQUIRE(bars.edges.size() == bars.heights.size() + 1);
  CHECK(bars.heights.size() == 10);
  double area = 0;
  for (std::size_t i = 0; i < bars.heights.size(); ++i)
    area += bars.heights[i] * (bars.edges[i + 1] - bars.edges[i]);
  CHECK(area == doctest::Approx(1));
  CHECK(bars.heights.front() > bars.heights.back());
  CHECK(histogram("h", {2, 2, 2}).edges.size() == 6);
  CHECK(histogram("h", {}).heights.empty());
}

TEST_CASE("a line of many points keeps its extremes and not its length") {
  Line line{.name = "l"};
  for (int i = 0; i < 100000; ++i) {
    line.x.push_back(i);
    line.y.push_back(i == 54321 ? 100 : std::sin(i * 0.01));
  }
  const std::string svg = figure({.title = "t", .lines = {line}});
  CHECK(svg.size() < 60000);
  // 100 is the highest value: 5% of the range below the top of the box, 14 + 186 × 0.05 / 1.1.
  CHECK(svg.find(" 22.5L") != svg.npos);
}

TEST_CASE("an axis is logarithmic only for positive values of different sizes") {
  CHECK(wants_logarithm({{.y = {1, 100}}}));
  CHECK_FALSE(wants_logarithm({{.y = {1, 10}}}));
  CHECK_FALSE(wants_logarithm({{.y = {1, 100}}, {.y = {-1}}}));
  CHECK_FALSE(wants_logarithm({}));
  CHECK(wants_logarithm({{.y = {1, std::nan(""), 100}}}));
}
