#pragma once
// A directory of its own for every test, gone afterwards; and what files in it are compared with.
#include <stdlib.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "mno/io/file.hpp"

class Scratch {
 public:
  Scratch() {
    std::string pattern = (std::filesystem::temp_directory_path() / "mno-io-XXXXXX").string();
    if (!mkdtemp(pattern.data())) throw std::runtime_error("no scratch directory");
    path_ = pattern;
  }
  ~Scratch() { std::filesystem::remove_all(path_); }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

inline mno::io::Bytes bytes(std::string_view text) {
  mno::io::Bytes out;
  mno::io::append(out, text);
  return out;
}
/// Without the care of SafeFile: for files that are meant to be wrong.
inline void spoil(const std::filesystem::path& path, std::span<const std::byte> content) {
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(content.data()), std::streamsize(content.size()));
}
inline std::vector<std::string> files_in(const std::filesystem::path& folder) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    names.push_back(entry.path().filename());
  std::sort(names.begin(), names.end());
  return names;
}

/// The sentence that `call` is refused with, or "" if it is not.
template <class Call> std::string refusal(Call&& call) {
  try {
    call();
  } catch (const mno::Error& error) {
    return error.what();
  }
  return "";
}
inline bool says(const std::string& sentence, std::string_view part) {
  return sentence.find(part) != sentence.npos;
}
