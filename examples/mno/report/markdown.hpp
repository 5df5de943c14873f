#pragma once
// Rows as tables of Markdown, put into a page between marks, so that no number of the page is typed by hand:
//
//   <!-- table FILE TABLE metric metric … -->
//   what stands here is replaced
//   <!-- end -->
//   <!-- picture FILE what it shows -->
//   <!-- end -->
//
// FILE.json has the rows. A line of the table is a method at a place; below those of one place stand what no
// model can beat and what the paper has.
#include <functional>
#include <sstream>

#include "tables.hpp"

namespace mno::report {

/// The value with half its interval in the same digits: 0.0101 ± 0.0002.
inline std::string with_interval(const Row& row) {
  if (!row.interval95 || !(*row.interval95 > 0) || !(std::abs(row.value) > 0)) return shown(row.value, 3);
  return shown(row.value, 3) + " ± " + shown(*row.interval95, 2);
}

/// One table: metrics are columns.
inline std::string markdown_table(const std::vector<Row>& rows, const std::string& table,
                                  const std::vector<std::string>& metrics) {
  std::vector<const Row*> own;
  for (const Row& row : rows)
    if (row.table == table) own.push_back(&row);
  const Matrix matrix = matrix_of(own, metrics);
  if (matrix.blocks.empty()) return "*There are no such rows.*\n";

  std::string head = "| method |", rule = "|---|";
  for (const std::string& name : matrix.places) head += " " + name + " |", rule += "---|";
  for (const std::string& metric : metrics) head += " " + metric + " |", rule += "---:|";
  std::string out = head + "\n" + rule + "\n";
  for (const Matrix::Block& block : matrix.blocks) {
    const auto line = [&](const std::string& method, const auto& cells, const auto& text_of) {
      out += "| " + method + " |";
      for (const std::string& name : matrix.places) {
        const auto found = block.at.find(name);
        out += " " + (found == block.at.end() ? std::string() : shown_at(found->second)) + " |";
      }
      for (const auto& cell : cells) out += " " + (cell ? text_of(*cell) : std::string("–")) + " |";
      out += "\n";
    };
    for (const Matrix::Line& one : block.lines) line(one.method, one.cells, with_interval);
    const auto extra = [&](const char* name, const std::vector<std::optional<double>>& values) {
      if (std::ranges::any_of(values, [](const auto& value) { return value.has_value(); }))
        line(name, values, [](double value) { return shown(value, 3); });
    };
    extra("*floor*", block.floors);
    extra("*paper*", block.papers);
  }
  return out;
}

/// The page with all its tables and pictures made anew; `read` gives the text of FILE.json, if there is one,
/// and `picture` the path of FILE.svg from the page, if there is one.
inline std::string with_tables(
    const std::string& page, const std::function<std::optional<std::string>(const std::string&)>& read,
    const std::function<std::optional<std::string>(const std::string&)>& picture = {}) {
  std::istringstream in(page);
  std::string out;
  bool inside = false;
  for (std::string line; std::getline(in, line);) {
    if (line == "<!-- end -->") inside = false;
    if (!inside) out += line + "\n";
    if (line.starts_with("<!-- picture ")) {
      inside = true;
      std::istringstream words(line.substr(13));
      std::string file, text;
      words >> file;
      for (std::string word; words >> word && word != "-->";) text += (text.empty() ? "" : " ") + word;
      if (const auto path = picture ? picture(file) : std::nullopt) out += "![" + text + "](" + *path + ")\n";
      continue;
    }
    if (!line.starts_with("<!-- table ")) continue;
    inside = true;
    std::istringstream words(line.substr(11));
    std::string file, table;
    words >> file >> table;
    std::vector<std::string> metrics;
    for (std::string word; words >> word && word != "-->";) metrics.push_back(word);
    const auto text = read(file);
    if (!text) {
      out += "*Not recorded yet.*\n";
      continue;
    }
    std::vector<Row> rows;
    const Json json = Json::parse(*text);
    read_json(json.at("rows"), Place{file + ".json", "rows"}, rows);
    out += markdown_table(rows, table, metrics);
  }
  if (inside) throw std::runtime_error("the page has a table or a picture without <!-- end -->.");
  return out;
}

}  // namespace mno::report
