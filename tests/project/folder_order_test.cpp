// Folders of include/mno stand in the order in which data flows through them. A header includes only headers
// of its own folder and of those before it, so that the includes can have no cycle and a reader knows where
// to look.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace fs = std::filesystem;

namespace {

// The one place where the order is written down as code. CONTRIBUTING.md shows it to people; a test below
// keeps the two equal.
constexpr std::array<std::string_view, 16> order{
    "core", "device", "spectral", "layer", "expression", "law",      "data", "model",
    "loss", "metric", "simulate", "io",    "train",      "baseline", "cuda", "mpi"};

std::size_t place(std::string_view folder) {
  return std::size_t(std::find(order.begin(), order.end(), folder) - order.begin());
}

// The rooms of io, one for each file format. The headers in io itself are common to all formats and include
// no room; a room includes its own headers and those of the rooms before it. The last four are the components
// npz, hdf5, netcdf and mat, so that what includes none of them needs none of their libraries.
constexpr std::array<std::string_view, 8> rooms{"json", "shards", "npy",    "safetensors",
                                                "zip",  "hdf5",   "netcdf", "mat"};

/// The place of a header of io, "io/array.hpp" or "io/zip/member.hpp": 0 for what is common to all formats.
std::size_t room_place(std::string_view path) {
  const auto end = path.find('/', 3);
  if (end == std::string_view::npos) return 0;
  return 1 + std::size_t(std::find(rooms.begin(), rooms.end(), path.substr(3, end - 3)) - rooms.begin());
}

struct Include {
  std::string target;
  bool quoted;
};
std::vector<Include> includes(const std::string& text) {
  static const std::regex include(R"re(^[ \t]*#[ \t]*include[ \t]*(["<])([^">]+)[">])re");
  std::vector<Include> result;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::smatch match;
    if (std::regex_search(line, match, include)) result.push_back({match[2], match[1] == "\""});
  }
  return result;
}

/// What is wrong with a header at `path` (relative to include/mno) that has this text; empty if nothing is.
std::vector<std::string> complaints(const std::string& path, const std::string& text) {
  std::vector<std::string> result;
  if (!text.starts_with("#pragma once\n")) result.push_back(path + " does not start with #pragma once");
  if (path == "mno.hpp" || path == "io.hpp" || path == "baseline.hpp" || path == "cuda.hpp")
    return result;  // these may include everything

  const auto slash = path.find('/');
  if (slash == std::string::npos) {
    result.push_back(path + " lies in no folder");
    return result;
  }
  const std::string own = path.substr(0, slash);
  if (place(own) == order.size()) {
    result.push_back(path + ": folder " + own + " has no place in the order");
    return result;
  }
  if (own == "io" && room_place(path) > rooms.size()) result.push_back(path + " lies in no room of io");
  for (const auto& [target, quoted] : includes(text)) {
    if (!target.starts_with("mno/")) {
      if (quoted) result.push_back(path + " includes \"" + target + "\": write it from mno/ on");
      continue;
    }
    const auto end = target.find('/', 4);
    const std::string folder = end == std::string::npos ? "" : target.substr(4, end - 4);
    const bool later_room = folder == "io" && own == "io" && room_place(target.substr(4)) > room_place(path);
    if (place(folder) > place(own) || later_room)
      result.push_back(path + " includes " + target + ", which comes later");
  }
  return result;
}

std::string read(const fs::path& path) {
  std::ifstream in(path);
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

const fs::path source = MNO_SOURCE_DIR;

}  // namespace

TEST_CASE("every header keeps the order and starts with #pragma once") {
  const fs::path root = source / "include" / "mno";
  int headers = 0;
  for (const auto& entry : fs::recursive_directory_iterator(root)) {
    if (!entry.is_regular_file()) continue;
    ++headers;
    for (const auto& complaint :
         complaints(entry.path().lexically_relative(root).generic_string(), read(entry.path())))
      FAIL_CHECK(complaint);
  }
  CHECK(headers >= 7);  // fewer would mean that the wrong folder was searched
}

namespace {

/// All headers that one includes, itself among them.
std::set<std::string> reached_from(const std::string& first) {
  std::set<std::string> reached{first};
  for (std::vector<std::string> open{first}; !open.empty();) {
    const std::string header = open.back();
    open.pop_back();
    for (const auto& include : includes(read(source / "include" / header)))
      if (include.target.starts_with("mno/") && reached.insert(include.target).second)
        open.push_back(include.target);
  }
  return reached;
}

}  // namespace

