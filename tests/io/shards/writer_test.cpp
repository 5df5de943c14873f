// A folder of shards is data when its manifest is there, which is written last, and is never written over.
#include "mno/io/shards/writer.hpp"

#include <doctest/doctest.h>

#include "io/scratch.hpp"
#include "io/size_limit.hpp"

using namespace mno;
using namespace mno::io;

TEST_CASE("shards have names in order, and entries with the hash of their bytes") {
  CHECK(shard_name(0) == "shard-00000.npz");
  CHECK(shard_name(65535, ".h5") == "shard-65535.h5");
  const Scratch scratch;
  const auto folder = scratch / "data";
  prepare_shards(folder);
  prepare_shards(folder);  // without a manifest it may be begun again
  spoil(folder / "a", bytes("abc"));
  const Shard entry = describe_shard(folder, "a", 7);
  CHECK(entry == Shard{"a", 7, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"});
  write_manifest(folder, {entry});
  const Bytes text = read_file(folder / "shards.json");
  CHECK(parse_manifest(characters(text), "manifest") == std::vector<Shard>{entry});
  CHECK(files_in(folder) == std::vector<std::string>{"a", "shards.json"});
}

TEST_CASE("a folder that is data, or that cannot be one, is not written into") {
  const Scratch scratch;
  const auto folder = scratch / "data";
  prepare_shards(folder);
  write_manifest(folder, {{"a", 1, std::string(64, '0')}});
  CHECK(says(refusal([&] { prepare_shards(folder); }), "holds data already"));
  CHECK(says(refusal([&] { prepare_shards(scratch / "missing" / "data"); }), "cannot be created"));
  spoil(scratch / "file", bytes("x"));
  CHECK(says(refusal([&] { prepare_shards(scratch / "file"); }), "cannot be created"));
  std::filesystem::create_directory(scratch / "linked");
  std::filesystem::create_symlink("nowhere", scratch / "linked" / "shards.json");
  CHECK(says(refusal([&] { prepare_shards(scratch / "linked"); }), "holds data already"));
}

TEST_CASE("a manifest that the disk has no room for is not there") {
  const Scratch scratch;
  std::vector<Shard> shards;
  for (Index k = 0; k < 100; ++k) shards.push_back({shard_name(k), 1, std::string(64, '0')});
  {
    const SizeLimit limit(1000);
    CHECK(says(refusal([&] { write_manifest(scratch.path(), shards); }), "cannot write"));
  }
  CHECK(files_in(scratch.path()).empty());
}
