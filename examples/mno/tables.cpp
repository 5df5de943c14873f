// mno tables: the tables of a page of documentation, made anew from recorded rows, and its pictures from the
// folder images beside it.
#include <fstream>
#include <iostream>
#include <iterator>
#include <memory>

#include "command.hpp"
#include "report/markdown.hpp"

namespace program {

namespace {

struct TablesOptions {
  std::filesystem::path page{}, results{}, output{};
};

std::optional<std::string> text_of(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) return {};
  return std::string(std::istreambuf_iterator<char>(in), {});
}

int tables(TablesOptions& options) {
  const auto page = text_of(options.page);
  if (!page) throw mno::Error("mno tables: '" + options.page.string() + "' cannot be opened.");
  if (options.output.empty()) options.output = options.page;
  std::string made;
  try {
    const auto images = options.page.parent_path() / "images";
    made = mno::report::with_tables(
        *page, [&](const std::string& name) { return text_of(options.results / (name + ".json")); },
        [&](const std::string& name) -> std::optional<std::string> {
          if (!std::filesystem::exists(images / (name + ".svg"))) return {};
          return "images/" + name + ".svg";
        });
  } catch (const std::exception& error) {
    throw mno::Error("mno tables: " + std::string(error.what()));
  }
  mno::io::SafeFile out(options.output, mno::io::Keep::nothing);
  out.write(made);
  out.commit();
  std::cout << "Wrote " << options.output.string() << ".\n";
  return succeeded;
}

}  // namespace

void add_tables(CLI::App& app, Run& run) {
  auto options = std::make_shared<TablesOptions>();
  CLI::App* command = app.add_subcommand("tables", "Put recorded rows into the tables of a Markdown page");
  command->footer("Example:\n  mno tables docs/experiments.md --results docs/results");
  command->add_option("page", options->page, "The page, with marks <!-- table FILE TABLE metric … -->")
      ->required();
  command->add_option("--results", options->results, "Where FILE.json is, as mno report --rows writes it")
      ->required();
  command->add_option("-o,--output", options->output, "Another file to write [the page itself]");
  command->callback([options, &run] { run = [options] { return tables(*options); }; });
}

}  // namespace program
