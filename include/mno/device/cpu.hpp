#pragma once
// The processor as a device: an explicit number of threads, and the memory they work in.
//
// Work is a number of items, dealt to the threads in runs of neighbours. What an item computes does not
// depend on who computes it, and sums over items have a fixed shape (core/tree.hpp), so results are bitwise
// equal for every thread count.
#include <algorithm>
#include <exception>
#include <memory>
#include <span>
#include <thread>
#include <vector>

#include "mno/core/error.hpp"
#include "mno/core/grid.hpp"
#include "mno/device/communicator.hpp"
#include "mno/device/product.hpp"
#include "mno/device/workspace.hpp"

namespace mno {

class Cpu {
 public:
  using Workspace = mno::Workspace;

  /// As many threads as the machine has cores.
  Cpu() : Cpu(int(std::max(1u, std::thread::hardware_concurrency()))) {}
  explicit Cpu(int threads, Communicator& communicator = alone())
      : threads_(threads), communicator_(&communicator) {
    require(threads >= 1, "Cpu", "threads", Text("at least one"), Text(threads));
    for (int thread = 0; thread < threads; ++thread) workspaces_.push_back(std::make_unique<Workspace>());
    errors_.resize(std::size_t(threads));
  }

  int threads() const { return threads_; }
  /// The ranks that share the work of this device; each has its own threads.
  Communicator& communicator() const { return *communicator_; }

  /// A thread's share of items: [begin, end).
  struct Run {
    Index thread, begin, end;
  };

  /// How many threads `count` items are dealt to.
  Index team(Index count) const { return std::min<Index>(threads_, count); }

  /// body(run, workspace) for a run of neighbours per thread. If several throw, the first run's error is what
  /// the caller sees.
  template <class Body> void for_each_run(Index count, Body&& body) {
    const int team = int(this->team(count));
    const auto share = [&](Index thread) {
      try {
        body(Run{thread, count * thread / team, count * (thread + 1) / team},
             *workspaces_[std::size_t(thread)]);
      } catch (...) {
        errors_[std::size_t(thread)] = std::current_exception();
      }
    };
    if (team == 1) {
      share(0);
    } else {
#ifdef _OPENMP
#pragma omp parallel for num_threads(team) schedule(static, 1)
#endif
      for (int thread = 0; thread < team; ++thread) share(thread);
    }
    std::exception_ptr first;
    for (auto& error : errors_) {
      if (error && !first) first = error;
      error = nullptr;
    }
    if (first) std::rethrow_exception(first);
  }

  /// body(item, workspace) for every item. If some throw, the first of them in order is what the caller sees.
  template <class Body> void for_each(Index count, Body&& body) {
    for_each_run(count, [&](const Run& run, Workspace& workspace) {
      for (Index item = run.begin; item < run.end; ++item) body(item, workspace);
    });
  }

  /// Numbers [begin, end) of a buffer.
  struct Range {
    std::size_t begin, end;
  };

  /// An object of type P that lives as long as the device: memory that is kept from one call to the next.
  template <class P> P& own() { return own_.template only<P>(); }

  /// Bytes held for work, to be reported.
  std::size_t memory() const {
    std::size_t bytes = 0;
    for (const auto& w : workspaces_) bytes += w->trace.capacity() + w->scratch.capacity();
    return bytes;
  }

 private:
  int threads_;
  Communicator* communicator_;
  std::vector<std::unique_ptr<Workspace>> workspaces_;  // one per thread
  std::vector<std::exception_ptr> errors_;              // one per thread
  detail::Cache own_;
};

/// The device used where none is named: all cores, one per calling thread.
inline Cpu& default_device() {
  thread_local Cpu device;
  return device;
}

}  // namespace mno
