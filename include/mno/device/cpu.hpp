#pragma once
// The processor as a device: an explicit number of threads, and the memory they work in.
//
// Work over a batch is cut into blocks of samples, blocks are dealt to a fixed number of lanes, and a lane is
// worked through in order by one thread. What a lane computes does not depend on how many threads share the
// lanes, so results are bitwise equal for every thread count.
#include <algorithm>
#include <exception>
#include <memory>
#include <span>
#include <thread>
#include <vector>

#include "mno/core/error.hpp"
#include "mno/core/grid.hpp"
#include "mno/device/product.hpp"
#include "mno/device/workspace.hpp"

namespace mno {

class Cpu {
 public:
  using Workspace = mno::Workspace;
  /// More threads than this would not be used; a constant, because sums are shaped by it.
  static constexpr Index most_lanes = 8;

  /// As many threads as the machine has cores.
  Cpu() : Cpu(int(std::max(1u, std::thread::hardware_concurrency()))) {}
  explicit Cpu(int threads) : threads_(threads) {
    require(threads >= 1, "Cpu", "threads", Text("at least one"), Text(threads));
    for (int thread = 0; thread < threads; ++thread) workspaces_.push_back(std::make_unique<Workspace>());
    sums_.resize(std::size_t(most_lanes));
  }

  int threads() const { return threads_; }

  static Index lanes(Index blocks) { return std::min(blocks, most_lanes); }

  /// body(lane, workspace) for every lane, shared among the threads. If lanes throw, the first of them in
  /// order is what the caller sees.
  template <class Body> void for_each_lane(Index lanes, Body&& body) {
    std::exception_ptr errors[most_lanes] = {};
    const int team = int(std::min<Index>(threads_, lanes));
    const auto share = [&](Index thread) {  // every team-th lane is this thread's
      for (Index lane = thread; lane < lanes; lane += team) {
        try {
          body(lane, *workspaces_[std::size_t(thread)]);
        } catch (...) {
          errors[lane] = std::current_exception();
        }
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
    for (const auto& error : errors)
      if (error) std::rethrow_exception(error);
  }

  /// Numbers [begin, end) of a buffer.
  struct Range {
    std::size_t begin, end;
  };

  /// A lane's own sum of n values, of which those in the ranges are zeroed; kept between calls so that a
  /// training step allocates nothing.
  template <class T> T* lane_sum(Index lane, std::size_t n, std::span<const Range> ranges) {
    auto& sum = sums_[std::size_t(lane)];
    if (sum.size() < n * sizeof(T)) sum = detail::Chunk(n * sizeof(T));
    T* const values = reinterpret_cast<T*>(sum.data());
    for (const Range& range : ranges) std::fill(values + range.begin, values + range.end, T(0));
    return values;
  }

  /// total[i] += Σ_lane sum[i], or is set to it, for all i in the ranges, the lanes in order; every i is one
  /// thread's.
  template <class T>
  void add_lane_sums(Index lanes, T* total, std::span<const Range> ranges, Write write = Write::add) {
    const std::size_t pieces = std::size_t(most_lanes);
    for_each_lane(most_lanes, [&](Index piece, Workspace&) {
      for (const Range& range : ranges) {
        const std::size_t n = range.end - range.begin;
        const std::size_t begin = range.begin + n * std::size_t(piece) / pieces;
        const std::size_t end = range.begin + n * std::size_t(piece + 1) / pieces;
        for_each_packet<T>(Index(end - begin), [&](auto load, auto store) {
          Packet<T> sum = write == Write::add ? load(total + begin) : packet::everywhere(T(0));
          for (Index lane = 0; lane < lanes; ++lane)
            sum =
                packet::padd(sum, load(reinterpret_cast<const T*>(sums_[std::size_t(lane)].data()) + begin));
          store(total + begin, sum);
        });
      }
    });
  }

  /// An object of type P that lives as long as the device: memory that is kept from one call to the next.
  template <class P> P& own() { return own_.template only<P>(); }

  /// Bytes held for work, to be reported.
  std::size_t memory() const {
    std::size_t bytes = 0;
    for (const auto& w : workspaces_) bytes += w->trace.capacity() + w->scratch.capacity();
    for (const auto& s : sums_) bytes += s.size();
    return bytes;
  }

 private:
  int threads_;
  std::vector<std::unique_ptr<Workspace>> workspaces_;  // one per thread
  std::vector<detail::Chunk> sums_;                     // one per lane
  detail::Cache own_;
};

/// The device used where none is named: all cores, one per calling thread.
inline Cpu& default_device() {
  thread_local Cpu device;
  return device;
}

}  // namespace mno
