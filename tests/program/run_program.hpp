#pragma once
// The program mno as a test runs it. Operators that it compiles are kept in the build tree, for all tests.
#include <stdlib.h>
#include <sys/wait.h>

#include <string>

#include "io/scratch.hpp"

struct Outcome {
  int code;
  std::string out, errors;
};

inline std::string content(const std::filesystem::path& path) {
  const mno::io::Bytes bytes = mno::io::read_file(path);
  return std::string(mno::io::characters(bytes));
}

/// Runs `VARIABLES mno ARGUMENTS` in a folder.
inline Outcome mno_in(const Scratch& folder, const std::string& arguments, const std::string& variables = "",
                      const std::string& program = MNO_PROGRAM_PATH) {
  const std::string command = "cd '" + folder.path().string() +
                              "' && MNO_CACHE_DIR='" MNO_TEST_OPERATORS "' " + variables + " '" + program +
                              "' " + arguments + " >stdout.txt 2>stderr.txt";
  const int status = std::system(command.c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, content(folder / "stdout.txt"),
          content(folder / "stderr.txt")};
}
