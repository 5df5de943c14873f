// Several processes: mno train writes the file that one alone writes, byte for byte; it is interrupted by
// rank 0, and goes on with any number of them. mno simulate and mno import write shards, the same for any
// number.
#include <doctest/doctest.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include <chrono>
#include <nlohmann/json.hpp>
#include <thread>

#include "mno/core/random.hpp"
#include "mno/io/npy/file.hpp"
#include "program/run_program.hpp"

#ifdef MNO_MPIEXEC
namespace {

// The shape of program_test.cpp: it is compiled once for both.
const std::string small = " --rank 4 --width 16 --modes 8 --depth 2 ";

std::string ranks(int n) {
  return "env OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1 "
         "OMPI_MCA_hwloc_base_binding_policy=none OMPI_MCA_mpi_yield_when_idle=1 "
         "OMP_WAIT_POLICY=passive " MNO_MPIEXEC " -n " +
         std::to_string(n) + " ";
}

}  // namespace

TEST_CASE("several processes write the file that one writes, and rank 0 alone speaks") {
  const Scratch folder;
  REQUIRE(mno_in(folder, "simulate heat --samples 40 --ensemble 8 --points 64 --seed 1 -o data.npz").code ==
          0);
  const std::string run = "train --data data.npz --epochs 3 --batch 16" + small;
  const auto alone = mno_in(folder, run + " --threads 2 -o alone.safetensors");
  REQUIRE_MESSAGE(alone.code == 0, alone.errors);
  for (const int n : {2, 3}) {
    const auto together = mno_in(folder, run + " --threads 1 -o together.safetensors", ranks(n));
    REQUIRE_MESSAGE(together.code == 0, together.errors);
    CHECK(content(folder / "together.safetensors") == content(folder / "alone.safetensors"));
    CHECK(says(together.out, "Wrote together.safetensors"));
    CHECK(together.out.find("Wrote", together.out.find("Wrote") + 1) == std::string::npos);  // once
    std::filesystem::remove(folder / "together.safetensors");
  }

  const auto wrong = mno_in(folder, "train --data missing.npz -o m.safetensors" + small, ranks(2));
  CHECK(wrong.code != 0);
  CHECK(says(wrong.errors, "rank 0 of 2: "));
  CHECK(says(wrong.errors, "missing.npz"));
  const auto other = mno_in(folder, "info data.npz", ranks(2));
  CHECK(other.code != 0);
  CHECK(says(other.errors, "train, experiment, simulate and import run as several processes"));
}

TEST_CASE("ranks write the shards that one process writes, and a model is that of the single file") {
  const Scratch folder;
  const std::string draw = "simulate heat --samples 11 --ensemble 8 --points 16 --seed 1 --threads 1 ";
  REQUIRE(mno_in(folder, draw + "-o data.npz").code == 0);
  const auto alone = mno_in(folder, draw + "--shards 5 -o alone");
  REQUIRE_MESSAGE(alone.code == 0, alone.errors);
  CHECK(says(alone.out, "Wrote alone: 11 sample(s) of 8 member(s) on 16 points, in 5 shard(s)."));
  const std::vector<std::string> files{"shard-00000.npz", "shard-00001.npz", "shard-00002.npz",
                                       "shard-00003.npz", "shard-00004.npz", "shards.json"};
  CHECK(files_in(folder / "alone") == files);
  for (const int n : {2, 6}) {  // more than there are shards
    std::filesystem::remove_all(folder / "together");
    const auto together = mno_in(folder, draw + "--shards 5 -o together/", ranks(n));
    REQUIRE_MESSAGE(together.code == 0, together.errors);
    CHECK(together.out ==
          "Wrote together: 11 sample(s) of 8 member(s) on 16 points, in 5 shard(s).\n");  // once
    CHECK(files_in(folder / "together") == files);
    for (const std::string& file : files)
      CHECK(content(folder / "together" / file) == content(folder / "alone" / file));
  }

  const std::string run = "train --epochs 3 --batch 4 --validation 0.2 --threads 1" + small;
  REQUIRE(mno_in(folder, run + "--data data.npz -o one.safetensors").code == 0);
  const auto trained = mno_in(folder, run + "--data together -o shards.safetensors", ranks(2));
  REQUIRE_MESSAGE(trained.code == 0, trained.errors);
  CHECK(content(folder / "shards.safetensors") == content(folder / "one.safetensors"));

  const auto again = mno_in(folder, draw + "--shards 5 -o together", ranks(2));
  CHECK(again.code != 0);
  CHECK(says(again.errors, "holds data already"));
  const auto without = mno_in(folder, draw + "-o x.npz", ranks(2));
  CHECK(without.code != 0);
  CHECK(says(without.errors, "rank 0 of 2: "));
  CHECK(says(without.errors, "Add --shards N"));
  CHECK_FALSE(std::filesystem::exists(folder / "x.npz"));

  // An import is shared the same way.
  std::vector<float> values;
  mno::Stream random(1);
  for (int i = 0; i < 7 * 5 * 16; ++i) values.push_back(float(random.normal()));
  mno::io::write_npy(folder / "runs.npy", mno::io::Array::of({7, 5, 16}, values));
  const std::string import =
      "import runs.npy --axes sample,time,x --time 0.1 --length 1 --periodic x --shards 5 ";
  REQUIRE(mno_in(folder, import + "-o imported").code == 0);
  const auto imported = mno_in(folder, import + "-o imported_together", ranks(3));
  REQUIRE_MESSAGE(imported.code == 0, imported.errors);
  CHECK(imported.out.find("Wrote") == imported.out.rfind("Wrote"));
  CHECK(files_in(folder / "imported_together") == files);
  for (const std::string& file : files)
    CHECK(content(folder / "imported_together" / file) == content(folder / "imported" / file));
}

