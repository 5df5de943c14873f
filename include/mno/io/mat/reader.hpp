#pragma once
// Variables in MATLAB's files, version 5 and 7.3. Needs the library matio: only the headers of this folder
// do. It is called in a process of its own (isolated_file.hpp), since damaged files may crash it.
#include <filesystem>

#include "mno/io/isolated_file.hpp"
#include "mno/io/mat/file.hpp"

namespace mno::io {

class MatReader : public IsolatedFile {
 public:
  explicit MatReader(const std::filesystem::path& path,
                     std::chrono::seconds patience = std::chrono::seconds(60))
      : IsolatedFile(
            File(path).name(),  // or refused here, with the system's words
            [path] { return std::make_unique<detail::MatFile>(path); }, patience) {}
};

}  // namespace mno::io
