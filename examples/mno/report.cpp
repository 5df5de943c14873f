// mno report: the page of a run, made anew from its files, or one page of several runs; also their pictures
// and rows as files.
#include <algorithm>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "command.hpp"
#include "report/comparison.hpp"
#include "results.hpp"

namespace program {

namespace {

struct ReportOptions {
  std::vector<std::filesystem::path> folders{};
  std::filesystem::path output{}, rows{}, pictures{};
  bool json = false;
};

mno::report::RunRecord record_in(const std::filesystem::path& folder) {
  if (!std::filesystem::exists(folder / "run.json"))
    throw mno::Error("mno report: there is no run.json in '" + folder.string() +
                     "'; mno evaluate -o DIR and mno experiment -o DIR write one.");
  try {
    return mno::report::RunRecord::read(folder);
  } catch (const std::runtime_error& error) {  // the file is not as expected
    throw mno::Error(std::string("mno report: ") + error.what());
  }
}

/// The last part of a path names a run, unless another run has the same.
std::vector<mno::report::NamedRun> named_runs(const std::vector<std::filesystem::path>& folders) {
  const auto last = [](std::filesystem::path folder) {
    folder = std::filesystem::absolute(folder).lexically_normal();
    return (folder.has_filename() ? folder : folder.parent_path()).filename().string();
  };
  std::vector<mno::report::NamedRun> runs;
  for (const auto& folder : folders) {
    const auto same = std::ranges::count_if(folders, [&](const auto& f) { return last(f) == last(folder); });
    runs.push_back({same > 1 ? folder.string() : last(folder), record_in(folder)});
  }
  return runs;
}

int report(ReportOptions& options) {
  const bool several = options.folders.size() > 1;
  if (options.output.empty())
    options.output = several ? std::filesystem::path("report.html") : options.folders[0] / "report.html";
  require_folder_of(options.output);
  const auto runs = named_runs(options.folders);
  const mno::report::RunRecord record = several ? mno::report::together(runs) : runs[0].record;
  write_page(record, options.output);
  if (!options.rows.empty()) {
    require_folder_of(options.rows);
    write_rows(record, options.rows);
  }
  if (!options.pictures.empty()) write_pictures(record, options.pictures);
  if (options.json) {
    nlohmann::ordered_json json{{"command", "report"}, {"file", options.output.string()}};
    if (record.verdict) json["verdict"] = record.verdict->sentence;
    std::cout << json.dump() << "\n";
    return succeeded;
  }
  if (several && record.verdict) std::cout << record.verdict->sentence << "\n";
  std::cout << "Wrote " << options.output.string() << ".\n";
  return succeeded;
}

}  // namespace

void add_report(CLI::App& app, Run& run) {
  auto options = std::make_shared<ReportOptions>();
  CLI::App* command = app.add_subcommand("report", "Make the page of a run, or of several side by side");
  command->footer(
      "Example:\n  mno report results\nopens in any browser: results/report.html\n"
      "  mno report first second third -o comparison.html\nhas a table for every data they were scored on, "
      "and says which run is better than which.");
  command->add_option("folder", options->folders, "Where mno evaluate -o or mno experiment -o left run.json")
      ->required();
  command->add_option("-o,--output", options->output,
                      "The page to write [FOLDER/report.html; of several runs report.html]");
  command->add_option("--rows", options->rows, "A file for the rows as well, with how they were made");
  command->add_option("--pictures", options->pictures,
                      "Files for the pictures over results as well: PREFIX-NAME.svg");
  command->add_flag("--json", options->json, "Say what was done as JSON");
  command->callback([options, &run] { run = [options] { return report(*options); }; });
}

}  // namespace program
