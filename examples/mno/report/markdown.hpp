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

inline std::string shown_at(const At& at) {
  const double* number = std::get_if<double>(&at);
  return number ? shown(*number) : std::get<std::string>(at);
}

/// The value with half its interval in the same digits: 0.0101 ± 0.0002.
inline std::string with_interval(const Row& row) {
  if (!row.interval95 || !(*row.interval95 > 0) || !(std::abs(row.value) > 0)) return shown(row.value, 3);
  return shown(row.value, 3) + " ± " + shown(*row.interval95, 2);
}

/// One table: metrics are columns.
inline std::string markdown_table(const std::vector<Row>& rows, const std::string& table,
                                  const std::vector<std::string>& metrics) {
  using Where = std::map<std::string, At>;
  struct Line {
    std::string method;
    std::vector<std::string> cells;
  };
  struct Block {
    Where at;
    std::vector<Line> lines = {};
    std::vector<std::optional<double>> floors = {}, papers = {};
  };
  std::vector<Block> blocks;
  std::vector<std::string> places;
  for (const Row& row : rows) {
    const auto metric = std::find(metrics.begin(), metrics.end(), row.metric);
    if (row.table != table || metric == metrics.end()) continue;
    const auto column = std::size_t(metric - metrics.begin());
    for (const auto& [name, value] : row.at)
      if (std::find(places.begin(), places.end(), name) == places.end()) places.push_back(name);
    auto block = std::find_if(blocks.begin(), blocks.end(), [&](const Block& b) { return b.at == row.at; });
    if (block == blocks.end()) {
      block = blocks.insert(blocks.end(), {row.at});
      block->floors.resize(metrics.size());
      block->papers.resize(metrics.size());
    }
    auto& lines = block->lines;
    auto line =
        std::find_if(lines.begin(), lines.end(), [&](const Line& one) { return one.method == row.method; });
    if (line == lines.end())
      line = lines.insert(lines.end(), {row.method, std::vector<std::string>(metrics.size(), "–")});
    line->cells[column] = with_interval(row);
    if (row.floor && !block->floors[column]) block->floors[column] = row.floor;
    if (row.paper && !block->papers[column]) block->papers[column] = row.paper;
  }
  if (blocks.empty()) return "*There are no such rows.*\n";

  std::string head = "| method |", rule = "|---|";
  for (const std::string& name : places) head += " " + name + " |", rule += "---|";
  for (const std::string& metric : metrics) head += " " + metric + " |", rule += "---:|";
  std::string out = head + "\n" + rule + "\n";
  for (const Block& block : blocks) {
    const auto line = [&](const std::string& method, const std::vector<std::string>& cells) {
      out += "| " + method + " |";
      for (const std::string& name : places) {
        const auto found = block.at.find(name);
        out += " " + (found == block.at.end() ? std::string() : shown_at(found->second)) + " |";
      }
      for (const std::string& cell : cells) out += " " + cell + " |";
      out += "\n";
    };
    for (const Line& one : block.lines) line(one.method, one.cells);
    const auto extra = [&](const char* name, const std::vector<std::optional<double>>& values) {
      std::vector<std::string> cells;
      bool any = false;
      for (const auto& value : values) {
        cells.push_back(value ? shown(*value, 3) : "–");
        any = any || value;
      }
      if (any) line(name, cells);
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
