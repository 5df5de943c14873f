#include "ranks.hpp"

#ifdef MNO_PROGRAM_MPI
#include <mno/mpi/world.hpp>
#endif
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <memory>

#include "command.hpp"

namespace program {

namespace {

/// A number that a launcher left for us, or 0.
int told(std::initializer_list<const char*> names) {
  for (const char* name : names)
    if (const char* value = std::getenv(name)) return std::max(0, std::atoi(value));
  return 0;
}

#ifdef MNO_PROGRAM_MPI
std::unique_ptr<mno::MpiWorld>& world() {
  static std::unique_ptr<mno::MpiWorld> one;
  return one;
}
#endif

}  // namespace

int launched_processes() { return std::max(1, told({"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"})); }

mno::Communicator& ranks() {
#ifdef MNO_PROGRAM_MPI
  if (!world() && mno::MpiWorld::launched()) world() = std::make_unique<mno::MpiWorld>();
  if (world()) return *world();
#else
  if (launched_processes() > 1)
    throw mno::Error(
        "mno: this program was built without MPI and cannot be one of several processes. Install "
        "libopenmpi-dev, configure with -DMNO_MPI=ON and build it again.");
#endif
  return mno::alone();
}

bool silent_rank() {
  return told({"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK"}) > 0 && launched_processes() > 1;
}

void end_ranks([[maybe_unused]] const std::string& sentence, [[maybe_unused]] int code) {
#ifdef MNO_PROGRAM_MPI
  if (!world() || world()->size() == 1) return;
  // An error that all ranks meet is reported by rank 0, which ends the others while they wait.
  if (world()->rank() > 0) ::sleep(3);
  world()->abort(sentence, code);
#endif
}

int ranks_of_machine() {
  return std::max(1, told({"OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS", "SLURM_NTASKS_PER_NODE"}));
}

int rank_of_machine() { return told({"OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID", "SLURM_LOCALID"}); }

int threads_of_rank(int asked) {
  const int all = threads(0);
  const bool bound =
      all < int(::sysconf(_SC_NPROCESSORS_ONLN));  // the launcher gave it processors of its own
  return asked > 0 ? asked : bound ? all : std::max(1, all / ranks_of_machine());
}

}  // namespace program
