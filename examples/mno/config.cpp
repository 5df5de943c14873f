#include "config.hpp"

#include <toml++/toml.h>

#include <cmath>
#include <mno/io/file.hpp>
#include <sstream>

namespace program {

namespace {

constexpr std::uint64_t longest = 1 << 20;

std::string known_keys(const std::map<std::string, CLI::Option*>& options) {
  std::string all;
  for (const auto& [key, option] : options) all += (all.empty() ? "" : ", ") + key;
  return all;
}

std::string as_argument(const std::string& file, const std::string& key, const toml::node& node) {
  std::ostringstream out;
  out.precision(17);
  if (const auto* text = node.as_string())
    out << text->get();
  else if (const auto* integer = node.as_integer())
    out << integer->get();
  else if (const auto* number = node.as_floating_point())
    out << number->get();
  else if (const auto* boolean = node.as_boolean())
    out << (boolean->get() ? "true" : "false");
  else
    mno::io::refuse(file, "expected a string, a number or true/false for '", key, "'");
  return out.str();
}

}  // namespace

void read_config(const std::filesystem::path& path, const ConfigKeys& keys) {
  const std::string name = mno::io::file_name(path);
  mno::io::File file(path);
  if (file.size() > longest)
    mno::io::refuse(name, "expected at most ", longest, " bytes of TOML, found ", file.size());
  const mno::io::Bytes bytes = file.read(0, file.size());
  toml::table tables;
  try {
    tables = toml::parse(mno::io::characters(bytes));
  } catch (const toml::parse_error& error) {
    mno::io::refuse(name, "is not TOML at line ", error.source().begin.line, ": ",
                    mno::io::plain(error.description(), 200));
  }
  for (const auto& [table_key, node] : tables) {
    const std::string table_name(table_key.str());
    const auto known = keys.find(table_name);
    const toml::table* table = node.as_table();
    if (known == keys.end() || !table)
      mno::io::refuse(name, "found an unknown key ", mno::io::shown(table_name),
                      "; expected are the tables [data], [model] and [training]");
    for (const auto& [key, value] : *table) {
      const std::string option_name(key.str());
      const auto option = known->second.find(option_name);
      if (option == known->second.end())
        mno::io::refuse(name, "found an unknown key ", mno::io::shown(option_name), " in [", table_name,
                        "]; expected are ", known_keys(known->second));
      const std::string argument = as_argument(name, option_name, value);
      if (option->second->count() > 0) continue;
      try {
        option->second->add_result(argument);
        option->second->run_callback();
      } catch (const CLI::Error& error) {
        mno::io::refuse(name, "key ", mno::io::shown(option_name), " in [", table_name, "]: ", error.what());
      }
    }
  }
}

}  // namespace program