TEST_CASE(
    "mno.hpp and io.hpp reach every header but those of others' operators, optional components and Eigen's "
    "tensors, and none of those; only io.hpp reaches files of data") {
  const std::set<std::string> models = reached_from("mno/mno.hpp"), files = reached_from("mno/io.hpp");
  const std::regex optional(
      "^mno/(core/tensor\\.hpp$|baseline\\.hpp$|baseline/|cuda\\.hpp$|cuda/|mpi/|io/(zip|hdf5|netcdf|mat)/)");
  int found = 0;
  for (const auto& entry : fs::recursive_directory_iterator(source / "include" / "mno")) {
    if (!entry.is_regular_file()) continue;
    const std::string header = entry.path().lexically_relative(source / "include").generic_string();
    const bool is_optional = std::regex_search(header, optional);
    found += is_optional;
    CHECK_MESSAGE((models.contains(header) || files.contains(header)) != is_optional, header,
                  is_optional ? " is optional, and mno.hpp or io.hpp reaches it"
                              : " is not reached by mno.hpp or io.hpp");
  }
  CHECK(found >= 3);
  for (const char* of_data : {"mno/io/ensemble_reader.hpp", "mno/io/npy/file.hpp", "mno/io/worker.hpp",
                              "mno/io/shards/sharded_file.hpp"})
    CHECK_MESSAGE((files.contains(of_data) && !models.contains(of_data)), of_data);
}

TEST_CASE("the checker sees a violation") {
  const std::string once = "#pragma once\n";
  CHECK(complaints("layer/gelu.hpp", once + "#include \"mno/model/mno.hpp\"\n") ==
        std::vector<std::string>{"layer/gelu.hpp includes mno/model/mno.hpp, which comes later"});
  CHECK(complaints("core/field.hpp", once + "  #  include <mno/device/cpu.hpp>\n").size() == 1);
  CHECK(complaints("core/field.hpp", once + "#include \"mno/mno.hpp\"\n").size() == 1);
  CHECK(complaints("core/field.hpp", once + "#include \"grid.hpp\"\n").size() == 1);
  CHECK(complaints("core/field.hpp", "// a field\n" + once).size() == 1);
  CHECK(complaints("kernels/x.hpp", once).size() == 1);
  CHECK(complaints("core/field.hpp", once + "#include \"mno/io/zip/npz.hpp\"\n").size() == 1);
  CHECK(complaints("io/zip/npz.hpp", once + "#include \"mno/train/adamw.hpp\"\n").size() == 1);
  CHECK(complaints("io/zip/npz.hpp", once + "#include \"mno/io/hdf5/reader.hpp\"\n").size() == 1);
  CHECK(complaints("io/array.hpp", once + "#include \"mno/io/json/parser.hpp\"\n").size() == 1);
  CHECK(complaints("io/attic/x.hpp", once).size() == 1);
  CHECK(complaints("x.hpp", once).size() == 1);
}

TEST_CASE("the checker leaves alone what is right") {
  CHECK(complaints("law/law.hpp",
                   "#pragma once\n#include <vector>\n#include \"mno/law/sample.hpp\"\n"
                   "#include \"mno/core/field.hpp\"\n// #include \"mno/model/mno.hpp\"\n")
            .empty());
  CHECK(complaints("io/zip/npz.hpp",
                   "#pragma once\n#include \"mno/io/zip/writer.hpp\"\n#include \"mno/io/npy/file.hpp\"\n"
                   "#include \"mno/io/array.hpp\"\n#include \"mno/data/ensemble.hpp\"\n")
            .empty());
  CHECK(complaints("mno.hpp", "#pragma once\n#include \"mno/train/adamw.hpp\"\n").empty());
}

TEST_CASE("CONTRIBUTING.md shows the same order") {
  std::string shown;
  for (std::string_view folder : order) shown += (shown.empty() ? "" : " → ") + std::string(folder);
  CHECK_MESSAGE(read(source / "CONTRIBUTING.md").find(shown) != std::string::npos,
                "CONTRIBUTING.md should show the line: ", shown);
}
