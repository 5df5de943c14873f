#pragma once
// A stand-in of the CUDA libraries on the host: what tests set, and what they ask.
//
// The runtime, cuFFT, cuBLAS and NCCL are defined here with NVIDIA's own declarations, so that device code is
// compiled unchanged and runs without a GPU. It is an adversary, not an emulator: where CUDA leaves something
// open, it takes the choice that shows a mistake.
//   - Work waits in its stream until something waits for it.
//   - Device memory cannot be touched by the host, holds NaN until it is written, and has guards around it.
//   - Threads of a launch run in any order, and there may be fewer of them than were asked for.
//   - Messages of NCCL wait for their partner, and a group of them for the end of the group. Its ranks are
//     threads of the process, which share the one device.
//   - Any call can be made to fail.
// What is wrong is collected in violations(); nothing aborts but a host access to device memory (SIGSEGV).
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

namespace standin {

/// When queued work runs.
enum class Progress {
  late,    ///< only what is waited for, and what that depends on
  early,   ///< before anything that is waited for, all other streams run as far as they can
  at_once  ///< in the call itself: hides mistakes, but a debugger then shows who made the call
};

struct Settings {
  Progress progress = Progress::late;
  std::uint64_t thread_order = 0;  ///< 0: natural; any other: a permutation over all blocks and threads
  unsigned blocks = 0;             ///< launches have this many blocks, whatever was asked for (0: as asked)
  unsigned threads = 0;            ///< and this many threads per block
  std::size_t total_memory = std::size_t(8) << 30;  ///< of the device, in bytes; at most 32 GiB
  /// A kernel may not read host memory, and here it could: with this set, a launch whose closure holds an
  /// address of the host (not pinned) is a violation. Off, since the padding of a closure may hold one by
  /// chance.
  bool closures_hold_no_host_addresses = false;
  bool free_waits = false;  ///< cudaFree "may perform implicit synchronization": here it does not, unless set
};
Settings& settings();

/// What was done wrong since the last reset() or clear_violations(), one sentence each.
std::vector<std::string> violations();
void clear_violations();

/// Drops queued work and violations, sets counts to zero and settings to their defaults. Memory, streams,
/// plans and handles stay: objects of the library may outlive a test.
void reset();

/// The n-th call from now (1: the next) fails once, without effect. Calls that release something, ask for an
/// error or name one do not fail and are not counted.
void fail_call(std::uint64_t n);
/// The same for calls that allocate: memory of the device, pinned memory, and a plan with its own work area.
void fail_allocation(std::uint64_t n);
/// Whether a failure that was asked for is still to come.
bool failure_pending();

struct Counts {
  std::uint64_t calls, allocations, launches;
};
Counts counts();

/// What is held at the moment.
struct Usage {
  std::size_t device_allocations, device_bytes, pinned_allocations, streams, events, plans, blas_handles,
      communicators;
  bool operator==(const Usage&) const = default;
};
Usage usage();

/// Operations that were submitted and have not run.
std::size_t queued();

/// Leaves an error for cudaGetLastError, as a kernel launch without NVIDIA's macros does.
void leave_error(int code);

/// Whether `f` faults: it runs in a child process, whose death by SIGSEGV is the answer.
template <class F> bool faults(F&& f) {
  const pid_t child = fork();
  if (child == 0) {
    const rlimit no_core{0, 0};
    setrlimit(RLIMIT_CORE, &no_core);
    std::signal(SIGSEGV, SIG_DFL);  // neither the test framework nor a sanitiser shall make a report of it
    f();
    _exit(0);
  }
  int status = 0;
  return child > 0 && waitpid(child, &status, 0) == child && WIFSIGNALED(status) &&
         WTERMSIG(status) == SIGSEGV;
}

}  // namespace standin
