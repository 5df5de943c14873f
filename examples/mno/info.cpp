// mno info: what a file holds, from its headers, and whether it is as it was written.
#include <algorithm>
#include <array>
#include <iostream>
#include <memory>
#include <mno/io/safetensors/reader.hpp>
#include <mno/io/shards/sharded_file.hpp>
#include <nlohmann/json.hpp>

#include "command.hpp"
#include "import/arrays.hpp"
#include "operator.hpp"

namespace program {

namespace {

namespace io = mno::io;
using Json = nlohmann::ordered_json;

/// Is it a tensor of a checkpoint or of the references, not of the model itself?
bool beside_model(const std::string& name) {
  for (const char* prefix : {"adamw.", "average.", "best.", "reference."})
    if (name.starts_with(prefix)) return true;
  return false;
}

Json array(const std::string& name, const io::Layout& layout) {
  return {{"name", name}, {"type", io::name_of(layout.type)}, {"shape", layout.shape}};
}

void describe_ensemble(const std::filesystem::path& path, std::unique_ptr<io::ArrayFile> file, Json& json) {
  const auto data = std::make_unique<io::EnsembleReader>(io::file_name(path), std::move(file));
  json["kind"] = "ensemble";
  json["dimension"] = data->dimension();
  json["samples"] = data->samples();
  if (data->least_members() == data->most_members())
    json["members"] = data->most_members();
  else
    json["members"] = {data->least_members(), data->most_members()};  // from, to
  json["channels"] = data->channels();
  json["points"] = data->points();
  json["length"] = data->length();
  json["bounded"] = data->bounded();
  json["known_fields"] = data->known_fields();
}

/// Arrays of any format, with the names of their axes where the file has some.
Json of_arrays(const std::filesystem::path& path) {
  auto file = open_arrays(path);
  Json json{{"kind", "arrays"}, {"arrays", Json::array()}};
  if (const auto* sharded = dynamic_cast<const io::ShardedFile*>(file.get()))
    json["shards"] = sharded->shards();
  const auto names = file->names();
  for (const std::string& name : names) {
    try {
      json["arrays"].push_back(array(name, file->open(name)->layout()));
    } catch (const mno::Error&) {  // texts and the like
      json["arrays"].push_back({{"name", name}, {"type", "not numbers"}, {"shape", Json::array()}});
    }
    const auto axes = file->describe(name).axes;
    if (!axes.empty()) json["arrays"].back()["axes"] = axes;
  }
  const auto has = [&](const char* name) { return std::ranges::find(names, name) != names.end(); };
  if (has("u0") && has("uT") && has("t")) describe_ensemble(path, std::move(file), json);
  return json;
}

bool intact(const io::SafetensorsReader& file) {
  try {
    file.verify();
    return true;
  } catch (const mno::Error&) {
    return false;
  }
}

Json of_safetensors(const std::filesystem::path& path) {
  const io::SafetensorsReader file(path);
  Json json{{"kind", "safetensors"}};
  const auto& metadata = file.metadata();
  const bool model = metadata.contains("format") && metadata.contains("shape");
  if (model) json["kind"] = metadata.contains("training.step") ? "checkpoint" : "model";
  if (metadata.contains(io::checksum_key)) json["intact"] = intact(file);
  json["metadata"] = Json::object();
  for (const auto& [key, value] : metadata) json["metadata"][key] = value;
  std::uint64_t parameters = 0;
  Json leaves = Json::array();
  for (const std::string& name : file.names()) {
    if (model && beside_model(name)) continue;
    leaves.push_back(array(name, file.layout(name)));
    if (name != "known_fields") parameters += file.layout(name).elements();
  }
  if (model) json["parameters"] = parameters;
  json["leaves"] = std::move(leaves);
  return json;
}

Json inspect(const std::filesystem::path& path) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) return of_arrays(path);  // whose shards are as written
  io::File file(path);
  std::array<std::byte, 8> start{};
  file.read(0, std::span(start).first(std::size_t(std::min<std::uint64_t>(file.size(), start.size()))));
  const std::string_view magic = io::characters(start);
  for (const char* begin : {"PK", "\x89HDF\r", "CDF", "MATLAB", "\x93NUMPY"})
    if (magic.starts_with(begin)) return of_arrays(path);
  return of_safetensors(path);
}

int info(const std::filesystem::path& path, bool as_json) {
  Json json = inspect(path);
  json["file"] = path.string();
  if (as_json) {
    std::cout << json.dump(-1, ' ', false, Json::error_handler_t::replace) << "\n";
    return succeeded;
  }
  std::cout << path.string() << ": " << json["kind"].get<std::string>() << "\n";
  for (const auto& [key, value] : json.items())
    if (key != "kind" && key != "file" && key != "arrays" && key != "leaves" && key != "metadata")
      std::cout << "  " << key << ": " << value.dump() << "\n";
  if (json.contains("metadata"))
    for (const auto& [key, value] : json["metadata"].items())
      std::cout << "  " << io::plain(key, 200) << ": " << io::plain(value.get<std::string>(), 4000) << "\n";
  for (const char* list : {"arrays", "leaves"})
    if (json.contains(list))
      for (const auto& item : json[list])
        std::cout << "  " << io::plain(item["name"].get<std::string>(), 200) << "  "
                  << item["type"].get<std::string>() << " " << io::to_string(item["shape"].get<io::Extents>())
                  << (item.contains("axes") ? " " + item["axes"].dump() : "") << "\n";
  return succeeded;
}

}  // namespace

void add_info(CLI::App& app, Run& run) {
  struct Options {
    std::filesystem::path file{};
    bool json = false;
  };
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand(
      "info", "Say what a model, checkpoint, .npz, .npy or HDF5 file, or a folder of shards, holds");
  command->footer("Example:\n  mno info model.safetensors");
  command->add_option("file", options->file, "The file, or folder of shards")->required();
  command->add_flag("--json", options->json, "As JSON");
  command->callback([options, &run] { run = [options] { return info(options->file, options->json); }; });
}

}  // namespace program
