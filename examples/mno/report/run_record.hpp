#pragma once
// What one run of a program leaves behind for a reader: DIR/run.json. page.hpp makes a page of it.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "members_json.hpp"
#include "mno/io/safe_file.hpp"
#include "parts.hpp"

namespace mno::report {

struct RunRecord {
  std::string title = {}, description = {}, command = {};
  std::optional<Verdict> verdict = {};
  std::optional<DataNote> data = {};
  std::vector<Setting> settings = {};
  std::optional<std::string> version = {};  // of the library
  std::vector<Row> rows = {};
  std::optional<std::vector<Method>> methods = {};  // how rows of experiments came about
  std::vector<Figure> figures = {};
  std::vector<Curve> curves = {};
  std::vector<Example> examples = {};
  std::vector<Image> images = {};
  std::optional<Conditions> conditions = {};
  Calibration calibration = {};
  std::optional<PitHistogram> pit = {};
  Spectra spectra = {};
  bool operator==(const RunRecord&) const = default;

  Json to_json() const;
  /// `file` is the name that sentences use.
  static RunRecord from_json(const Json& json, const std::string& file = "run.json");
  /// Writes dir/run.json; the folder is made if it is not there.
  void write(const std::filesystem::path& dir) const;
  /// Reads dir/run.json.
  static RunRecord read(const std::filesystem::path& dir);
};

/// S is the struct, const when it is written.
template <class S, class T>
concept Is = std::same_as<std::remove_const_t<S>, T>;

template <class Visit, Is<Setting> S> void members(Visit& visit, S& s) {
  visit("name", s.name);
  visit("value", s.value);
}
template <class Visit, Is<Row> S> void members(Visit& visit, S& s) {
  visit("table", s.table);
  visit("benchmark", s.benchmark);
  visit("method", s.method);
  visit("metric", s.metric);
  visit("value", s.value);
  visit("at", s.at);
  visit("seeds", s.seeds);
  visit("interval95", s.interval95);
  visit("paper", s.paper);
  visit("floor", s.floor);
  visit("ratio", s.ratio);
  visit("ratio95", s.ratio95);
  visit("values", s.values);
  visit("floors", s.floors);
}
template <class Visit, Is<Run> S> void members(Visit& visit, S& s) {
  visit("data_seed", s.data_seed);
  visit("model_seed", s.model_seed);
  visit("model", s.model);
  visit("data", s.data);
  visit("training", s.training);
  visit("seconds", s.seconds);
}
template <class Visit, Is<Method> S> void members(Visit& visit, S& s) {
  visit("table", s.table);
  visit("benchmark", s.benchmark);
  visit("method", s.method);
  visit("at", s.at);
  visit("shape", s.shape);
  visit("recipe", s.recipe);
  visit("runs", s.runs);
}
template <class Visit, Is<Curve> S> void members(Visit& visit, S& s) {
  visit("name", s.name);
  visit("x", s.x);
  visit("y", s.y);
}
template <class Visit, Is<Figure> S> void members(Visit& visit, S& s) {
  visit("name", s.name);
  visit("title", s.title);
  visit("note", s.note);
  visit("x_label", s.x_label);
  visit("y_label", s.y_label);
  visit("log_x", s.log_x);
  visit("log_y", s.log_y);
  visit("lines", s.lines);
}
template <class Visit, Is<Example> S> void members(Visit& visit, S& s) {
  visit("title", s.title);
  visit("x", s.x);
  visit("initial", s.initial);
  visit("mean", s.mean);
  visit("deviation", s.deviation);
  visit("truth_mean", s.truth_mean);
  visit("truth_deviation", s.truth_deviation);
  visit("draws", s.draws);
  visit("members", s.members);
  visit("marginal_point", s.marginal_point);
  visit("marginal_members", s.marginal_members);
}
template <class Visit, Is<Image> S> void members(Visit& visit, S& s) {
  visit("title", s.title);
  visit("width", s.width);
  visit("height", s.height);
  visit("values", s.values);
  visit("panel", s.panel);
  visit("symmetric", s.symmetric);
  visit("rows", s.rows);
}
template <class Visit, Is<PitHistogram> S> void members(Visit& visit, S& s) { visit("shares", s.shares); }
template <class Visit, Is<SkillRow> S> void members(Visit& visit, S& s) {
  visit("reference", s.reference);
  visit("verdict", s.verdict);
  visit("skill", s.skill);
  visit("interval95", s.interval95);
}
template <class Visit, Is<Verdict> S> void members(Visit& visit, S& s) {
  visit("sentence", s.sentence);
  visit("skills", s.skills);
}
template <class Visit, Is<DataNote> S> void members(Visit& visit, S& s) {
  visit("name", s.name);
  visit("content", s.content);
  visit("members", s.members);
  visit("conditions", s.conditions);
  visit("scale", s.scale);
}
template <class Visit, Is<ConditionScores> S> void members(Visit& visit, S& s) {
  visit("sample", s.sample);
  visit("origin", s.origin);
  visit("time", s.time);
  visit("scores", s.scores);
}
template <class Visit, Is<Conditions> S> void members(Visit& visit, S& s) {
  visit("metrics", s.metrics);
  visit("all", s.all);
  visit("maps", s.maps);
}
template <class Visit, Is<Calibration> S> void members(Visit& visit, S& s) {
  visit("nominal", s.nominal);
  visit("covered", s.covered);
}
template <class Visit, Is<Spectra> S> void members(Visit& visit, S& s) {
  visit("wavenumber", s.wavenumber);
  visit("mean", s.mean);
  visit("truth_mean", s.truth_mean);
  visit("variance", s.variance);
  visit("truth_variance", s.truth_variance);
}
template <class Visit, Is<RunRecord> S> void members(Visit& visit, S& s) {
  visit("title", s.title);
  visit("description", s.description);
  visit("command", s.command);
  visit("verdict", s.verdict);
  visit("data", s.data);
  visit("settings", s.settings);
  visit("version", s.version);
  visit("rows", s.rows);
  visit("methods", s.methods);
  visit("figures", s.figures);
  visit("curves", s.curves);
  visit("examples", s.examples);
  visit("images", s.images);
  visit("conditions", s.conditions);
  visit("calibration", s.calibration);
  visit("pit", s.pit);
  visit("spectra", s.spectra);
}

/// Refuses a record whose lists do not fit each other.
inline void check(const RunRecord& record, const std::string& file = "run.json") {
  const Place top{file, ""};
  const auto length = [](const Numbers& list, std::size_t expected, const Place& place) {
    if (list.size() != expected)
      place.refuse("expected " + std::to_string(expected) + " numbers, found " + std::to_string(list.size()));
  };
  const auto length_or_none = [&](const Numbers& list, std::size_t expected, const Place& place) {
    if (!list.empty()) length(list, expected, place);
  };
  for (std::size_t i = 0; i < record.figures.size(); ++i)
    for (std::size_t l = 0; l < record.figures[i].lines.size(); ++l)
      length(record.figures[i].lines[l].y, record.figures[i].lines[l].x.size(),
             ((top / "figures")[i] / "lines")[l] / "y");
  for (std::size_t i = 0; i < record.curves.size(); ++i)
    length(record.curves[i].y, record.curves[i].x.size(), (top / "curves")[i] / "y");
  for (std::size_t i = 0; i < record.examples.size(); ++i) {
    const Example& e = record.examples[i];
    const Place place = (top / "examples")[i];
    const std::size_t points = e.x.size();
    length_or_none(e.initial, points, place / "initial");
    length_or_none(e.mean, points, place / "mean");
    length_or_none(e.deviation, e.mean.size(), place / "deviation");
    length_or_none(e.truth_mean, points, place / "truth_mean");
    length_or_none(e.truth_deviation, e.truth_mean.size(), place / "truth_deviation");
    for (std::size_t d = 0; d < e.draws.size(); ++d) length(e.draws[d], points, (place / "draws")[d]);
    for (std::size_t m = 0; m < e.members.size(); ++m) length(e.members[m], points, (place / "members")[m]);
    if (!e.marginal_members.empty() && (e.marginal_point < 0 || std::size_t(e.marginal_point) >= points))
      (place / "marginal_point")
          .refuse("expected an index below " + std::to_string(points) + ", found " +
                  std::to_string(e.marginal_point));
  }
  const auto fits = [&](const Image& image, const Place& place) {
    if (image.width < 1)
      (place / "width").refuse("expected at least 1, found " + std::to_string(image.width));
    if (image.height < 1)
      (place / "height").refuse("expected at least 1, found " + std::to_string(image.height));
    length(image.values, std::size_t(image.width) * std::size_t(image.height), place / "values");
    if (image.rows && image.rows->size() != std::size_t(image.height))
      (place / "rows")
          .refuse("expected " + std::to_string(image.height) + " names, found " +
                  std::to_string(image.rows->size()));
  };
  for (std::size_t i = 0; i < record.images.size(); ++i) fits(record.images[i], (top / "images")[i]);
  if (record.conditions) {
    const Conditions& conditions = *record.conditions;
    const Place place = top / "conditions";
    for (std::size_t i = 0; i < conditions.all.size(); ++i)
      length(conditions.all[i].scores, conditions.metrics.size(), (place / "all")[i] / "scores");
    for (std::size_t i = 0; i < conditions.maps.size(); ++i) fits(conditions.maps[i], (place / "maps")[i]);
  }
  length(record.calibration.covered, record.calibration.nominal.size(), top / "calibration" / "covered");
  const std::size_t wavenumbers = record.spectra.wavenumber.size();
  length_or_none(record.spectra.mean, wavenumbers, top / "spectra" / "mean");
  length_or_none(record.spectra.truth_mean, wavenumbers, top / "spectra" / "truth_mean");
  length_or_none(record.spectra.variance, wavenumbers, top / "spectra" / "variance");
  length_or_none(record.spectra.truth_variance, wavenumbers, top / "spectra" / "truth_variance");
}

inline Json RunRecord::to_json() const { return json_of(*this); }

inline RunRecord RunRecord::from_json(const Json& json, const std::string& file) {
  RunRecord record;
  read_json(json, Place{file, ""}, record);
  check(record, file);
  return record;
}

inline void RunRecord::write(const std::filesystem::path& dir) const {
  const std::filesystem::path file = dir / "run.json";
  check(*this, file.string());
  std::string text;
  try {
    text = to_json().dump() + "\n";
  } catch (const Json::exception& error) {  // a string that is not UTF-8
    Place{file.string(), ""}.refuse(error.what());
  }
  std::filesystem::create_directories(dir);
  io::SafeFile out(file, io::Keep::nothing);
  out.write(text);
  out.commit();
}

inline RunRecord RunRecord::read(const std::filesystem::path& dir) {
  const std::filesystem::path file = dir / "run.json";
  const Place place{file.string(), ""};
  std::ifstream in(file, std::ios::binary);
  if (!in) place.refuse("cannot be opened");
  const std::string text((std::istreambuf_iterator<char>(in)), {});
  Json json;
  try {
    json = Json::parse(text);
  } catch (const Json::exception& error) {
    place.refuse(std::string("not JSON: ") + error.what());
  }
  return from_json(json, place.file);
}

}  // namespace mno::report
