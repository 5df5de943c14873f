#pragma once
// What a run leaves in its folder: run.json (everything), results.json (the rows) and report.html.
#include <filesystem>
#include <string>

#include "evaluation.hpp"
#include "report/run_record.hpp"

namespace program {

/// Sets the table, benchmark and method of the rows, and puts the paper's numbers beside them; the paper may
/// have another name for the method.
void name_rows(std::vector<mno::report::Row>& rows, const std::string& table, const std::string& benchmark,
               const std::string& method, const std::string& paper_method = {});

/// The mean over runs with its 95% interval, the values and floors of all runs, and the mean of value/floor
/// with its own interval. All lists have the same rows.
std::vector<mno::report::Row> over_runs(const std::vector<std::vector<mno::report::Row>>& runs);

/// What a model file says of itself.
std::vector<mno::report::Setting> settings_of(const std::filesystem::path& model);

/// The command line, quoted as a shell needs it.
std::string command_line();
std::string quoted(const std::string& word);

/// A record of one evaluated model.
mno::report::RunRecord record_of(const Evaluation& evaluation, const std::filesystem::path& model);

/// Writes run.json, results.json and report.html; returns the path of the last.
std::filesystem::path write_results(const mno::report::RunRecord& record,
                                    const std::filesystem::path& folder);
/// The rows and how they came about, with title, command and description: what documentation is made from.
void write_rows(const mno::report::RunRecord& record, const std::filesystem::path& file);
/// Every figure as prefix-NAME.svg.
void write_pictures(const mno::report::RunRecord& record, const std::filesystem::path& prefix);
/// Makes report.html anew from run.json.
std::filesystem::path write_page(const mno::report::RunRecord& record, const std::filesystem::path& file);

}  // namespace program
