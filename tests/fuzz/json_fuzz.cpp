#include "fuzz.hpp"
#include "mno/io/json/writer.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return load_or_refuse([&] {
    const mno::io::Json json = mno::io::parse_json(mno::io::characters(as_file(data, size)));
    const std::string written = mno::io::write_json(json);
    try {
      always(mno::io::parse_json(written) == json);
    } catch (const mno::Error&) {
      always(false);
    }
  });
}
