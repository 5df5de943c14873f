// mno operators: those that the program has, and those that it has compiled.
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "command.hpp"
#include "operator.hpp"

namespace program {

namespace {

using Json = nlohmann::ordered_json;

std::string age_text(std::chrono::seconds age) {
  const auto count = age.count();
  if (count < 120) return std::to_string(count) + " s";
  if (count < 2 * 3600) return std::to_string(count / 60) + " min";
  if (count < 48 * 3600) return std::to_string(count / 3600) + " h";
  return std::to_string(count / 86400) + " days";
}

int list_operators(bool clear, bool as_json) {
  demand::Operators& all = operators();
  const auto before = all.kept();
  if (clear) all.folder().clear();
  const auto kept = clear ? all.kept() : before;
  const std::string folder = all.folder().path().string();
  if (as_json) {
    Json json{{"command", "operators"},
              {"folder", folder},
              {"compiled_in", Json::array()},
              {"kept", Json::array()}};
    for (const Operator& one : all.compiled_in())
      json["compiled_in"].push_back({{"operator", one.shape().list()}, {"parameters", one.parameters()}});
    for (const auto& one : kept) {
      json["kept"].push_back({{"operator", one.shape},
                              {"key", one.file.key},
                              {"bytes", one.file.bytes},
                              {"age_seconds", one.file.age.count()},
                              {"usable", one.problem.empty()}});
      if (!one.problem.empty()) json["kept"].back()["problem"] = one.problem;
    }
    if (clear) json["removed"] = before.size() - kept.size();
    std::cout << json.dump() << "\n";
    return succeeded;
  }
  if (clear) {
    std::cout << "Removed " << before.size() - kept.size() << " operator(s) from " << folder << ".\n";
    return succeeded;
  }
  std::cout << "Compiled in:\n";
  for (const Operator& one : all.compiled_in())
    std::cout << "  " << one.shape().list() << "  (" << one.shape().sentence() << ")\n";
  if (all.compiled_in().empty()) std::cout << "  none\n";
  std::cout << "Compiled on demand, in " << folder << ":\n";
  for (const auto& one : kept)
    std::cout << "  " << (one.shape.empty() ? one.file.key : one.shape) << "  " << one.file.bytes / 1024
              << " KiB, " << age_text(one.file.age) << " old"
              << (one.problem.empty() ? "" : ", not used by this program: " + one.problem) << "\n";
  if (kept.empty()) std::cout << "  none\n";
  return succeeded;
}

}  // namespace

void add_operators(CLI::App& app, Run& run) {
  struct Options {
    bool clear = false, json = false;
  };
  auto options = std::make_shared<Options>();
  CLI::App* command =
      app.add_subcommand("operators", "List the compiled operators, or remove those of the cache");
  command->footer(
      "Example:\n  mno operators\n  mno operators --clear\n"
      "An operator is compiled the first time that data and flags ask for its shape, and kept in "
      "MNO_CACHE_DIR, "
      "$XDG_CACHE_HOME/mno\nor ~/.cache/mno. MNO_CXX names the compiler. An operator is named by kind, "
      "dimension, "
      "channels, rank, width, modes,\ndepth and known fields.");
  command->add_flag("--clear", options->clear, "Remove all operators that were compiled on demand");
  command->add_flag("--json", options->json, "As JSON");
  command->callback(
      [options, &run] { run = [options] { return list_operators(options->clear, options->json); }; });
}

}  // namespace program
