// Code in the documentation is taken from files that are compiled and run. In README.md, CONTRIBUTING.md and
// docs/, the line before a ```cpp block says from where:
//   <!-- from examples/01_first_law.cpp#TAG -->
// and the block equals what stands there between the lines "// [TAG]" and "// [TAG] end", common indentation
// removed.
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <optional>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

namespace fs = std::filesystem;

namespace {

using Lines = std::vector<std::string>;

Lines split(const std::string& text) {
  Lines lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

std::string trimmed(const std::string& line) {
  const auto first = line.find_first_not_of(" \t");
  return first == std::string::npos ? "" : line.substr(first, line.find_last_not_of(" \t\r") - first + 1);
}

/// Without the indentation that all lines have in common.
Lines flush_left(Lines lines) {
  std::size_t common = std::string::npos;
  for (const auto& line : lines)
    if (!trimmed(line).empty()) common = std::min(common, line.find_first_not_of(' '));
  for (auto& line : lines) line = trimmed(line).empty() ? "" : line.substr(common);
  return lines;
}

/// The lines between // [tag] and // [tag] end.
std::optional<Lines> region(const Lines& source, const std::string& tag) {
  const auto is = [&](const std::string& what) {
    return [what](const std::string& line) { return trimmed(line) == what; };
  };
  const auto begin = std::find_if(source.begin(), source.end(), is("// [" + tag + "]"));
  if (begin == source.end()) return {};
  const auto end = std::find_if(begin, source.end(), is("// [" + tag + "] end"));
  if (end == source.end()) return {};
  return flush_left(Lines(begin + 1, end));
}

/// What is wrong with the code blocks of a document; `source` gives the text of a file, if there is one.
Lines complaints(const std::string& name, const std::string& document,
                 const std::function<std::optional<std::string>(const std::string&)>& source) {
  static const std::regex origin(R"(^<!-- from ([^# ]+)#([^ ]+) -->$)");
  const Lines lines = split(document);
  Lines result;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (!trimmed(lines[i]).starts_with("```")) continue;
    const std::string language = trimmed(lines[i]).substr(3);
    const std::size_t first = i + 1;
    for (++i; i < lines.size() && trimmed(lines[i]) != "```";) ++i;
    const std::string where = name + ":" + std::to_string(first);
    if (i == lines.size()) {
      result.push_back(where + ": the code block has no end");
      break;
    }
    if (language != "cpp" && language != "c++") continue;

    std::smatch match;
    const std::string before = first >= 2 ? trimmed(lines[first - 2]) : "";
    if (!std::regex_match(before, match, origin)) {
      result.push_back(where + ": the line before a cpp block must be <!-- from FILE#TAG -->");
      continue;
    }
    const auto text = source(match[1]);
    if (!text) {
      result.push_back(where + ": there is no compiled file " + match[1].str());
      continue;
    }
    const auto expected = region(split(*text), match[2]);
    if (!expected) {
      result.push_back(where + ": " + match[1].str() + " has no region [" + match[2].str() + "]");
      continue;
    }
    const Lines block(lines.begin() + std::ptrdiff_t(first), lines.begin() + std::ptrdiff_t(i));
    if (flush_left(block) != *expected)
      result.push_back(where + ": the block differs from [" + match[2].str() + "] of " + match[1].str());
  }
  return result;
}

std::optional<std::string> read(const fs::path& path) {
  std::ifstream in(path);
  if (!in) return {};
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

/// Only files that CMake compiles count.
std::optional<std::string> compiled(const std::string& path) {
  const bool program = path.starts_with("examples/") || path.starts_with("benchmarks/") ||
                       (path.starts_with("tests/") && path.ends_with("_test.cpp")) ||
                       path.starts_with("tests/consumer/") || path == "tests/mpi/worker.cpp";
  const bool header = path.starts_with("include/mno/") && path.ends_with(".hpp");
  if (!(program && path.ends_with(".cpp")) && !header) return {};
  return read(fs::path(MNO_SOURCE_DIR) / path);
}

const std::string made_up_source =
    "int main() {\n  // [use]\n  if (ready)\n    go();\n\n  stop();\n  // [use] end\n}\n";
std::optional<std::string> made_up(const std::string& path) {
  if (path == "examples/a.cpp") return made_up_source;
  return {};
}
Lines judge(const std::string& document) { return complaints("d", document, made_up); }

}  // namespace

TEST_CASE("every cpp block of the documentation stands in a compiled file") {
  const fs::path source = MNO_SOURCE_DIR;
  std::vector<fs::path> documents{source / "README.md", source / "CONTRIBUTING.md"};
  if (fs::exists(source / "docs"))
    for (const auto& entry : fs::recursive_directory_iterator(source / "docs"))
      if (entry.path().extension() == ".md") documents.push_back(entry.path());
  for (const auto& path : documents) {
    const auto text = read(path);
    REQUIRE_MESSAGE(text, path.string(), " cannot be read");
    for (const auto& complaint : complaints(path.lexically_relative(source).string(), *text, compiled))
      FAIL_CHECK(complaint);
  }
}

TEST_CASE("the checker accepts a block that is equal but for common indentation") {
  const std::string code = "if (ready)\n  go();\n\nstop();\n";
  CHECK(judge("Text\n<!-- from examples/a.cpp#use -->\n```cpp\n" + code + "```\nmore\n").empty());
  CHECK(judge("```console\n$ ./check\n```\n").empty());
  CHECK(judge("no code\n").empty());
}

TEST_CASE("the checker refuses every other block") {
  const std::string from = "<!-- from examples/a.cpp#use -->\n";
  CHECK(judge(from + "```cpp\nif (ready)\n  go();\n\nstop(1);\n```\n") ==
        Lines{"d:2: the block differs from [use] of examples/a.cpp"});
  CHECK(judge(from + "```cpp\nif (ready)\ngo();\n\nstop();\n```\n").size() == 1);  // other indentation inside
  CHECK(judge(from + "```cpp\nif (ready)\n  go();\n```\n").size() == 1);           // a line is missing
  CHECK(judge("```cpp\nstop();\n```\n") ==
        Lines{"d:1: the line before a cpp block must be <!-- from FILE#TAG -->"});
  CHECK(judge(from + "\n```cpp\nstop();\n```\n").size() == 1);
  CHECK(judge("<!-- from examples/b.cpp#use -->\n```cpp\n```\n") ==
        Lines{"d:2: there is no compiled file examples/b.cpp"});
  CHECK(judge("<!-- from examples/a.cpp#other -->\n```cpp\n```\n") ==
        Lines{"d:2: examples/a.cpp has no region [other]"});
  CHECK(judge(from + "```cpp\nif (ready)\n") == Lines{"d:2: the code block has no end"});
}

TEST_CASE("a file that CMake does not compile is no source for documentation") {
  CHECK_FALSE(compiled("README.md"));
  CHECK_FALSE(compiled("tests/compile_fail/grid_dimension.cpp"));
  CHECK_FALSE(compiled("examples/none.cpp"));
  CHECK(compiled("include/mno/core/grid.hpp"));
}
