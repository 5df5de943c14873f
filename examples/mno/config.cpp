#include "config.hpp"

#include <cmath>
#include <mno/io/file.hpp>
#include <sstream>
#include <stdexcept>

// Some files that are not TOML make toml++ 3.3 fail its own assertions. These must be checked in every build,
// and give a sentence.
namespace program {
static constexpr void assert_toml(bool holds) {
  if (!holds) throw std::logic_error("the parser cannot go on");
}
}  // namespace program
#undef NDEBUG
#define TOML_ASSERT(...) ::program::assert_toml(static_cast<bool>(__VA_ARGS__))
#include <toml++/toml.h>

namespace program {

namespace {

constexpr std::uint64_t longest = 1 << 20;

std::string known_keys(const std::map<std::string, CLI::Option*>& options) {
  std::string all;
  for (const auto& [key, option] : options) all += (all.empty() ? "" : ", ") + key;
  return all;
}

// toml++ 3.3 has undefined behaviour on non-ASCII characters in places where TOML has none. So it never sees
// any: their bytes, and @ itself, go in as @ and two digits, and are put back in strings and keys.
constexpr std::string_view digits = "0123456789ABCDEF";

std::string hidden(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x80 && c != '@')
      out += c;
    else
      (out += '@') += {digits[byte / 16], digits[byte % 16]};
  }
  return out;
}
std::string shown_again(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i)
    if (const auto byte = text.substr(i + 1, 2);
        text[i] == '@' && byte.size() == 2 && byte.find_first_not_of(digits) == byte.npos) {
      out += static_cast<char>(digits.find(byte[0]) * 16 + digits.find(byte[1]));
      i += 2;
    } else {
      out += text[i];
    }
  return out;
}

std::string as_argument(const std::string& file, const std::string& key, const toml::node& node) {
  std::ostringstream out;
  out.precision(17);
  if (const auto* text = node.as_string())
    out << shown_again(text->get());
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
  std::string_view text = mno::io::characters(bytes);
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);  // a byte order mark
  toml::table tables;
  try {
    tables = toml::parse(hidden(text));
  } catch (const toml::parse_error& error) {
    mno::io::refuse(name, "is not TOML at line ", error.source().begin.line, ": ",
                    mno::io::plain(error.description(), 200));
  } catch (const std::logic_error& error) {
    mno::io::refuse(name, "is not TOML: ", error.what());
  }
  for (const auto& [table_key, node] : tables) {
    const std::string table_name = shown_again(table_key.str());
    const auto known = keys.find(table_name);
    const toml::table* table = node.as_table();
    if (known == keys.end() || !table)
      mno::io::refuse(name, "found an unknown key ", mno::io::shown(table_name),
                      "; expected are the tables [data], [model], [training] and [weights]");
    for (const auto& [key, value] : *table) {
      const std::string option_name = shown_again(key.str());
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
