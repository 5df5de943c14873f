#include "../../examples/mno/report/worst.hpp"

#include <doctest/doctest.h>

using namespace mno::report;

namespace {
bool has(const std::string& text, const std::string& part) { return text.find(part) != text.npos; }

Conditions conditions() {
  Conditions all{.metrics = {"w2g", "coverage 0.9"}};
  const double scores[] = {0.2, 1, 0.1, 0.2, 0.3};
  for (int i = 0; i < 5; ++i) all.all.push_back({.sample = i + 10, .time = 1, .scores = {scores[i], 0.9}});
  return all;
}
}  // namespace

TEST_CASE("the worst come first, and what is not a number before all") {
  Conditions all = conditions();
  CHECK(worst_first(all) == std::vector<std::size_t>{1, 4, 0, 3, 2});
  all.all[2].scores[0] = std::nan("");
  CHECK(worst_first(all).front() == 2);
  CHECK(median_of({3, 1, std::nan(""), 2}) == 2);
  CHECK(median_of({4, 1, 3, 2}) == 2.5);
}

TEST_CASE("cells are red above the median and blue below it") {
  CHECK(tint(1, 1) == " style=\"background:rgb(255,255,255)\"");
  CHECK(tint(4, 1) == " style=\"background:rgb(255,140,110)\"");
  CHECK(tint(400, 1) == tint(4, 1));
  CHECK(tint(0.5, 1) == " style=\"background:rgb(170,210,255)\"");
  CHECK(tint(std::nan(""), 1) == "");
  CHECK(tint(1, 0) == "");
}

TEST_CASE("a table of the worst, with the median of all below it") {
  const std::string table = worst_conditions(conditions());
  CHECK(has(table, "The worst 5 of 5 conditions by w2g"));
  CHECK(table.find(">11</td>") < table.find(">14</td>"));
  CHECK(has(table,
            ">11</td><td class=\"number\" style=\"background:rgb(255,140,110)\">1</td><td "
            "class=\"number\">0.9</td>"));  // coverage is neither good nor bad by its size
  CHECK(has(table, "<tr class=\"floor\"><th scope=\"row\">median</th><td class=\"number\">0.2</td>"));
  CHECK_FALSE(has(table, ">t</th>"));  // all have the same time
  Conditions several = conditions();
  several.all[0].time = 2;
  CHECK(has(worst_conditions(several), ">t</th>"));
  for (int i = 0; i < 50; ++i) several.all.push_back({.sample = i + 100, .scores = {0.01, 1}});
  CHECK(has(worst_conditions(several), "The worst 12 of 55 conditions"));
  CHECK(worst_conditions({}) == "");
}

TEST_CASE("a map has a line of its own for every condition that it names") {
  Conditions all = conditions();
  Image map{"Where", 3, 2, {1, 2, 3, 4, 5, 6}};
  map.rows = {"11", "14"};
  all.maps = {map};
  const std::string html = worst_conditions(all);
  CHECK(has(html, ">11</text>"));
  CHECK(has(html, "<figcaption>Where</figcaption>"));
  CHECK(has(html, "viewBox=\"0 0 340.00 24.00\""));
}
