#pragma once
// Options from a TOML file: tables of keys, each the name of a flag. The command line takes precedence.
#include <CLI/CLI.hpp>
#include <filesystem>
#include <map>
#include <string>

namespace program {

/// Table → key → option.
using ConfigKeys = std::map<std::string, std::map<std::string, CLI::Option*>>;

void read_config(const std::filesystem::path& path, const ConfigKeys& keys);

}  // namespace program
