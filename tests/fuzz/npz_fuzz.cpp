#include "fuzz.hpp"
#include "mno/io/zip/npz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return load_or_refuse([&] {
    const mno::io::NpzReader file(std::make_shared<mno::io::Memory>(as_file(data, size)));
    for (const auto& name : file.names())
      load_or_refuse([&] {
        const auto member = file.open(name);
        always(member->layout().bytes() <= 1032 * size);
        const mno::io::Array all = member->read();
        // Rows from the last to the first: each read goes back.
        const mno::Index rows = all.layout().rows();
        for (mno::Index i = rows; i-- > std::max<mno::Index>(0, rows - 4);) {
          const mno::io::Array row = member->read_rows(i, 1);
          always(std::ranges::equal(
              row.bytes(), all.bytes().subspan(std::size_t(i) * row.bytes().size(), row.bytes().size())));
        }
      });
  });
}
