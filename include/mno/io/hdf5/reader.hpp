#pragma once
// Datasets in HDF5 files, read whole or by blocks. Needs the HDF5 C library: only the headers of this folder
// do. The library crashes on some damaged files, so it is called in a process of its own (isolated_file.hpp).
#include <filesystem>

#include "mno/io/hdf5/file.hpp"
#include "mno/io/isolated_file.hpp"

namespace mno::io {

class Hdf5Reader : public IsolatedFile {
 public:
  explicit Hdf5Reader(const std::filesystem::path& path,
                      std::chrono::seconds patience = std::chrono::seconds(60))
      : IsolatedFile(
            File(path).name(),  // or refused here, with the system's words
            [path] { return std::make_unique<detail::Hdf5File>(path); }, patience) {}
  /// A file that is in memory; it must stay there only until this returns.
  explicit Hdf5Reader(std::span<const std::byte> image,
                      std::chrono::seconds patience = std::chrono::seconds(60))
      : IsolatedFile(
            "memory", [image] { return std::make_unique<detail::Hdf5File>(image); }, patience) {}
};

}  // namespace mno::io
