#pragma once
// What the commands share. A command adds itself to the parser; what it does runs after parsing.
#include <CLI/CLI.hpp>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace program {

// What the program returns.
inline constexpr int succeeded = 0, failed = 1, bad_input = 2, stopped = 3;

using Run = std::function<int()>;

void add_simulate(CLI::App& app, Run& run);
void add_import(CLI::App& app, Run& run);
void add_train(CLI::App& app, Run& run);
void add_predict(CLI::App& app, Run& run);
void add_evaluate(CLI::App& app, Run& run);
void add_experiment(CLI::App& app, Run& run);
void add_report(CLI::App& app, Run& run);
void add_tables(CLI::App& app, Run& run);
void add_info(CLI::App& app, Run& run);
void add_operators(CLI::App& app, Run& run);

/// The command line as it was given.
std::vector<std::string>& arguments();

/// Has Ctrl-C or SIGTERM asked to stop? From the first call on, these only set a flag; a second one ends the
/// program as usual.
bool interruption();
void listen_for_interruption();

/// Threads to use: as many as asked for, or as the machine has.
int threads(int asked);

/// An Error unless the folder that the file is to be written to exists: better before the work than after it.
void require_folder_of(const std::filesystem::path& file);

}  // namespace program
