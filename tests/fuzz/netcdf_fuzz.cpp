#include "file_of.hpp"
#include "mno/io/netcdf/reader.hpp"
#include "mno/io/unpacked.hpp"

/// A good file must load before bad ones are tried: a reader that refuses everything would find nothing.
extern "C" int LLVMFuzzerInitialize(int*, char***) {
  isolate_findings();
  const auto path = std::filesystem::temp_directory_path() / ("mno-netcdf-fuzz-" + std::to_string(getpid()));
  int file = -1, x = -1, u = -1;
  const float values[] = {3, 100};
  always(nc_create(path.c_str(), NC_CLOBBER, &file) == NC_NOERR && nc_def_dim(file, "x", 2, &x) == NC_NOERR &&
         nc_def_var(file, "u", NC_FLOAT, 1, &x, &u) == NC_NOERR && nc_enddef(file) == NC_NOERR &&
         nc_put_var_float(file, u, values) == NC_NOERR && nc_close(file) == NC_NOERR);
  always(mno::io::numbers_of(mno::io::NetcdfReader(path).read("u"))[1] == 100);
  std::filesystem::remove(path);
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return load_or_refuse([&] {
    const FileOf bytes(as_file(data, size));
    const mno::io::NetcdfReader file(bytes.path(), std::chrono::seconds(5));
    for (const auto& name : file.names())
      load_or_refuse([&] {
        always(file.open(name)->layout().bytes() <= 4 * 1032 * size);  // bytes may become 32 bits
        mno::io::open_unpacked(file, name)->read();
      });
  });
}
