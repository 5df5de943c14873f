#include "file_of.hpp"
#include "mno/io/mat/reader.hpp"

/// A good file must load before bad ones are tried: a reader that refuses everything would find nothing.
extern "C" int LLVMFuzzerInitialize(int*, char***) {
  isolate_findings();
  const auto path = std::filesystem::temp_directory_path() / ("mno-mat-fuzz-" + std::to_string(getpid()));
  {
    const std::unique_ptr<mat_t, mno::io::detail::MatClose> file(
        Mat_CreateVer(path.c_str(), nullptr, MAT_FT_MAT5));
    double values[] = {1, 2, 3, 4, 5, 6};
    std::size_t shape[] = {2, 3};
    const std::unique_ptr<matvar_t, mno::io::detail::MatClose> a(
        Mat_VarCreate("a", MAT_C_DOUBLE, MAT_T_DOUBLE, 2, shape, values, 0));
    always(file && a && Mat_VarWrite(file.get(), a.get(), MAT_COMPRESSION_NONE) == 0);
  }
  always(mno::io::MatReader(path).read("a").size() == 6);
  std::filesystem::remove(path);
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return load_or_refuse([&] {
    const FileOf bytes(as_file(data, size));
    const mno::io::MatReader file(bytes.path(), std::chrono::seconds(5));
    for (const auto& name : file.names())
      load_or_refuse([&] {
        const auto array = file.open(name);
        always(array->layout().bytes() <= 4 * 8 * 1032 * size);  // bytes may become 32 bits
        array->read();
      });
  });
}
