#pragma once
// Variables in NetCDF files, classic (CDF-1, -2 and -5) and 4. Needs the netCDF C library: only the headers
// of this folder do. It is called in a process of its own (isolated_file.hpp), since damaged files may crash
// it.
#include <filesystem>

#include "mno/io/isolated_file.hpp"
#include "mno/io/netcdf/file.hpp"

namespace mno::io {

class NetcdfReader : public IsolatedFile {
 public:
  explicit NetcdfReader(const std::filesystem::path& path,
                        std::chrono::seconds patience = std::chrono::seconds(60))
      : IsolatedFile(
            File(path).name(),  // or refused here, with the system's words
            [path] { return std::make_unique<detail::NetcdfFile>(path); }, patience) {}
};

}  // namespace mno::io
