#include "../../examples/mno/report/run_record.hpp"

#include <doctest/doctest.h>
#include <stdlib.h>

#include <functional>

#include "sample.hpp"

using namespace mno::report;

namespace {

class Folder {
 public:
  Folder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "mno-report-XXXXXX").string();
    if (!mkdtemp(pattern.data())) throw std::runtime_error("no folder for the test");
    path = pattern;
  }
  ~Folder() { std::filesystem::remove_all(path); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  std::filesystem::path path;
};

std::string refusal(const std::function<void()>& call) {
  try {
    call();
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "";
}
/// The sentence about the sample's JSON after `change`.
std::string refusal_after(const std::function<void(Json&)>& change) {
  static const Json sample = sample_record().to_json();
  Json json = sample;
  change(json);
  return refusal([&] { RunRecord::from_json(json, "a/run.json"); });
}
bool says(const std::string& sentence, const std::string& part) {
  return sentence.find(part) != sentence.npos;
}

}  // namespace

TEST_CASE("what is written reads back equal") {
  const Folder folder;
  const RunRecord record = sample_record();
  record.write(folder.path / "new" / "run");
  CHECK(RunRecord::read(folder.path / "new" / "run") == record);
  RunRecord other = record;
  other.title = "<\"&' \\ \n µ";
  other.rows[0].seeds.reset();
  other.rows[0].at.clear();
  other.examples[0].draws.clear();
  other.write(folder.path / "new" / "run");  // replaces
  CHECK(RunRecord::read(folder.path / "new" / "run") == other);
  CHECK_FALSE(other == record);
  RunRecord().write(folder.path);
  CHECK(RunRecord::read(folder.path) == RunRecord());
}

TEST_CASE("optional members are absent from the file when they have no value") {
  RunRecord record;
  record.rows = {{.table = "T", .value = 1}};
  const Json row = record.to_json()["rows"][0];
  CHECK(row.size() == 5);
  for (const char* name : {"at", "seeds", "interval95", "paper", "floor"}) CHECK_FALSE(row.contains(name));
  CHECK(RunRecord::from_json(record.to_json()) == record);
}

TEST_CASE("a record of before, without verdict, data and conditions, is read as it was") {
  Json json = sample_record().to_json();
  for (const char* part : {"verdict", "data", "conditions", "pit"}) CHECK(json.erase(part) == 1);
  RunRecord expected = sample_record();
  expected.verdict.reset();
  expected.data.reset();
  expected.conditions.reset();
  expected.pit.reset();
  CHECK(RunRecord::from_json(json) == expected);
}

TEST_CASE("settings keep their order") {
  RunRecord record;
  record.settings = {{"z", "1"}, {"a", "2"}, {"z", "3"}};
  CHECK(RunRecord::from_json(Json::parse(record.to_json().dump())).settings == record.settings);
}

TEST_CASE("numbers that are not finite are null in the file and NaN when read") {
  RunRecord record;
  const double infinity = std::numeric_limits<double>::infinity();
  record.curves = {{"loss", {0, 1, 2}, {1, infinity, std::nan("")}}};
  record.rows = {{.value = -infinity, .paper = std::nan("")}};
  const std::string text = record.to_json().dump();
  CHECK(says(text, "[1.0,null,null]"));
  const RunRecord back = RunRecord::from_json(Json::parse(text));
  CHECK(back.curves[0].y[0] == 1);
  CHECK(std::isnan(back.curves[0].y[1]));
  CHECK(std::isnan(back.rows[0].value));
  REQUIRE(back.rows[0].paper.has_value());
  CHECK(std::isnan(*back.rows[0].paper));
}

