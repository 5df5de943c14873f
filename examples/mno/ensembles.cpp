// Files of ensembles.
#include <algorithm>
#include <mno/io/ensemble_reader.hpp>
#include <mno/io/file.hpp>
#include <mno/io/shards/writer.hpp>

#include "import/arrays.hpp"
#include "operator.hpp"

namespace program {

std::unique_ptr<mno::io::EnsembleReader> open_ensembles(const std::filesystem::path& path) {
  namespace io = mno::io;
  auto file = open_arrays(path);
  std::error_code ignored;
  const std::string name =
      std::filesystem::is_directory(path, ignored) ? io::folder_name(path) : io::file_name(path);
  const auto names = file->names();
  for (const char* needed : {"u0", "uT", "t"})
    if (std::ranges::find(names, needed) == names.end()) {
      std::string found;
      for (std::size_t i = 0; i < names.size() && i < 12; ++i) found += (i ? ", " : "") + names[i];
      io::refuse(name, "expected the arrays u0, uT and t, found ", io::shown(found), "; mno import ",
                 path.filename().string(), " -o data.h5 turns other layouts into this one");
    }
  return std::make_unique<io::EnsembleReader>(name, std::move(file));
}

}  // namespace program
