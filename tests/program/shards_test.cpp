// Data in shards: what mno simulate and mno import write into a folder is what they write into one file, and
// every command reads it so; what is not whole is no data.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "mno/core/random.hpp"
#include "mno/io/npy/file.hpp"
#include "mno/io/shards/sharded_file.hpp"
#include "mno/io/zip/npz.hpp"
#include "program/run_program.hpp"

using namespace mno;
using namespace mno::io;

namespace {

const std::string small = " --rank 4 --width 16 --modes 8 --depth 2 ";  // as in program_test.cpp

/// Has the folder the arrays of the file?
void equal_arrays(const std::filesystem::path& folder, const std::filesystem::path& file) {
  const ShardedFile shards(
      folder, [](const std::filesystem::path& path) { return std::make_unique<NpzReader>(path); });
  const NpzReader single(file);
  CHECK(shards.names().size() == single.names().size());
  for (const std::string& name : single.names()) {
    CAPTURE(name);
    CHECK(shards.open(name)->read() == single.read(name));
  }
}

}  // namespace

TEST_CASE("shards have the samples of one file, in any number, and are trained on, scored and described") {
  const Scratch folder;
  const std::string draw = "simulate heat --samples 12 --ensemble 8 --points 16 --seed 1 --times 0.1,0.2 ";
  REQUIRE(mno_in(folder, draw + "-o data.npz").code == 0);
  for (const int n : {1, 5, 12}) {
    const std::string name = "data" + std::to_string(n);
    const auto done = mno_in(folder, draw + "--json --shards " + std::to_string(n) + " -o " + name);
    REQUIRE_MESSAGE(done.code == 0, done.errors);
    const auto told = nlohmann::json::parse(done.out);
    CHECK(told["shards"] == n);
    CHECK(told["rows"] == 24);
    equal_arrays(folder / name, folder / "data.npz");
  }
  REQUIRE(mno_in(folder, draw + "--paths -o paths.npz").code == 0);
  REQUIRE(mno_in(folder, draw + "--paths --shards 3 -o paths").code == 0);
  equal_arrays(folder / "paths", folder / "paths.npz");

  const auto about = mno_in(folder, "info data5 --json");
  REQUIRE_MESSAGE(about.code == 0, about.errors);
  const auto told = nlohmann::json::parse(about.out);
  CHECK(told["kind"] == "ensemble");
  CHECK(told["shards"] == 5);
  CHECK(told["samples"] == 24);
  CHECK(told["members"] == 8);

  const std::string run = "train --epochs 2 --batch 8 --validation 0.2 --threads 1" + small;
  REQUIRE(mno_in(folder, run + "--data data.npz -o one.safetensors").code == 0);
  const auto trained = mno_in(folder, run + "--data data5/ -o shards.safetensors");
  REQUIRE_MESSAGE(trained.code == 0, trained.errors);
  CHECK(content(folder / "shards.safetensors") == content(folder / "one.safetensors"));
  const auto rows = [&](const std::string& data) {
    const auto scored =
        mno_in(folder, "evaluate --model one.safetensors --benchmark b --json --data " + data);
    REQUIRE_MESSAGE(scored.code == 0, scored.errors);
    return nlohmann::json::parse(scored.out)["rows"].dump();
  };
  CHECK(rows("data12/") == rows("data.npz"));
}

TEST_CASE("a folder that is not whole, or was changed, is refused by name, and data is not written over") {
  const Scratch folder;
  const std::string draw = "simulate heat --samples 6 --ensemble 4 --points 16 --seed 1 --shards 3 -o ";
  REQUIRE(mno_in(folder, draw + "data").code == 0);
  const auto refused = [&](const std::string& arguments) {
    const auto done = mno_in(folder, arguments);
    CHECK(done.code == 2);
    return done.errors;
  };
  CHECK(says(refused(draw + "data"), "folder 'data': holds data already"));
  CHECK(says(refused(draw + "data.npz"), "with --shards, -o names a folder"));
  CHECK(says(refused(draw + "missing/data"), "there is no folder 'missing'"));
  CHECK(
      says(refused("simulate heat --samples 2 --shards 3 -o other"), "--shards: expected at most 2, got 3"));
  CHECK(says(refused("simulate heat --samples 2 --shards 0 -o other"), "--shards"));
  CHECK_FALSE(std::filesystem::exists(folder / "other"));

  const std::string train = "train -o m.safetensors --epochs 1 --data data" + small;
  const auto shard = folder / "data" / "shard-00001.npz";
  Bytes good = read_file(shard), bad = good;
  bad[bad.size() / 2] ^= std::byte(4);
  spoil(shard, bad);
  CHECK(says(refused(train), "shard-00001.npz': expected bytes with the SHA-256"));
  CHECK(says(refused("info data"), "shard-00001.npz': expected bytes with the SHA-256"));
  spoil(shard, good);
  std::filesystem::rename(folder / "data" / "shards.json", folder / "shards.json");
  CHECK(says(refused(train), "folder 'data': expected its manifest 'shards.json', found none"));
  CHECK(says(refused("info data"), "expected its manifest"));
  CHECK(mno_in(folder, draw + "data").code == 0);  // what has no manifest is written anew
  CHECK(content(folder / "data" / "shards.json") == content(folder / "shards.json"));
  CHECK(files_in(folder / "data").size() == 4);
}

TEST_CASE("an interruption leaves no manifest") {
  const Scratch folder;
  const auto stopped =
      mno_in(folder, "simulate heat --samples 100000000 --ensemble 8 --points 16 --shards 10000 -o data",
             "timeout --foreground --preserve-status -s TERM 1");
  CHECK(stopped.code == 3);
  CHECK(stopped.errors ==
        "Interrupted; 'data' has no manifest and is no data. The same command writes it anew.\n");
  for (const std::string& file : files_in(folder / "data")) CHECK(file.ends_with(".npz"));
  CHECK(says(mno_in(folder, "info data").errors, "expected its manifest 'shards.json', found none"));
}

TEST_CASE("imported data has the rows of one file, with groups and known fields of every sample") {
  const Scratch folder;
  Stream random(1);
  std::vector<float> values;
  for (int i = 0; i < 7 * 5 * 16; ++i) values.push_back(float(random.normal()));
  write_npy(folder / "runs.npy", Array::of({7, 5, 16}, values));
  const std::string import =
      "import runs.npy --axes sample,time,x --time 0.1 --length 1 --periodic x --history 2 --lags 1,2 ";
  REQUIRE(mno_in(folder, import + "-o data.npz").code == 0);
  const auto done = mno_in(folder, import + "--shards 4 -o data --json");
  REQUIRE_MESSAGE(done.code == 0, done.errors);
  const auto told = nlohmann::json::parse(done.out);
  CHECK(told["samples"] == 7 * 5);
  CHECK(told["shards"] == 4);
  equal_arrays(folder / "data", folder / "data.npz");
  CHECK(NpzReader(folder / "data.npz").contains("group"));
  CHECK(NpzReader(folder / "data.npz").contains("fields"));
  CHECK(mno_in(folder, import + "--shards 36 -o more").code == 2);
}