TEST_CASE("a signal to one rank that draws stops all of them, and there is no manifest") {
  const Scratch folder;
  Outcome outcome;
  std::thread other([&] {
    outcome = mno_in(
        folder,
        "simulate heat --samples 100000000 --ensemble 8 --points 16 --threads 1 --shards 10000 -o data",
        "sh -c 'echo $$ > pid; exec \"$@\"' sh " + ranks(2));
  });
  const auto begun = folder / "data" / "shard-00001.npz";
  for (int look = 0; look < 6000 && !std::filesystem::exists(begun); ++look)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  const std::string id = content(folder / "pid");
  CHECK(std::system(("pkill -TERM -n -P " + std::to_string(std::stol(id))).c_str()) == 0);  // the newest
  other.join();
  CHECK(outcome.code != 0);
  CHECK(says(outcome.errors, "Interrupted; 'data' has no manifest and is no data."));
  CHECK_FALSE(says(outcome.out, "Wrote"));
  for (const std::string& file : files_in(folder / "data")) CHECK(file.ends_with(".npz"));
}

TEST_CASE("a signal to the ranks stops all of them after a step, and the run goes on with other numbers") {
  const Scratch folder;
  REQUIRE(mno_in(folder, "simulate heat --samples 200 --ensemble 8 --points 64 --seed 1 -o data.npz").code ==
          0);
  const std::string run = "train --data data.npz --epochs 20 --batch 16 --threads 1" + small;
  REQUIRE(mno_in(folder, run + " -o alone.safetensors").code == 0);
  int interruptions = 0;
  for (const int n : {3, 2}) {
    const bool resume = std::filesystem::exists(folder / "m.safetensors.checkpoint");
    Outcome outcome;
    std::thread other([&] {
      outcome = mno_in(folder, run + "-o m.safetensors" + (resume ? " --resume" : ""),
                       "sh -c 'echo $$ > pid; exec \"$@\"' sh " + ranks(n));
    });
    const auto history = folder / "m.safetensors.history.jsonl";
    const auto size = [&] {
      return std::filesystem::exists(history) ? std::filesystem::file_size(history) : 0;
    };
    const auto before = size();
    for (int look = 0; look < 6000 && size() <= before; ++look)
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    const std::string id = content(folder / "pid");
    REQUIRE(std::system(("pkill -TERM -P " + std::to_string(std::stol(id))).c_str()) == 0);  // as srun does
    other.join();
    if (!std::filesystem::exists(folder / "m.safetensors.checkpoint")) break;  // it was done already
    ++interruptions;
    CHECK(says(outcome.errors, "Interrupted in epoch"));
    CHECK(says(outcome.errors, "--resume"));
  }
  CHECK(interruptions > 0);
  const bool resume = std::filesystem::exists(folder / "m.safetensors.checkpoint");
  if (resume) CHECK(mno_in(folder, run + " -o m.safetensors --resume").code == 0);
  CHECK(content(folder / "m.safetensors") == content(folder / "alone.safetensors"));
}

TEST_CASE("an experiment's trainings are spread over ranks, and its rows are those of one process") {
  const Scratch folder;
  const std::string run =
      "experiment burgers --samples 8 --validation 4 --test 4 --ensemble 8 --epochs 1 --pairs 2 --threads 1 "
      "--json -o ";
  const auto alone = mno_in(folder, run + "alone/burgers" + small);
  REQUIRE_MESSAGE(alone.code == 0, alone.errors);
  const auto together = mno_in(folder, run + "together/burgers" + small, ranks(2));
  REQUIRE_MESSAGE(together.code == 0, together.errors);
  const auto rows = [](const Outcome& outcome) {
    auto all = nlohmann::json::parse(outcome.out)["rows"];  // printed once, or it would not be JSON
    std::erase_if(all.get_ref<nlohmann::json::array_t&>(), [](const nlohmann::json& row) {
      return says(row["metric"].get<std::string>(), "second");  // times differ
    });
    return all;
  };
  CHECK(rows(alone).size() >= 10);
  CHECK(rows(together) == rows(alone));
  CHECK(std::filesystem::exists(folder / "together/burgers/report.html"));
}
#else
TEST_CASE("without MPI the program refuses to be one of several processes") {
  const Scratch folder;
  const auto refused =
      mno_in(folder, "train --data x.npz -o m.safetensors", "OMPI_COMM_WORLD_SIZE=2 OMPI_COMM_WORLD_RANK=0");
  CHECK(refused.code == 2);
  CHECK(refused.errors.find("built without MPI") != std::string::npos);
}
#endif
