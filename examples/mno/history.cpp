#include "history.hpp"

#include <cmath>
#include <map>
#include <mno/io/safetensors/model_file.hpp>
#include <nlohmann/json.hpp>

namespace program {

namespace {

using Json = nlohmann::ordered_json;
using mno::Index;

Json number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

/// The complete lines: a run that was killed may have left half a line.
std::vector<Json> lines_of(const std::filesystem::path& file) {
  std::vector<Json> lines;
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    Json json = Json::parse(line, nullptr, false);
    if (json.is_object() && json.contains("epoch") && json["epoch"].is_number())
      lines.push_back(std::move(json));
  }
  return lines;
}

}  // namespace

std::filesystem::path history_of(const std::filesystem::path& model) {
  return model.string() + ".history.jsonl";
}

void HistoryWriter::begin(mno::Index first_epoch, mno::Index epochs) {
  std::vector<Json> kept;
  if (resume_)
    for (Json& line : lines_of(file_))
      if (line.value("epochs", epochs) != epochs || line["epoch"].get<double>() < double(first_epoch))
        kept.push_back(std::move(line));
  out_.open(file_, std::ios::trunc);
  for (const Json& line : kept) out_ << line.dump() << "\n";
}

void HistoryWriter::add(const mno::EpochReport& report) {
  if (!report.finished) return;
  if (!out_.is_open()) begin(report.epoch, report.epochs);
  Json line{{"epoch", report.epoch},
            {"epochs", report.epochs},
            {"loss", number(report.loss)},
            {"learning_rate", number(report.learning_rate)},
            {"gradient_norm", number(report.gradient_norm)},
            {"terms", Json::object()}};
  if (report.terms.size() == mno::Recipe::size)  // another loss has no names that are known here
    for (std::size_t i = 0; i < report.terms.size(); ++i)
      if (report.terms[i] != 0) line["terms"][mno::Recipe::names()[i]] = number(report.terms[i]);
  if (report.validation)
    for (const auto& [name, value] : report.validation->named()) line["validation"][name] = number(value);
  out_ << line.dump() << "\n" << std::flush;
}

/// The length of the run that a model file came from, whose training is "epochs=N …"; 0 if the file does not
/// say.
static Index length_of(const std::filesystem::path& model) {
  if (!std::filesystem::exists(model)) return 0;
  const mno::io::SafetensorsReader file(model);
  const auto& metadata = mno::io::model_metadata(file);
  const auto training = metadata.find("training");
  constexpr std::string_view before = "epochs=";
  if (training == metadata.end() || !training->second.starts_with(before)) return 0;
  return Index(std::atoll(training->second.c_str() + before.size()));
}

std::vector<mno::report::Curve> curves_of(const std::filesystem::path& model) {
  std::vector<mno::report::Curve> curves;
  const auto put = [&](const std::string& name, double epoch, const Json& value) {
    if (!value.is_number()) return;
    auto curve = std::find_if(curves.begin(), curves.end(), [&](const auto& c) { return c.name == name; });
    if (curve == curves.end()) curve = curves.insert(curves.end(), {name, {}, {}});
    curve->x.push_back(epoch);
    curve->y.push_back(value.get<double>());
  };
  const Index length = length_of(model);
  for (const Json& line : lines_of(history_of(model))) {
    if (length > 0 && line.value("epochs", length) != length) continue;
    const double epoch = line["epoch"].get<double>();
    put("Loss/all terms", epoch, line.value("loss", Json()));
    const Json terms = line.value("terms", Json::object()),
               validation = line.value("validation", Json::object());
    for (const auto& [name, value] : terms.items()) put("Loss/" + name, epoch, value);
    for (const auto& [name, value] : validation.items()) put("Validation/" + name, epoch, value);
    put("Learning rate/learning rate", epoch, line.value("learning_rate", Json()));
  }
  return curves;
}

}  // namespace program
