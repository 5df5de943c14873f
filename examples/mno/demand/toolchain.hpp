#pragma once
// The compiler, the headers and the flags that operators are made with, and what names the result.
#include <map>
#include <mno/core/error.hpp>

#include "commands.hpp"
#include "shape_numbers.hpp"

namespace demand {

/// What CMake knew when the program was built (configured.cpp.in).
struct Configured {
  const char *compiler, *optimisation;
  const char *include, *eigen;         // folders: ours, and Eigen's
  std::vector<std::string> flags;      // of options: FFTW, OpenMP
  std::vector<std::string> libraries;  // to link
  /// The sources of the boundary, by name: an operator is compiled from those that the program was.
  std::map<std::string, std::string> sources;
};
const Configured& configured();

/// There is no way to compile here; the sentence says what to install.
class NoToolchain : public mno::Error {
 public:
  using mno::Error::Error;
};

class Toolchain {
 public:
  /// MNO_CXX names another compiler than the program's; without that one, whichever is in PATH. Headers are
  /// looked for in PREFIX/include first; empty: where the program is installed.
  static Toolchain find(std::filesystem::path prefix = {});

  /// A name for what is made of a shape: SHA-256 of all that has a part in it.
  std::string key(const ShapeNumbers& shape) const;
  /// What makes the difference between two keys of one shape, by name.
  const std::map<std::string, std::string>& parts() const { return parts_; }
  const std::string& compiler_name() const { return name_; }  // "g++ 12.2.0"

  /// Writes the sources into a folder and gives the commands that compile them there, to be run side by
  /// side, and the one that links them to `object`.
  std::vector<Command> compile(const ShapeNumbers& shape, const std::filesystem::path& folder) const;
  Command link(const std::filesystem::path& folder, const std::filesystem::path& object) const;

 private:
  std::filesystem::path compiler_;
  std::string name_;
  std::vector<std::string> compile_flags_, link_flags_;
  std::map<std::string, std::string> parts_;
};

}  // namespace demand
