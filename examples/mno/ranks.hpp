#pragma once
// The processes that run this command together, where mpirun or srun started several.
#include <mno/device/communicator.hpp>
#include <string>

namespace program {

/// Started on the first call; a program without MPI refuses to be one of several.
mno::Communicator& ranks();

/// Is this one of several processes, and not the one that prints?
bool silent_rank();

/// How many processes the launcher started, as it says itself; 1 without one.
int launched_processes();

/// After an error with this sentence: ends all ranks, and says which one failed. Returns where the process is
/// alone.
void end_ranks(const std::string& sentence, int code);

/// How many ranks run on this machine, as the launcher says.
int ranks_of_machine();

/// Which of them this one is, counted from 0.
int rank_of_machine();

/// Threads of a rank where none are asked for: its share of the machine that it runs on.
int threads_of_rank(int asked);

}  // namespace program
