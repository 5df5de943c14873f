#include "file_of.hpp"
#include "mno/io/hdf5/reader.hpp"
#include "mno/io/hdf5/writer.hpp"

/// A good file must load before bad ones are tried: a reader that refuses everything would find nothing.
extern "C" int LLVMFuzzerInitialize(int*, char***) {
  isolate_findings();
  const auto path = std::filesystem::temp_directory_path() / ("mno-hdf5-fuzz-" + std::to_string(getpid()));
  mno::io::Hdf5Writer writer(path, mno::io::Keep::nothing);
  writer.write("a", mno::io::Array(mno::io::Type::f32, {2, 3}));
  writer.commit();
  const mno::io::Bytes image = mno::io::read_file(path);
  std::filesystem::remove(path);
  always(mno::io::Hdf5Reader(image).read("a").size() == 6);
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return load_or_refuse([&] {
    const mno::io::Hdf5Reader file(as_file(data, size), std::chrono::seconds(5));
    for (const auto& name : file.names())
      load_or_refuse([&] {
        const auto dataset = file.open(name);
        always(dataset->layout().bytes() <= 8 * 1032 * size);  // bytes may become 64 bits
        dataset->read();
        file.describe(name);
      });
  });
}
