#include "toolchain.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <mno/core/version.hpp>
#include <mno/io/safe_file.hpp>
#include <mno/io/sha256.hpp>

#include "boundary.hpp"
#include "processor.hpp"

namespace demand {

namespace {

namespace fs = std::filesystem;
using Texts = std::vector<std::string>;

constexpr const char* what_to_install =
    "On Debian: apt install g++ libeigen3-dev libfftw3-dev. The variable MNO_CXX may name another compiler.";

// An operator exports its entry and nothing else, so that two of them never see each other's functions.
constexpr const char* exports = "{ global: mno_operator; local: *; };\n";

std::string content(const fs::path& path) {
  const mno::io::Bytes bytes = mno::io::read_file(path);
  return std::string(mno::io::characters(bytes));
}

/// Names and contents of all files below a folder.
std::string tree_hash(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (entry.is_regular_file()) files.push_back(entry.path());
  std::ranges::sort(files);
  mno::io::Sha256 hash;
  for (const fs::path& file : files) {
    hash.add_part(file.lexically_relative(folder).string());
    hash.add_part(content(file));
  }
  return hash.digits();
}

std::string joined(const Texts& texts) {
  std::string out;
  for (const std::string& text : texts) out += (out.empty() ? "" : " ") + text;
  return out;
}

/// The first of these folders that has the file.
fs::path folder_with(const char* file, std::initializer_list<fs::path> folders) {
  std::error_code ignored;
  for (const fs::path& folder : folders)
    if (!folder.empty() && fs::is_regular_file(folder / file, ignored)) return folder;
  return {};
}

/// The program's folder is PREFIX/bin where it was installed, and headers are in PREFIX/include.
fs::path prefix_of_program() {
  std::error_code none;
  const fs::path self = fs::read_symlink("/proc/self/exe", none);
  return none ? fs::path("/usr") : self.parent_path().parent_path();
}

fs::path find_compiler() {
  if (const char* wish = std::getenv("MNO_CXX"); wish && *wish) {
    const fs::path found = find_program(wish);
    if (found.empty())
      throw NoToolchain("mno: MNO_CXX names the compiler '" + std::string(wish) + "', which is not there.");
    return found;
  }
  for (const char* name : {configured().compiler, "g++", "c++", "clang++"})
    if (fs::path found = find_program(name); !found.empty()) return found;
  throw NoToolchain(std::string("mno: there is no C++ compiler to make it with. ") + what_to_install);
}

/// A library by its path, or by its name where it has another path than when the program was built.
std::string here(const std::string& library) {
  const fs::path path = library;
  std::error_code ignored;
  if (!path.is_absolute() || fs::exists(path, ignored)) return library;
  return "-l" + path.stem().string().substr(3);  // libfftw3f.so
}

/// "12.2.0" of "gcc version 12.2.0 (Debian 12.2.0-14)".
std::string version_number(const std::string& said) {
  const std::size_t word = said.find(" version ");
  if (word == said.npos) return "";
  const std::size_t begin = word + 9, end = said.find_first_of(" \n", begin);
  return said.substr(begin, end - begin);
}

}  // namespace

Toolchain Toolchain::find(fs::path prefix) {
  Toolchain t;
  const Configured& c = configured();
  t.compiler_ = fs::canonical(find_compiler());
  const std::string said = said_by({t.compiler_.string(), "-v"});
  if (said.empty()) throw NoToolchain("mno: the compiler '" + t.compiler_.string() + "' does not work.");
  t.name_ = t.compiler_.filename().string() + " " + version_number(said);
  const bool clang = said.find("clang version") != said.npos;

  const fs::path home = prefix.empty() ? prefix_of_program() : prefix;
  const fs::path ours = folder_with("mno/train/fit.hpp", {home / "include", c.include});
  if (ours.empty())
    throw NoToolchain("mno: the library's headers are neither in '" + (home / "include").string() +
                      "' nor in '" + c.include + "': install them with the program, by cmake --install.");
  const fs::path eigen = folder_with(
      "Eigen/Core", {home / "include/eigen3", c.eigen, "/usr/include/eigen3", "/usr/local/include/eigen3"});
  if (eigen.empty()) throw NoToolchain(std::string("mno: Eigen is not there. ") + what_to_install);
  const std::string version = content(ours / "mno/core/version.hpp");
  if (version.find('"' + std::string(mno::library_version) + '"') == version.npos)
    throw NoToolchain("mno: the headers in '" + ours.string() + "' are not those of version " +
                      mno::library_version + ", which this program is.");

  const std::string level = instruction_level();
  t.compile_flags_ = {"-std=c++20",
                      "-DNDEBUG",
                      "-w",
                      "-pipe",
                      "-fPIC",
                      "-fno-math-errno",
                      "-fvisibility=hidden",
                      "-fvisibility-inlines-hidden"};
  if (!clang) t.compile_flags_.push_back("-fno-gnu-unique");
  for (const std::string& flag : instruction_flags(level)) t.compile_flags_.push_back(flag);
  t.compile_flags_.insert(t.compile_flags_.end(), c.flags.begin(), c.flags.end());
  t.compile_flags_.insert(t.compile_flags_.end(), {"-I" + ours.string(), "-isystem", eigen.string()});
  t.link_flags_ = {"-shared", "-Wl,--version-script=exports", "-Wl,-z,defs"};
  for (const std::string& library : c.libraries) t.link_flags_.push_back(here(library));

  std::string variables;  // that a compiler looks at
  for (const char* name : {"CPATH", "CPLUS_INCLUDE_PATH", "LIBRARY_PATH", "COMPILER_PATH", "GCC_EXEC_PREFIX"})
    if (const char* value = std::getenv(name)) variables += std::string(name) + "=" + value + " ";
  mno::io::Sha256 sources;
  for (const auto& [name, text] : c.sources) {
    sources.add_part(name);
    sources.add_part(text);
  }
  t.parts_ = {{"boundary", std::to_string(boundary::version) + " " + sources.digits()},
              {"compiler", t.compiler_.string() + " " + mno::io::sha256(said)},
              {"flags", std::string(c.optimisation) + " " + joined(t.compile_flags_) + " " +
                            joined(t.link_flags_) + " " + variables},
              {"headers", tree_hash(ours / "mno") + " " + tree_hash(eigen / "Eigen")},
              {"processor", level}};
  return t;
}

std::string Toolchain::key(const ShapeNumbers& shape) const {
  mno::io::Sha256 hash;
  hash.add_part(source_of(shape, boundary::entry_name));
  for (const auto& [name, value] : parts_) {
    hash.add_part(name);
    hash.add_part(value);
  }
  return hash.digits();
}

std::vector<Command> Toolchain::compile(const ShapeNumbers& shape, const fs::path& folder) const {
  const auto write = [&](const std::string& name, const std::string& text) {
    errno = 0;
    std::ofstream file(folder / name);
    file << text;
    if (!file.flush())
      mno::io::cannot_write(mno::io::file_name(folder / name),
                            "cannot be written: ", mno::io::system_message(errno),
                            "; MNO_CACHE_DIR may name another place for operators");
  };
  for (const auto& [name, text] : configured().sources) write(name, text);
  write("operator.cpp", source_of(shape, boundary::entry_name));
  write("exports", exports);
  std::vector<Command> commands;
  for (const std::string part : {"1", "2"}) {
    Command command{compiler_.string()};
    command.insert(command.end(), compile_flags_.begin(), compile_flags_.end());
    command.push_back(part == "1" ? configured().optimisation : "-Og");  // operator_of.hpp
    command.insert(command.end(), {"-DMNO_OPERATOR_PART=" + part, "-c", (folder / "operator.cpp").string(),
                                   "-o", (folder / ("part" + part + ".o")).string()});
    commands.push_back(std::move(command));
  }
  return commands;
}

Command Toolchain::link(const fs::path& folder, const fs::path& object) const {
  Command command{compiler_.string()};
  for (const char* part : {"part1.o", "part2.o"}) command.push_back((folder / part).string());
  for (const std::string& flag : link_flags_)
    command.push_back(flag == "-Wl,--version-script=exports"
                          ? "-Wl,--version-script=" + (folder / "exports").string()
                          : flag);
  command.insert(command.end(), {"-o", object.string()});
  return command;
}

}  // namespace demand
