#pragma once
// Rows as tables of Markdown, put into a page between marks, so that no number of the page is typed by hand:
//
//   <!-- table FILE TABLE metric metric … -->
//   what stands here is replaced
//   <!-- end -->
//   <!-- picture FILE what it shows -->
//   <!-- end -->
//   <!-- overview method method …
//   task | FILE TABLE metric | coordinate=value
//   -->
//   <!-- end -->
//
// FILE.json has the rows. A line of a table is a method at a place; below those of one place stand the floor,
// which no model can beat, and the paper's numbers. A line of an overview is one metric of a task at one
// place, and methods are columns.
#include <functional>
#include <iterator>
#include <sstream>

#include "tables.hpp"

namespace mno::report {

/// The value with half its interval in the same digits: 0.0101 ± 0.0002.
inline std::string with_interval(const Row& row) {
  if (!row.interval95 || !(*row.interval95 > 0) || !(std::abs(row.value) > 0)) return shown(row.value, 3);
  return shown(row.value, 3) + " ± " + shown(*row.interval95, 2);
}

/// The same with the multiple of the floor, run by run, in brackets.
inline std::string with_ratio(const Row& row) {
  return with_interval(row) + (row.ratio ? " (" + shown(*row.ratio, 3) + ")" : std::string());
}

/// One table: metrics are columns. Where only the benchmark tells two rows apart, it is a column, too.
inline std::string markdown_table(const std::vector<Row>& rows, const std::string& table,
                                  const std::vector<std::string>& metrics) {
  std::vector<Row> copies;
  bool alike = false;
  for (const Row& row : rows) {
    if (row.table != table) continue;
    for (const Row& other : copies)
      alike = alike || (row.method == other.method && row.metric == other.metric && row.at == other.at &&
                        row.benchmark != other.benchmark);
    copies.push_back(row);
  }
  std::vector<const Row*> own;
  for (Row& row : copies) {
    if (alike) row.at["benchmark"] = row.benchmark;
    own.push_back(&row);
  }
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
    for (const Matrix::Line& one : block.lines) line(one.method, one.cells, with_ratio);
    const auto extra = [&](const char* name, const std::vector<std::optional<double>>& values) {
      if (std::ranges::any_of(values, [](const auto& value) { return value.has_value(); }))
        line(name, values, [](double value) { return shown(value, 3); });
    };
    extra("*floor*", block.floors);
    extra("*paper*", block.papers);
  }
  return out;
}

/// One line of an overview; `rows` are those of its file, nothing if there is no such file.
struct OverviewLine {
  std::string task = {}, file = {}, table = {}, metric = {};
  std::vector<std::pair<std::string, std::string>> at = {};  // coordinates that are asked for, as shown

  /// "task | FILE TABLE metric | coordinate=value | …"
  static OverviewLine parse(const std::string& text) {
    OverviewLine line;
    std::vector<std::string> parts(1);
    for (std::size_t i = 0; i < text.size(); ++i)
      if (text.compare(i, 3, " | ") == 0) {
        parts.emplace_back();
        i += 2;
      } else {
        parts.back() += text[i];
      }
    if (parts.size() >= 2) {
      line.task = parts[0];
      std::istringstream(parts[1]) >> line.file >> line.table >> line.metric;
    }
    for (std::size_t i = 2; i < parts.size(); ++i) {
      const auto equals = parts[i].find('=');
      if (equals != parts[i].npos)
        line.at.emplace_back(parts[i].substr(0, equals), parts[i].substr(equals + 1));
    }
    if (line.metric.empty() || line.at.size() + 2 != parts.size())
      throw std::runtime_error("expected 'task | FILE TABLE metric | coordinate=value', found '" + text +
                               "'.");
    return line;
  }
  bool has(const Row& row) const {
    return row.table == table && row.metric == metric && row.at.size() == at.size() &&
           std::ranges::all_of(at, [&](const auto& one) {
             const auto found = row.at.find(one.first);
             return found != row.at.end() && shown_at(found->second) == one.second;
           });
  }
  std::string markdown(const std::vector<std::string>& methods, const std::vector<Row>& rows) const {
    std::string out = "| " + task + " | " + metric + " |";
    std::optional<double> floor, paper;
    for (const std::string& method : methods) {
      const auto row = std::ranges::find_if(rows, [&](const Row& r) { return r.method == method && has(r); });
      out += " " + (row == rows.end() ? std::string("–") : with_ratio(*row)) + " |";
    }
    for (const Row& row : rows) {
      if (!has(row)) continue;
      if (row.floor && !floor) floor = row.floor;
      if (row.paper && !paper) paper = row.paper;
    }
    for (const auto& number : {floor, paper}) out += " " + (number ? shown(*number, 3) : "–") + " |";
    return out + "\n";
  }
};

/// The page with all its tables and pictures made anew; `read` gives the text of FILE.json, if there is one,
/// and `picture` the path of FILE.svg from the page, if there is one.
inline std::string with_tables(
    const std::string& page, const std::function<std::optional<std::string>(const std::string&)>& read,
    const std::function<std::optional<std::string>(const std::string&)>& picture = {}) {
  std::istringstream in(page);
  std::string out;
  bool inside = false;
  const auto rows_of = [&](const std::string& file) -> std::optional<std::vector<Row>> {
    const auto text = read(file);
    if (!text) return {};
    std::vector<Row> rows;
    const Json json = Json::parse(*text);
    read_json(json.at("rows"), Place{file + ".json", "rows"}, rows);
    return rows;
  };
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
    if (line.starts_with("<!-- overview ")) {
      inside = true;
      std::istringstream words(line.substr(14));
      const std::vector<std::string> methods{std::istream_iterator<std::string>(words), {}};
      std::string table = "| task | metric |", rule = "|---|---|";
      for (const std::string& method : methods) table += " " + method + " |", rule += "---:|";
      table += " floor | paper |\n" + rule + "---:|---:|\n";
      while (std::getline(in, line)) {
        out += line + "\n";
        if (line == "-->") break;
        const auto asked = OverviewLine::parse(line);
        table += asked.markdown(methods, rows_of(asked.file).value_or(std::vector<Row>()));
      }
      out += table;
      continue;
    }
    if (!line.starts_with("<!-- table ")) continue;
    inside = true;
    std::istringstream words(line.substr(11));
    std::string file, table;
    words >> file >> table;
    std::vector<std::string> metrics;
    for (std::string word; words >> word && word != "-->";) metrics.push_back(word);
    const auto rows = rows_of(file);
    out += rows ? markdown_table(*rows, table, metrics) : "*Not recorded yet.*\n";
  }
  if (inside) throw std::runtime_error("the page has a table or a picture without <!-- end -->.");
  return out;
}

}  // namespace mno::report
