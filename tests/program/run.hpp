#pragma once
// The program mno as a user runs it.
#include <sys/wait.h>

#include <cstdlib>
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

/// Runs `mno ARGUMENTS` in a folder.
inline Outcome mno_in(const Scratch& folder, const std::string& arguments) {
  const std::string command = "cd '" + folder.path().string() + "' && '" MNO_PROGRAM_PATH "' " + arguments +
                              " >stdout.txt 2>stderr.txt";
  const int status = std::system(command.c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, content(folder / "stdout.txt"),
          content(folder / "stderr.txt")};
}
