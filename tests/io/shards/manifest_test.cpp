// Manifests: what is written reads back, and what no folder can have is refused with a sentence.
#include "mno/io/shards/manifest.hpp"

#include <doctest/doctest.h>

#include "io/damage.hpp"
#include "io/scratch.hpp"
#include "property.hpp"

using namespace mno;
using namespace mno::io;
using namespace mno::testing;

namespace {

const std::string digits(64, 'a');
std::string quoted(const std::string& text) { return '"' + text + '"'; }
std::string entry(const std::string& file, const std::string& samples = "3",
                  const std::string& hash = digits) {
  return "{\"file\":" + quoted(file) + ",\"samples\":" + samples + ",\"sha256\":" + quoted(hash) + "}";
}
std::string manifest(const std::string& shards, const std::string& format = "\"mno-shards\"",
                     const std::string& version = "1") {
  return "{\"format\":" + format + ",\"version\":" + version + ",\"shards\":" + shards + "}";
}
std::string refused(const std::string& text) {
  return refusal([&] { parse_manifest(text, "file 'shards.json'"); });
}

}  // namespace

TEST_CASE("a manifest reads back as it was written") {
  CHECK(for_any("any shards", [] {
    std::vector<Shard> shards;
    for (Index k = any_in<Index>(1, 40); k > 0; --k) {
      Shard shard{"s" + std::to_string(k) + one_of<const char*>({"", ".npz", "-x.h5", "_1.tar.gz"}),
                  any_in<Index>(1, Index{1} << 40), std::string(64, '0')};
      for (char& digit : shard.sha256) digit = "0123456789abcdef"[any_in<Index>(0, 16)];
      shards.push_back(shard);
    }
    HOLDS(parse_manifest(manifest_text(shards), "text") == shards);
  }));
  const std::vector<Shard> two{{"a.npz", 2, digits}, {"b.npz", 1, digits}};
  CHECK(manifest_text(two) == manifest("[" + entry("a.npz", "2") + "," + entry("b.npz", "1") + "]") + "\n");
}

TEST_CASE("names cannot lead out of the folder") {
  for (const char* name : {"a", "shard-00000.npz", "A_1-b..c"}) CHECK(is_shard_name(name));
  CHECK(is_shard_name(std::string(255, 'x')));
  CHECK_FALSE(is_shard_name(std::string(256, 'x')));
  CHECK_FALSE(is_shard_name(std::string_view("a\0b", 3)));
  for (const char* name : {"", ".", "..", "../a", "/etc/passwd", "a/b", "a/../b", ".hidden", "-o", "a b",
                           "a\\\\b", "C:a", "ü", "a\\n", "~", "%2e"}) {
    CHECK_FALSE(is_shard_name(name));
    CHECK(says(refused(manifest("[" + entry(name) + "]")), "expected the name of a file in its own folder"));
  }
  CHECK(says(refused(manifest("[" + entry("a\\u0000b") + "]")), "expected the name of a file"));
}

TEST_CASE("what is no manifest is refused with a sentence that says what was expected") {
  CHECK(refused(manifest("[" + entry("a") + "]")).empty());
  CHECK(refused(manifest("[" + entry("a") + "]") + "\n").empty());
  CHECK(says(refused(""), "JSON"));
  CHECK(says(refused("[]"), "expected the format 'mno-shards', found none"));
  CHECK(says(refused(manifest("[]", "3")), "expected the format 'mno-shards', found none"));
  CHECK(says(refused(manifest("[]", "\"mno-model-2\"")), "found 'mno-model-2'"));
  CHECK(says(refused(manifest("[" + entry("a") + "]", "\"mno-shards\"", "2")), "expected version 1"));
  CHECK(says(refused(manifest("[" + entry("a") + "]", "\"mno-shards\"", "1.0")), "expected version 1"));
  CHECK(says(refused("{\"format\":\"mno-shards\",\"version\":1}"), "expected a list of shards"));
  CHECK(says(refused(manifest(entry("a"))), "expected a list of shards"));
  CHECK(says(refused(manifest("[]")), "expected 1 to 65536 shards, found 0"));
  CHECK(says(refused(manifest("[3]")), "found less of shard 0"));
  CHECK(says(refused(manifest("[" + entry("a") + ",{\"file\":\"b\",\"samples\":1}]")),
             "found less of shard 1"));
  CHECK(says(refused(manifest("[{\"file\":1,\"samples\":1,\"sha256\":" + quoted(digits) + "}]")),
             "found less of shard 0"));
  for (const char* samples : {"0", "-1", "9007199254740993", "9223372036854775807"})
    CHECK(says(refused(manifest("[" + entry("a", samples) + "]")), "expected at least one sample in 'a'"));
  for (const char* samples : {"1.5", "1e3", "\"3\"", "null", "9223372036854775808"})
    CHECK(says(refused(manifest("[" + entry("a", samples) + "]")), "a whole number of samples"));
  // Each is allowed, and all of them together are not.
  CHECK(says(refused(manifest("[" + entry("a", "9007199254740992") + "," + entry("b", "1") + "]")),
             "at most 9007199254740992 in all"));
  CHECK(says(refused(manifest("[" + entry("a", "3", digits + "a") + "]")), "64 digits of a SHA-256 for 'a'"));
  CHECK(says(refused(manifest("[" + entry("a", "3", std::string(64, 'A')) + "]")), "64 digits of a SHA-256"));
  CHECK(says(refused(manifest("[" + entry("a") + "," + entry("b") + "," + entry("a") + "]")),
             "names 'a' twice"));
  CHECK(says(refused(manifest("[" + entry("a") + "]").insert(1, "\"format\":\"mno-shards\",")), "format"));
  std::string many = entry("s0");
  for (std::size_t k = 1; k <= most_shards; ++k) many += "," + entry("s" + std::to_string(k));
  CHECK(says(refused(manifest("[" + many + "]")), "expected 1 to 65536 shards, found 65537"));
  std::string deep;
  for (int level = 0; level < 100; ++level) deep += "[";
  CHECK(says(refused(deep), "levels"));
}

TEST_CASE("a damaged manifest is refused, or names files of the folder") {
  const std::vector<Shard> two{{"a.npz", 2, digits}, {"b.npz", 1, digits}};
  std::string text = manifest_text(two);
  text.pop_back();  // the end of the line may be missing
  const Damage seen = damage(bytes(text), [](const Bytes& file) {
    for (const Shard& shard : parse_manifest(characters(file), "damaged")) {
      CHECK(is_shard_name(shard.file));
      CHECK(shard.samples >= 1);
    }
  });
  CHECK(seen.refused > 1000);
}

TEST_CASE("only what could be read back is written") {
  CHECK(says(refusal([] { manifest_text({}); }), "expected 1 to 65536 shards"));
  CHECK(says(refusal([] { manifest_text({{"../a", 1, digits}}); }), "in its own folder"));
}