TEST_CASE("a member that is missing, unknown or of another kind is named with its file") {
  CHECK(refusal_after([](Json&) {}) == "");
  CHECK(refusal_after([](Json& j) { j.erase("title"); }) == "file 'a/run.json': member 'title': missing.");
  CHECK(refusal_after([](Json& j) { j["rows"][2].erase("value"); }) ==
        "file 'a/run.json': member 'rows[2].value': missing.");
  CHECK(refusal_after([](Json& j) { j["rows"][1]["value"] = "1"; }) ==
        "file 'a/run.json': member 'rows[1].value': expected a number, found string.");
  CHECK(refusal_after([](Json& j) { j["rows"][0]["at"]["t"] = true; }) ==
        "file 'a/run.json': member 'rows[0].at.t': expected a number or a string, found boolean.");
  CHECK(refusal_after([](Json& j) { j["rows"][0]["seeds"] = 2.5; }) ==
        "file 'a/run.json': member 'rows[0].seeds': expected a whole number, found number.");
  CHECK(refusal_after([](Json& j) { j["rows"][0]["seeds"] = 4294967296; }) ==
        "file 'a/run.json': member 'rows[0].seeds': expected a whole number of 32 bits, found 4294967296.");
  CHECK(refusal_after([](Json& j) { j["rows"][0]["interval_95"] = 1; }) ==
        "file 'a/run.json': member 'rows[0].interval_95': not a member of the format.");
  CHECK(refusal_after([](Json& j) { j["settings"] = Json::object(); }) ==
        "file 'a/run.json': member 'settings': expected a list, found object.");
  CHECK(refusal_after([](Json& j) { j["examples"][1]["draws"][3][7] = "x"; }) ==
        "file 'a/run.json': member 'examples[1].draws[3][7]': expected a number, found string.");
  CHECK(refusal_after([](Json& j) { j["title"] = nullptr; }) ==
        "file 'a/run.json': member 'title': expected a string, found null.");
  CHECK(refusal_after([](Json& j) { j = Json::array(); }) ==
        "file 'a/run.json': expected an object, found array.");
}

TEST_CASE("lists that do not fit each other are refused") {
  const auto shorter = [](const char* part, const char* list) {
    return refusal_after([&](Json& j) { (j[part].is_array() ? j[part][0] : j[part])[list].erase(0); });
  };
  CHECK(shorter("curves", "y") ==
        "file 'a/run.json': member 'curves[0].y': expected 201 numbers, found 200.");
  for (const char* list : {"initial", "mean", "deviation", "truth_mean", "truth_deviation"})
    CHECK(says(shorter("examples", list), std::string("'examples[0].") + list + "': expected 128 numbers"));
  CHECK(says(shorter("images", "values"), "'images[0].values': expected 9216 numbers, found 9215."));
  CHECK(says(shorter("calibration", "covered"), "'calibration.covered': expected 19 numbers"));
  for (const char* list : {"mean", "truth_mean", "variance", "truth_variance"})
    CHECK(says(shorter("spectra", list), std::string("'spectra.") + list + "': expected 65 numbers"));
  CHECK(says(refusal_after([](Json& j) { j["examples"][0]["members"][2].erase(0); }),
             "members[2]': expected 128"));
  for (const int point : {-1, 128})
    CHECK(says(refusal_after([&](Json& j) { j["examples"][0]["marginal_point"] = point; }),
               "'examples[0].marginal_point': expected an index below 128, found " + std::to_string(point)));
  CHECK(says(refusal_after([](Json& j) { j["images"][1]["width"] = -96; }),
             "'images[1].width': expected at least 1"));
  CHECK(says(refusal_after([](Json& j) { j["examples"][0]["mean"].clear(); }), "'examples[0].deviation'"));
  CHECK(says(refusal_after([](Json& j) { j["conditions"]["all"][1]["scores"].erase(0); }),
             "'conditions.all[1].scores': expected 3 numbers, found 2"));
  CHECK(says(refusal_after([](Json& j) { j["conditions"]["maps"][0]["rows"].erase(0); }),
             "'conditions.maps[0].rows': expected 12 names, found 11"));
}

TEST_CASE("a file that is not there, not JSON or cannot be written is named") {
  const Folder folder;
  const std::string file = (folder.path / "run.json").string();
  CHECK(refusal([&] { RunRecord::read(folder.path); }) == "file '" + file + "': cannot be opened.");
  std::ofstream(file) << "{\"title\": ";
  CHECK(says(refusal([&] { RunRecord::read(folder.path); }), "file '" + file + "': not JSON: "));
  RunRecord record;
  record.title = "\xff";
  CHECK(says(refusal([&] { record.write(folder.path); }), "file '" + file + "': "));
  record = {};
  record.calibration.nominal = {0.5};
  CHECK(says(refusal([&] { record.write(folder.path); }),
             "'calibration.covered': expected 1 numbers, found 0"));
}
