// mno train as several processes: the file that one alone writes, byte for byte; it is interrupted by rank 0,
// and goes on with any number of them.
#include <doctest/doctest.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include <chrono>
#include <nlohmann/json.hpp>
#include <thread>

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
bool says(const std::string& text, const std::string& what) { return text.find(what) != std::string::npos; }

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
  const auto other = mno_in(folder, "simulate heat --samples 4 --ensemble 2 -o x.npz", ranks(2));
  CHECK(other.code != 0);
  CHECK(says(other.errors, "train and experiment run as several processes"));
}

TEST_CASE("a signal to the ranks stops all of them after a step, and the run goes on with other numbers") {
  const Scratch folder;
  REQUIRE(mno_in(folder, "simulate heat --samples 200 --ensemble 8 --points 64 --seed 1 -o data.npz").code ==
          0);
  const std::string run = "train --data data.npz --epochs 60 --batch 16 --threads 1" + small;
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
