#pragma once
// Other programs, run without a shell, side by side, and stopped with all that they started.
#include <chrono>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace demand {

using Command = std::vector<std::string>;  // the program's path and its arguments

/// Thrown where `interrupted` asked for it; nothing that was begun goes on.
struct Interrupted {};

/// Runs them at the same time, with what they say in the file `log` and their temporary files in `folder`,
/// and waits. True if all succeeded; if one fails the others are stopped.
bool run(std::span<const Command> commands, const std::filesystem::path& folder,
         const std::filesystem::path& log, const std::function<bool()>& interrupted);

/// What a command says, or nothing if it fails.
std::string said_by(const Command& command);

/// The program of that name in PATH, or the path itself; empty if there is none.
std::filesystem::path find_program(const std::string& name);

}  // namespace demand
