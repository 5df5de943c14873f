#include "results.hpp"

#include <charconv>
#include <cmath>
#include <mno/io/safetensors/reader.hpp>
#include <mno/metric/interval95.hpp>
#include <sstream>

#include "command.hpp"
#include "history.hpp"
#include "paper.hpp"
#include "progress.hpp"
#include "report/page.hpp"

namespace program {

using mno::report::Json;
using mno::report::Row;

namespace {

void write_text(const std::filesystem::path& file, const std::string& text) {
  mno::io::SafeFile out(file, mno::io::Keep::nothing);
  out.write(text);
  out.commit();
}

/// The paper has one W2 and does not say which: its number stands beside both of ours.
bool same_metric(const std::string& ours, const std::string& papers) {
  return ours == papers || (papers == "w2" && (ours == "w2s" || ours == "w2g"));
}

}  // namespace

void name_rows(std::vector<Row>& rows, const std::string& table, const std::string& benchmark,
               const std::string& method, const std::string& paper_method) {
  const std::string& theirs = paper_method.empty() ? method : paper_method;
  static const std::vector<Row> paper = [] {
    std::vector<Row> all;
    const Json json = Json::parse(paper_json), &rows = json.at("rows");
    for (std::size_t i = 0; i < rows.size(); ++i)
      mno::report::read_json(rows[i], {"paper.json", "rows[" + std::to_string(i) + "]"}, all.emplace_back());
    return all;
  }();
  for (Row& row : rows) {
    row.table = table;
    row.benchmark = benchmark;
    row.method = method;
    for (const Row& known : paper)
      if (known.benchmark == benchmark && known.method == theirs && same_metric(row.metric, known.metric) &&
          known.at == row.at)
        row.paper = known.value;
  }
}

std::vector<Row> over_runs(const std::vector<std::vector<Row>>& runs) {
  std::vector<Row> rows = runs.at(0);
  const auto mean = [](const std::vector<double>& values, double& to, std::optional<double>& interval95) {
    to = values.front();
    if (values.size() < 2) return;
    const auto interval = mno::metric::interval95(values);
    to = interval.mean;
    interval95 = interval.half_width;
  };
  for (std::size_t r = 0; r < rows.size(); ++r) {
    std::vector<double> values, floors, ratios;
    for (const auto& one : runs) {
      values.push_back(one.at(r).value);
      if (!one.at(r).floor) continue;
      floors.push_back(*one.at(r).floor);
      if (floors.back() > 0) ratios.push_back(values.back() / floors.back());
    }
    Row& row = rows[r];
    row.seeds = int(runs.size());
    mean(values, row.value, row.interval95);
    row.values = values;
    if (floors.size() == runs.size()) {
      std::optional<double> unused;
      mean(floors, row.floor.emplace(), unused);
      row.floors = floors;
    }
    if (ratios.size() == runs.size()) mean(ratios, row.ratio.emplace(), row.ratio95);
  }
  return rows;
}

std::vector<mno::report::Setting> settings_of(const std::filesystem::path& model) {
  const mno::io::SafetensorsReader file(model);
  std::vector<mno::report::Setting> settings;
  for (const char* key : {"recipe", "data.samples"}) {
    const auto found = file.metadata().find(key);
    if (found != file.metadata().end()) settings.push_back({key, found->second});
  }
  for (const char* key : {"shape", "training"}) {  // "rank=16 width=48 …"; a number that is 0 is not in use
    const auto found = file.metadata().find(key);
    if (found == file.metadata().end()) continue;
    std::istringstream words(found->second);
    for (std::string word; words >> word;) {
      const auto equals = word.find('=');
      if (equals == word.npos || word.substr(equals + 1) == "0") continue;
      std::string value = word.substr(equals + 1);
      double number = 0;
      if (const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
          error == std::errc() && end == value.data() + value.size() && value.size() > 8)
        value = short_number(number);
      settings.push_back({word.substr(0, equals), value});
    }
  }
  return settings;
}

std::string quoted(const std::string& word) {
  const std::string_view harmless =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./=,:+@%";
  if (!word.empty() && word.find_first_not_of(harmless) == word.npos) return word;
  std::string out = "'";
  for (const char c : word) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

std::string command_line() {
  std::string out;
  for (const std::string& word : arguments()) out += (out.empty() ? "" : " ") + quoted(word);
  return out;
}

mno::report::RunRecord record_of(const Evaluation& evaluation, const std::filesystem::path& model) {
  mno::report::RunRecord record;
  record.command = command_line();
  record.settings = settings_of(model);
  record.rows = evaluation.rows;
  record.verdict = evaluation.verdict;
  record.data = evaluation.data;
  record.conditions = evaluation.conditions;
  record.pit = evaluation.pit;
  record.curves = curves_of(model);
  record.examples = evaluation.examples;
  record.images = evaluation.images;
  record.calibration = evaluation.calibration;
  record.spectra = evaluation.spectra;
  return record;
}

std::filesystem::path write_page(const mno::report::RunRecord& record, const std::filesystem::path& file) {
  write_text(file, mno::report::render(record));
  return file;
}

void write_rows(const mno::report::RunRecord& record, const std::filesystem::path& file) {
  std::string text = "{";
  const auto say = [&](const char* name, const std::string& value) {
    text += (text.size() > 1 ? ",\n \"" : "\n \"") + std::string(name) + "\": " + value;
  };
  const auto list = [&](const char* name, const auto& all) {  // a line for each, so that changes can be read
    std::string lines = "[";
    for (std::size_t i = 0; i < all.size(); ++i)
      lines += (i ? ",\n  " : "\n  ") + mno::report::json_of(all[i]).dump();
    say(name, lines + "\n ]");
  };
  say("title", Json(record.title).dump());
  say("description", Json(record.description).dump());
  say("command", Json(record.command).dump());
  if (record.version) say("version", Json(*record.version).dump());
  list("rows", record.rows);
  if (record.methods) list("methods", *record.methods);
  write_text(file, text + "\n}\n");
}

void write_pictures(const mno::report::RunRecord& record, const std::filesystem::path& prefix) {
  for (const mno::report::Figure& figure : record.figures)
    if (const std::string picture = mno::report::picture(mno::report::plot_of(figure)); !picture.empty())
      write_text(prefix.string() + "-" + figure.name + ".svg", picture);
}

std::filesystem::path write_results(const mno::report::RunRecord& record,
                                    const std::filesystem::path& folder) {
  record.write(folder);
  Json results{{"rows", mno::report::json_of(record.rows)}};
  write_text(folder / "results.json", results.dump(1) + "\n");
  return write_page(record, folder / "report.html");
}

}  // namespace program
