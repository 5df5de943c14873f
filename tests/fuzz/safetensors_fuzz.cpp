#include "fuzz.hpp"
#include "mno/io/safetensors/reader.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return load_or_refuse([&] {
    const mno::io::SafetensorsReader file(std::make_shared<mno::io::Memory>(as_file(data, size)));
    std::uint64_t total = 0;
    for (const auto& name : file.names()) total += file.layout(name).bytes();
    always(total < size);
    for (const auto& name : file.names())
      load_or_refuse([&] { always(file.read(name).layout() == file.layout(name)); });
  });
}
