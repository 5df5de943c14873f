#pragma once
// The rows of a record as matrices of HTML, methods by metrics: one per table and benchmark, in the order of
// their first rows. Every row stays, whatever it says.
#include "matrix.hpp"
#include "run_record.hpp"
#include "text.hpp"

namespace mno::report {

/// How many times the floor a value is, run by run where that is known. A floor that is not positive has no
/// multiples.
inline std::optional<double> floor_ratio(const Row& row) {
  if (row.ratio) return row.ratio;
  if (!row.floor || !(*row.floor > 0)) return {};
  return row.value / *row.floor;
}

inline std::string shown_at(const At& at) {
  const double* number = std::get_if<double>(&at);
  return number ? shown(*number) : std::get<std::string>(at);
}
inline std::string shown_place(const std::map<std::string, At>& at) {
  std::string out;
  for (const auto& [name, value] : at) out += (out.empty() ? "" : ", ") + name + " = " + shown_at(value);
  return escape(out);
}

/// A name that may go on in the next line after an underscore.
inline std::string breakable(const std::string& name) {
  std::string out;
  for (const char c : name) out += escape({&c, 1}) + (c == '_' ? "<wbr/>" : "");
  return out;
}

/// The value, half its interval, and how many times the floor it is.
inline std::string cell_of(const Row* row, bool best) {
  if (!row) return "<td class=\"number\">–</td>";
  std::string out =
      "<td class=\"number" + std::string(best ? " best" : "") + "\">" + shown(row->value) +
      (row->interval95 ? " <small>± " + shown(*row->interval95, 2) + "</small>" : std::string());
  if (const auto ratio = floor_ratio(*row); ratio && std::isfinite(*ratio))
    out += "<br/><small>" + shown(*ratio, 3) + " × floor</small>";
  return out + "</td>";
}

inline std::string table(const std::string& caption, const std::vector<const Row*>& rows) {
  const Matrix matrix = matrix_of(rows);
  const bool one_floor = matrix.one_floor(), places = !matrix.places.empty();
  std::string head = "<th scope=\"col\">Method</th>" + std::string(places ? "<th scope=\"col\">At</th>" : "");
  for (const Matrix::Column& column : matrix.columns) {
    const std::string unit = column.level ? "of " + shown_at(*column.level) : unit_of(column.metric);
    head += "<th scope=\"col\" class=\"number\">" + breakable(column.metric) +
            (unit.empty() ? "" : "<br/><small>" + escape(unit) + "</small>") + "</th>";
  }
  std::vector<const Matrix::Line*> all;
  for (const Matrix::Block& block : matrix.blocks)
    for (const Matrix::Line& line : block.lines) all.push_back(&line);

  std::string body;
  const auto extra = [&](const char* name, const std::string& place,
                         const std::vector<std::optional<double>>& values) {
    if (std::ranges::none_of(values, [](const auto& value) { return value.has_value(); })) return;
    body += "<tr class=\"" + std::string(name) + "\"><th scope=\"row\">" + name + "</th>" +
            (places ? "<td>" + place + "</td>" : "");
    for (const auto& value : values)
      body += "<td class=\"number\">" + (value ? shown(*value) : std::string("–")) + "</td>";
    body += "</tr>\n";
  };
  for (const Matrix::Block& block : matrix.blocks) {
    std::vector<const Matrix::Line*> own;
    for (const Matrix::Line& line : block.lines) own.push_back(&line);
    const std::string place = shown_place(block.at);
    for (const Matrix::Line& line : block.lines) {
      body +=
          "<tr><th scope=\"row\">" + escape(line.method) + "</th>" + (places ? "<td>" + place + "</td>" : "");
      for (std::size_t c = 0; c < line.cells.size(); ++c)
        body += cell_of(line.cells[c], line.cells[c] && is_best(one_floor ? all : own, c, *line.cells[c]));
      body += "</tr>\n";
    }
    if (!one_floor) extra("floor", place, block.floors);
    extra("paper", place, block.papers);
  }
  if (one_floor) extra("floor", "", matrix.blocks.front().floors);
  const auto seeds = rows.front()->seeds;
  const bool averaged =
      seeds.value_or(0) > 1 && std::ranges::all_of(rows, [&](const Row* row) { return row->seeds == seeds; });
  return "<div class=\"scroll\" tabindex=\"0\">\n<table class=\"matrix\">\n<caption>" + escape(caption) +
         (averaged ? ", means over " + std::to_string(*seeds) + " runs" : "") + "</caption>\n<thead><tr>" +
         head + "</tr></thead>\n<tbody>\n" + body + "</tbody>\n</table>\n</div>\n";
}

/// What the marks and units of these rows mean.
inline std::string legend_of(const std::vector<Row>& rows) {
  const auto any = [&](auto&& has) { return std::ranges::any_of(rows, has); };
  std::string note;
  if (any([](const Row& row) { return badness(row).has_value(); }))
    note +=
        "<b class=\"best\">Green</b> is the best of a column, or as good by the intervals: the least value, "
        "and for coverage the one nearest to its level. ";
  if (any([](const Row& row) { return unit_of(row.metric).starts_with("σ"); }))
    note += "σ is the deviation of u in the training data. ";
  if (any([](const Row& row) { return row.interval95.has_value(); }))
    note += "± is half the width of the 95% interval over runs. ";
  if (any([](const Row& row) { return row.paper.has_value(); }))
    note += "Paper is the number that the paper gives for the same quantity. ";
  if (any([](const Row& row) { return row.floor.has_value(); }))
    note +=
        "The floor is what no model can beat with the ensembles at hand; values below it are so by chance.";
  return note.empty() ? "" : "<p class=\"note\">" + note + "</p>\n";
}

inline std::string tables(const std::vector<Row>& rows) {
  struct Group {
    std::string name;
    std::vector<const Row*> rows = {};
  };
  struct Table {
    std::string name;
    std::vector<Group> groups = {};
  };
  std::vector<Table> all;
  const auto named = [](auto& list, const std::string& name) -> auto& {
    for (auto& item : list)
      if (item.name == name) return item;
    list.push_back({name});
    return list.back();
  };
  for (const Row& row : rows) named(named(all, row.table).groups, row.benchmark).rows.push_back(&row);
  std::string out;
  for (const Table& t : all) {
    if (all.size() > 1) out += "<h3>" + escape(t.name) + "</h3>\n";
    for (const Group& group : t.groups) out += table(group.name, group.rows);
  }
  return out + legend_of(rows);
}

}  // namespace mno::report
