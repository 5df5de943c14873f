#include "fuzz.hpp"
#include "mno/io/npy/file.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return load_or_refuse([&] {
    mno::io::NpyReader reader(std::make_shared<mno::io::Memory>(as_file(data, size)));
    const mno::io::Array all = reader.read();
    always(all.layout().bytes() <= 4 * size);  // bytes may become 32 bits
    // What was read and is written again reads the same.
    mno::io::Bytes again = mno::io::npy_header(all.layout());
    again.insert(again.end(), all.bytes().begin(), all.bytes().end());
    always(mno::io::NpyReader(std::make_shared<mno::io::Memory>(again)).read() == all);
    if (const mno::Index rows = all.layout().rows(); rows > 0) {
      const mno::io::Array last = reader.read_rows(rows - 1, 1);
      always(last.layout() == all.layout().with_rows(1));
      always(std::ranges::equal(last.bytes(), all.bytes().last(last.bytes().size())));
    }
  });
}
