// Ranks as processes: the same bits for every number of them, one that dies ends the others, and the run goes
// on from its checkpoint. Ranks are more than this machine has processors.
#include <doctest/doctest.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <random>
#include <thread>

#include "io/scratch.hpp"

namespace {

using Clock = std::chrono::steady_clock;

std::string content(const std::filesystem::path& path) {
  const mno::io::Bytes bytes = mno::io::read_file(path);
  return std::string(mno::io::characters(bytes));
}

/// What OpenMPI wants to hear: tests may run as root, on a machine with fewer processors than ranks.
void allow_everything() {
  for (const char* name : {"OMPI_ALLOW_RUN_AS_ROOT", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM",
                           "OMPI_MCA_rmaps_base_oversubscribe", "OMPI_MCA_mpi_yield_when_idle"})
    ::setenv(name, "1", 1);
  ::setenv("OMPI_MCA_hwloc_base_binding_policy", "none", 1);
  ::setenv("OMP_WAIT_POLICY", "passive", 1);
}

/// A run of the worker, alone or as so many ranks.
class Job {
 public:
  Job(const Scratch& folder, int ranks, const std::string& arguments)
      : folder_(folder), start_(Clock::now()) {
    allow_everything();
    const std::string launcher =
        ranks > 0 ? "exec " MNO_MPIEXEC " -n " + std::to_string(ranks) + " " : "exec ";
    const std::string command = launcher + "'" MNO_MPI_WORKER "' " + arguments + " >'" +
                                (folder / "out").string() + "' 2>'" + (folder / "errors").string() + "'";
    id_ = ::fork();
    if (id_ == 0) {
      ::execl("/bin/sh", "sh", "-c", command.c_str(), nullptr);
      ::_exit(127);
    }
  }
  ~Job() {
    if (id_ > 0) {
      ::kill(id_, SIGKILL);
      ::waitpid(id_, nullptr, 0);
    }
  }
  Job(const Job&) = delete;

  /// The exit code, or −1 after so many seconds.
  int code(double seconds = 120) {
    const auto begin = Clock::now();
    for (int status = 0; std::chrono::duration<double>(Clock::now() - begin).count() < seconds;) {
      if (::waitpid(id_, &status, WNOHANG) == id_) {
        id_ = 0;
        return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return -1;
  }
  std::string out() const { return content(folder_ / "out"); }
  std::string errors() const { return content(folder_ / "errors"); }
  /// The process of a rank, once it has told.
  pid_t process_of(int rank) const {
    const auto file = folder_ / ("pid." + std::to_string(rank));
    for (int look = 0; look < 4000; ++look) {
      if (std::filesystem::exists(file))
        if (const std::string text = content(file); !text.empty()) return pid_t(std::stol(text));
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return 0;
  }

 private:
  const Scratch& folder_;
  Clock::time_point start_;
  pid_t id_ = 0;
};

std::string trained(int ranks, int threads) {
  const Scratch folder;
  Job job(folder, ranks, "train '" + folder.path().string() + "' " + std::to_string(threads) + " 3");
  CHECK(job.code() == 0);
  return job.out();
}

}  // namespace

TEST_CASE("messages of all sizes arrive") {
  const Scratch folder;
  Job job(folder, 3, "exchange");
  CHECK(job.code() == 0);
  CHECK(job.out() == "exchanged\n");
}

TEST_CASE("weights, scores and choices have the same bits for every number of processes") {
  const std::string alone = trained(0, 2);
  CHECK(alone.starts_with("weights "));
  CHECK(trained(1, 1) == alone);
  CHECK(trained(2, 2) == alone);
  CHECK(trained(3, 1) == alone);
  CHECK(trained(5, 1) == alone);
  CHECK(trained(8, 1) == alone);
}

TEST_CASE("a rank that leaves by an error ends the others, and says who it is") {
  const Scratch folder;
  Job job(folder, 3, "throw 1");
  const int code = job.code(20);
  CHECK(code > 0);
  CHECK(job.errors().find("mno: rank 1 of 3: a rank came upon an error.") != std::string::npos);
}

TEST_CASE("a rank that is not heard of is named, and the run ends") {
  const Scratch folder;
  ::setenv("MNO_RANK_TIMEOUT", "1", 1);
  Job job(folder, 3, "hang 2");
  const int code = job.code(30);
  ::unsetenv("MNO_RANK_TIMEOUT");
  CHECK(code > 0);
  CHECK(job.errors().find("nothing was heard of rank(s) 2 for 1 s") != std::string::npos);
}

// MNO_KILLS says how often: a few here, 50 to be sure.
TEST_CASE("a killed rank ends the others within seconds, and the run goes on with other numbers of ranks") {
  const char* asked = ::getenv("MNO_KILLS");
  const int kills = asked ? std::atoi(asked) : 3;
  std::mt19937 random(7);
  const Scratch whole;
  const std::string epochs = "40";
  Job undisturbed(whole, 0, "train '" + whole.path().string() + "' 2 " + epochs);
  REQUIRE(undisturbed.code() == 0);

  const Scratch folder;
  const std::string arguments = "train '" + folder.path().string() + "' 1 " + epochs;
  int killed = 0;
  for (int kill = 0; kill < kills; ++kill) {
    const int ranks = 2 + int(random() % 3);
    const int victim = int(random() % unsigned(ranks));
    for (int rank = 0; rank < 8; ++rank) std::filesystem::remove(folder / ("pid." + std::to_string(rank)));
    Job job(folder, ranks, arguments);
    const pid_t process = job.process_of(victim);
    REQUIRE(process > 0);
    std::this_thread::sleep_for(std::chrono::milliseconds(random() % 400));
    if (::kill(process, SIGKILL) != 0) continue;  // it was done already
    const auto begin = Clock::now();
    const int code = job.code(30);
    const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
    if (code == 0) continue;  // its last breath was its last work
    ++killed;
    INFO("kill " << kill << ", rank " << victim << " of " << ranks << ", " << job.errors());
    CHECK(code > 0);
    CHECK(seconds < 10);
    CHECK(job.errors().find("rank " + std::to_string(victim)) != std::string::npos);
  }
  CHECK(killed > 0);
  Job last(folder, 2, arguments);
  CHECK(last.code() == 0);
  CHECK(last.out() == undisturbed.out());
}
