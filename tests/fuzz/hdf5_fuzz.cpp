#include "fuzz.hpp"
#include "mno/io/hdf5.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return load_or_refuse([&] {
    const mno::io::Hdf5Reader file(as_file(data, size), std::chrono::seconds(5));
    for (const auto& name : file.names())
      load_or_refuse([&] {
        const mno::io::Hdf5Dataset dataset = file.open(name);
        always(dataset.layout().bytes() <= 1032 * size);
        dataset.read();
      });
  });
}
