#include "../../examples/mno/report/comparison.hpp"

#include <doctest/doctest.h>

using namespace mno::report;

namespace {
bool has(const std::string& text, const std::string& part) { return text.find(part) != text.npos; }

/// A run with a CRPS per condition, which is also its row.
NamedRun run(const std::string& name, const std::string& content, const Numbers& crps) {
  NamedRun one{name};
  RunRecord& r = one.record;
  r.command = "mno evaluate -o " + name;
  r.data = DataNote{"test.npz", content, "8 members each", int(crps.size()), {2}};
  r.verdict = Verdict{"Better than climatology.", {{"climatology", "better than", 0.5, 0.1}}};
  double mean = 0;
  r.conditions = Conditions{.metrics = {"crps"}};
  for (std::size_t i = 0; i < crps.size(); ++i) {
    mean += crps[i] / double(crps.size());
    r.conditions->all.push_back({.sample = int(i), .origin = int(i), .time = 1, .scores = {crps[i]}});
  }
  r.rows = {{"evaluation", "test", "mno", "crps", mean, {}, {}, {}, {}, 0.5},
            {"evaluation", "test", "climatology", "crps", 4, {}, {}, {}, {}, {}},
            {"evaluation", "test", "constant variance", "crps", mean + 1, {}, {}, {}, {}, {}}};
  r.curves = {{"Loss/all terms", {1, 2}, {3, mean}}};
  r.calibration = {{0.5}, {0.4}};
  r.pit = PitHistogram{{0.5, 0.5}};
  r.settings = {{"width", name == "a" ? "16" : "48"}, {"depth", "4"}};
  return one;
}
std::vector<std::string> methods(const std::vector<Row>& rows) {
  std::vector<std::string> out;
  for (const Row& row : rows) out.push_back(row.benchmark + ": " + row.method);
  return out;
}
using Names = std::vector<std::string>;

}  // namespace

TEST_CASE("runs on the same data are methods of one table, and what they share stands there once") {
  const RunRecord all = together(
      {run("a", "1", {1, 2, 3, 4}), run("b", "1", {2, 3, 4, 5.5}), run("c", "1", {1.1, 1.9, 3, 4.1})});
  CHECK(methods(all.rows) == Names{"test: a", "test: b", "test: c", "test: climatology",
                                   "test: constant variance of a", "test: constant variance of b",
                                   "test: constant variance of c"});
  CHECK(all.description.starts_with("a, b, c: scored on test.npz, 4 conditions, 8 members each."));
  CHECK_FALSE(has(all.description, "different data"));
  CHECK_NOTHROW(check(all));
}

TEST_CASE("which run is better than which is said by the conditions they have in common") {
  const RunRecord all = together(
      {run("a", "1", {1, 2, 3, 4}), run("b", "1", {2, 3, 4, 5.5}), run("c", "1", {1.1, 1.9, 3, 4.1})});
  REQUIRE(all.verdict);
  CHECK(has(all.verdict->sentence, "a: Better than climatology.\nb: Better than climatology.\n"));
  CHECK(all.verdict->sentence.starts_with("a has the least CRPS on test.npz. Better than b (CRPS 31 ± "));
  CHECK(has(all.verdict->sentence, ", but no better than c (CRPS 1.0 ± "));
  REQUIRE(all.conditions);
  CHECK(all.conditions->metrics == Names{"largest crps", "a", "b", "c"});
  CHECK(all.conditions->all[3].scores == Numbers{5.5, 4, 5.5, 4.1});
}

TEST_CASE("conditions are compared by the first score that all runs have") {
  NamedRun a = run("a", "1", {1, 2});
  a.record.conditions->metrics = {"w2g", "crps"};
  for (auto& one : a.record.conditions->all) one.scores.insert(one.scores.begin(), 7);
  const RunRecord all = together({a, run("b", "1", {3, 1})});
  REQUIRE(all.conditions);
  CHECK(all.conditions->metrics[0] == "largest crps");
  CHECK(all.conditions->all[0].scores == Numbers{3, 1, 3});
}

TEST_CASE("runs on other data, or in other units, have a table of their own, and the page says so") {
  NamedRun units = run("c", "1", {1, 2});
  units.record.data->scale = {3};
  NamedRun unknown = run("d", "1", {1, 2});
  unknown.record.data.reset();
  const RunRecord all = together({run("a", "1", {1, 2}), run("b", "2", {1, 2}), units, unknown});
  CHECK(methods(all.rows)[0] == "test (a): a");
  CHECK(methods(all.rows)[3] == "test (b): b");
  CHECK(methods(all.rows)[4] == "test (b): climatology");
  CHECK(has(all.description, "These are different data"));
  CHECK(has(all.description, "d: the run does not say what its data was."));
  CHECK_FALSE(all.conditions);
  CHECK_FALSE(has(all.verdict->sentence, "least CRPS"));
}

TEST_CASE("a climatology that differs between runs stands there for each") {
  NamedRun b = run("b", "1", {1, 2});
  b.record.rows[1].value = 5;
  CHECK(methods(together({run("a", "1", {1, 2}), b}).rows) ==
        Names{"test: a", "test: b", "test: climatology of a", "test: constant variance of a",
              "test: climatology of b", "test: constant variance of b"});
}

TEST_CASE("histories share a figure, and settings that differ are said for each") {
  const RunRecord all = together({run("a", "1", {1, 2}), run("b", "1", {2, 3})});
  REQUIRE(all.curves.size() == 2);
  CHECK(all.curves[0].name == "Loss: all terms/a");
  CHECK(all.curves[1].name == "Loss: all terms/b");
  CHECK(all.curves[1].y == Numbers{3, 2.5});
  CHECK(all.settings == std::vector<Setting>{{"width", "a: 16; b: 48"}, {"depth", "4"}});
  REQUIRE(all.figures.size() == 2);
  CHECK(all.figures[0].lines.size() == 3);  // nominal and two runs
  CHECK(all.figures[1].lines[1].y == Numbers{1, 1});
  CHECK(all.command == "a: mno evaluate -o a\nb: mno evaluate -o b");
}

TEST_CASE("a run with several methods keeps their names") {
  NamedRun a = run("a", "1", {1, 2});
  a.record.rows.push_back({"evaluation", "test", "fno", "crps", 2, {}, {}, {}, {}, {}});
  const auto names = methods(together({a, run("b", "1", {1, 2})}).rows);
  CHECK(names[0] == "test: a: mno");
  CHECK(names[1] == "test: a: fno");
  CHECK(names[2] == "test: b");
}
