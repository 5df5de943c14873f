#pragma once
// The rows of a record as tables, one per table and benchmark in the order of their first rows.
#include "run_record.hpp"
#include "text.hpp"

namespace mno::report {

inline std::string shown(const std::optional<double>& x) { return x ? shown(*x) : "–"; }

/// How many times the floor a value is. A floor that is not positive has no multiples.
inline std::optional<double> floor_ratio(const Row& row) {
  if (!row.floor || !(*row.floor > 0)) return {};
  return row.value / *row.floor;
}

inline std::string shown_place(const Row& row) {
  std::string out;
  for (const auto& [name, value] : row.at) {
    const double* number = std::get_if<double>(&value);
    out += (out.empty() ? "" : ", ") + escape(name) + " = " +
           (number ? shown(*number) : escape(std::get<std::string>(value)));
  }
  return out;
}

/// Columns that no row has anything for are left out.
inline std::string table(const std::string& caption, const std::vector<const Row*>& rows) {
  struct Column {
    const char *name, *kind;
    bool (*has)(const Row&);
    std::string (*cell)(const Row&);
  };
  const auto always = [](const Row&) { return true; };
  const Column columns[] = {
      {"Method", "words", always, [](const Row& r) { return escape(r.method); }},
      {"Metric", "words", always, [](const Row& r) { return escape(r.metric); }},
      {"At", "", [](const Row& r) { return !r.at.empty(); }, shown_place},
      {"Value", "number value", always, [](const Row& r) { return shown(r.value); }},
      {"± 95%", "number", [](const Row& r) { return r.interval95.has_value(); },
       [](const Row& r) { return shown(r.interval95); }},
      {"Seeds", "number", [](const Row& r) { return r.seeds.has_value(); },
       [](const Row& r) { return r.seeds ? std::to_string(*r.seeds) : "–"; }},
      {"Paper", "number", [](const Row& r) { return r.paper.has_value(); },
       [](const Row& r) { return shown(r.paper); }},
      {"Floor", "number", [](const Row& r) { return r.floor.has_value(); },
       [](const Row& r) { return shown(r.floor); }},
      {"Value / floor", "number", [](const Row& r) { return r.floor.has_value(); },
       [](const Row& r) {
         const auto ratio = floor_ratio(r);
         return ratio ? shown(*ratio, 3) : std::string("–");
       }},
  };
  std::string head;
  std::vector<std::string> lines(rows.size());
  for (const Column& column : columns) {
    if (std::none_of(rows.begin(), rows.end(), [&](const Row* row) { return column.has(*row); })) continue;
    const std::string kind = *column.kind ? std::string(" class=\"") + column.kind + "\"" : "";
    head += "<th scope=\"col\"" + kind + ">" + column.name + "</th>";
    for (std::size_t i = 0; i < rows.size(); ++i)
      lines[i] += "<td" + kind + ">" + column.cell(*rows[i]) + "</td>";
  }
  std::string out = "<div class=\"scroll\" tabindex=\"0\">\n<table>\n<caption>" + escape(caption) +
                    "</caption>\n<thead><tr>" + head + "</tr></thead>\n<tbody>\n";
  for (const std::string& line : lines) out += "<tr>" + line + "</tr>\n";
  return out + "</tbody>\n</table>\n</div>\n";
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
  bool intervals = false, papers = false, floors = false;
  for (const Row& row : rows) {
    intervals |= row.interval95.has_value();
    papers |= row.paper.has_value();
    floors |= row.floor.has_value();
  }
  for (const Table& t : all) {
    out += "<h3>" + escape(t.name) + "</h3>\n";
    for (const Group& group : t.groups) out += table(group.name, group.rows);
  }
  std::string note;
  if (intervals) note += "± 95% is half the width of the 95% interval over seeds. ";
  if (papers) note += "Paper is the number that the paper gives for the same quantity. ";
  if (floors)
    note +=
        "The floor is what no model can beat with the ensembles at hand; Value / floor is below 1 only by "
        "chance.";
  return out + (note.empty() ? "" : "<p class=\"note\">" + note + "</p>\n");
}

}  // namespace mno::report
