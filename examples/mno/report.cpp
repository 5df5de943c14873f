// mno report: the page of a run, made anew from what the run left behind; its pictures as files; its rows in
// a page of documentation.
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "command.hpp"
#include "results.hpp"

namespace program {

namespace {

struct ReportOptions {
  std::filesystem::path folder{}, output{}, rows{}, pictures{};
  bool json = false;
};

int report(ReportOptions& options) {
  if (!std::filesystem::exists(options.folder / "run.json"))
    throw mno::Error("mno report: there is no run.json in '" + options.folder.string() +
                     "'; mno evaluate -o DIR and mno experiment -o DIR write one.");
  if (options.output.empty()) options.output = options.folder / "report.html";
  require_folder_of(options.output);
  mno::report::RunRecord record;
  try {
    record = mno::report::RunRecord::read(options.folder);
  } catch (const std::runtime_error& error) {  // the file is not as expected
    throw mno::Error(std::string("mno report: ") + error.what());
  }
  write_page(record, options.output);
  if (!options.rows.empty()) {
    require_folder_of(options.rows);
    write_rows(record, options.rows);
  }
  if (!options.pictures.empty()) write_pictures(record, options.pictures);
  if (options.json)
    std::cout << nlohmann::ordered_json{{"command", "report"}, {"file", options.output.string()}}.dump()
              << "\n";
  else
    std::cout << "Wrote " << options.output.string() << ".\n";
  return succeeded;
}

}  // namespace

void add_report(CLI::App& app, Run& run) {
  auto options = std::make_shared<ReportOptions>();
  CLI::App* command = app.add_subcommand("report", "Make the page of a run: tables and pictures in one file");
  command->footer("Example:\n  mno report results\nopens in any browser: results/report.html");
  command->add_option("folder", options->folder, "Where mno evaluate -o or mno experiment -o left run.json")
      ->required();
  command->add_option("-o,--output", options->output, "The page to write [FOLDER/report.html]");
  command->add_option("--rows", options->rows, "A file for the rows as well, with how they were made");
  command->add_option("--pictures", options->pictures,
                      "Files for the pictures over results as well: PREFIX-NAME.svg");
  command->add_flag("--json", options->json, "Say what was done as JSON");
  command->callback([options, &run] { run = [options] { return report(*options); }; });
}

}  // namespace program
