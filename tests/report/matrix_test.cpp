#include "../../examples/mno/report/matrix.hpp"

#include <doctest/doctest.h>

using namespace mno::report;

namespace {

std::vector<const Row*> pointers(const std::vector<Row>& rows) {
  std::vector<const Row*> all;
  for (const Row& row : rows) all.push_back(&row);
  return all;
}
std::vector<std::string> best(const std::vector<Row>& rows) {
  const Matrix matrix = matrix_of(pointers(rows));
  std::vector<const Matrix::Line*> lines;
  for (const auto& block : matrix.blocks)
    for (const auto& line : block.lines) lines.push_back(&line);
  std::vector<std::string> out;
  for (const auto* line : lines)
    for (std::size_t c = 0; c < line->cells.size(); ++c)
      if (line->cells[c] && is_best(lines, c, *line->cells[c]))
        out.push_back(line->method + " " + matrix.columns[c].metric);
  return out;
}
using Names = std::vector<std::string>;

}  // namespace

TEST_CASE("levels are columns, other places are blocks with a floor of their own") {
  const std::vector<Row> rows{
      {.method = "a", .metric = "crps", .value = 1, .at = {{"t", 1.0}}, .floor = 0.5},
      {.method = "a", .metric = "coverage", .value = .4, .at = {{"level", .5}, {"t", 1.0}}},
      {.method = "a", .metric = "coverage", .value = .8, .at = {{"level", .9}, {"t", 1.0}}},
      {.method = "b", .metric = "crps", .value = 2, .at = {{"t", 1.0}}, .floor = 0.5},
      {.method = "a", .metric = "crps", .value = 3, .at = {{"t", 2.0}}, .floor = 0.7}};
  const Matrix matrix = matrix_of(pointers(rows));
  REQUIRE(matrix.columns.size() == 3);
  CHECK(matrix.columns[2] == Matrix::Column{"coverage", At(.9)});
  CHECK(matrix.places == Names{"t"});
  REQUIRE(matrix.blocks.size() == 2);
  REQUIRE(matrix.blocks[0].lines.size() == 2);
  CHECK(matrix.blocks[0].lines[0].cells[2]->value == .8);
  CHECK(matrix.blocks[0].lines[1].cells[2] == nullptr);
  CHECK(matrix.blocks[0].floors[0] == 0.5);
  CHECK_FALSE(matrix.blocks[0].floors[1]);
  CHECK(matrix.blocks[1].lines[0].cells[0]->value == 3);
  CHECK_FALSE(matrix.one_floor());
  CHECK(matrix_of({&rows[0], &rows[3]}).one_floor());
  CHECK_FALSE(matrix_of({&rows[1]}).one_floor());  // without floors nothing says that data are the same
}

TEST_CASE("the best is the least, or as good by the intervals, or nearest to its level") {
  const auto row = [](const char* method, double value, std::optional<double> interval = {}) {
    return Row{.method = method, .metric = "crps", .value = value, .interval95 = interval};
  };
  CHECK(best({row("a", 1), row("b", 2)}) == Names{"a crps"});
  CHECK(best({row("a", 1, 0.3), row("b", 1.4, 0.2), row("c", 1.6, 0.2)}) == Names{"a crps", "b crps"});
  CHECK(best({row("a", 1)}) == Names{});  // one alone is not the best
  CHECK(best({row("a", 1), row("b", std::nan(""))}) == Names{});
  const auto covered = [](const char* method, double value) {
    return Row{.method = method, .metric = "coverage", .value = value, .at = {{"level", 0.9}}};
  };
  CHECK(best({covered("a", 0.99), covered("b", 0.85)}) == Names{"b coverage"});
  CHECK(best({{.method = "a", .metric = "unheard of", .value = 1},
              {.method = "b", .metric = "unheard of"}}) == Names{});
}
