#include "../../examples/mno/report/markdown.hpp"

#include <doctest/doctest.h>

using namespace mno::report;

namespace {

std::vector<Row> rows() {
  return {{.table = "a",
           .method = "mno",
           .metric = "x",
           .value = 0.5,
           .interval95 = 0.01,
           .paper = 2,
           .floor = 0.25},
          {.table = "a", .method = "mno", .metric = "y", .value = 3},
          {.table = "a", .method = "fno", .metric = "x", .value = 0.75, .floor = 0.25},
          {.table = "b", .method = "mno", .metric = "x", .value = 1, .at = {{"rank", 4.0}}},
          {.table = "b", .method = "mno", .metric = "x", .value = 2, .at = {{"loss", "full"}}}};
}

}  // namespace

TEST_CASE("methods are lines, metrics are columns, and floor and paper stand below them") {
  CHECK(markdown_table(rows(), "a", {"x", "y"}) ==
        "| method | x | y |\n|---|---:|---:|\n"
        "| mno | 0.5 ± 0.01 | 3 |\n"
        "| fno | 0.75 | – |\n"
        "| *floor* | 0.25 | – |\n"
        "| *paper* | 2 | – |\n");
}

TEST_CASE("places are columns too, empty where a row has none") {
  CHECK(markdown_table(rows(), "b", {"x"}) ==
        "| method | rank | loss | x |\n|---|---|---|---:|\n"
        "| mno | 4 |  | 1 |\n"
        "| mno |  | full | 2 |\n");
  CHECK(markdown_table(rows(), "none", {"x"}) == "*There are no such rows.*\n");
}

TEST_CASE("a benchmark is a column where nothing else tells two rows apart") {
  const std::vector<Row> two{
      {.table = "a", .benchmark = "heat", .method = "mno", .metric = "x", .value = 1},
      {.table = "a", .benchmark = "waves", .method = "mno", .metric = "x", .value = 2}};
  CHECK(markdown_table(two, "a", {"x"}) ==
        "| method | benchmark | x |\n|---|---|---:|\n"
        "| mno | heat | 1 |\n"
        "| mno | waves | 2 |\n");
  CHECK(markdown_table({two[0]}, "a", {"x"}) == "| method | x |\n|---|---:|\n| mno | 1 |\n");
}

TEST_CASE("an overview has a line for every task and a column for every method") {
  const auto read = [](const std::string& name) -> std::optional<std::string> {
    if (name != "heat") return {};
    auto all = rows();
    all[0].ratio = 2.0;
    return "{\"rows\": " + json_of(all).dump() + "}";
  };
  const std::string asked =
      "<!-- overview mno fno\nHeat, all of it | heat a x\nHeat | heat b x | loss=full\nOther | other b "
      "x\n-->\n";
  const std::string table =
      "| task | metric | mno | fno | floor | paper |\n|---|---|---:|---:|---:|---:|\n"
      "| Heat, all of it | x | 0.5 ± 0.01 (2) | 0.75 | 0.25 | 2 |\n"
      "| Heat | x | 2 | – | – | – |\n"
      "| Other | x | – | – | – | – |\n";
  const std::string made = with_tables(asked + "old\n<!-- end -->\nafter\n", read);
  CHECK(made == asked + table + "<!-- end -->\nafter\n");
  CHECK(with_tables(made, read) == made);
  CHECK_THROWS_AS(with_tables("<!-- overview mno\nHeat heat a x\n-->\n<!-- end -->\n", read),
                  std::runtime_error);
}

TEST_CASE("only what stands between the marks of a page is replaced") {
  const auto read = [](const std::string& name) -> std::optional<std::string> {
    if (name != "heat") return {};
    return "{\"rows\": " + json_of(rows()).dump() + "}";
  };
  const std::string page =
      "# Title\n<!-- table heat b x -->\nold\nolder\n<!-- end -->\ntext\n<!-- table other b x -->\n<!-- end "
      "-->\n";
  const std::string made = with_tables(page, read);
  CHECK(made == "# Title\n<!-- table heat b x -->\n" + markdown_table(rows(), "b", {"x"}) +
                    "<!-- end -->\ntext\n<!-- table other b x -->\n*Not recorded yet.*\n<!-- end -->\n");
  CHECK(with_tables(made, read) == made);
  const std::string pictures = "<!-- picture heat-rank Error over the rank -->\n<!-- end -->\n";
  CHECK(with_tables(pictures, read) == pictures);
  CHECK(with_tables(pictures, read,
                    [](const std::string& name) { return std::optional("i/" + name + ".svg"); }) ==
        "<!-- picture heat-rank Error over the rank -->\n![Error over the rank](i/heat-rank.svg)\n<!-- end "
        "-->\n");
  CHECK_THROWS_AS(with_tables("<!-- table heat b x -->\n", read), std::runtime_error);
}
