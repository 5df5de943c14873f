#include "fuzz.hpp"
#include "mno/io/shards/manifest.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return load_or_refuse([&] {
    const auto shards = mno::io::parse_manifest(mno::io::characters(as_file(data, size)), "manifest");
    always(!shards.empty() && shards.size() <= mno::io::most_shards);
    mno::Index samples = 0;
    for (const mno::io::Shard& shard : shards) {
      always(shard.file.find('/') == std::string::npos && shard.file != "." && shard.file != "..");
      always(shard.samples > 0 && shard.sha256.size() == 64);
      samples += shard.samples;
    }
    always(samples <= mno::io::most_samples);
    try {
      always(mno::io::parse_manifest(mno::io::manifest_text(shards), "written") == shards);
    } catch (const mno::Error&) {
      always(false);
    }
  });
}
