#pragma once
// The processes that mpirun or srun started, as a communicator (device/communicator.hpp). Only mpi.h is used,
// and messages go from rank to rank, so that a waiting rank knows which one it waits for.
//
// A run ends as a whole. A rank that leaves by an exception ends all others. If a rank is killed, the
// launcher notices, names it and ends the others. If a rank sends nothing for MNO_RANK_TIMEOUT seconds
// (default 900), the one that waits for it names it and ends the run.
#include <mpi.h>
#include <sched.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>

#include "mno/device/communicator.hpp"

namespace mno {

class MpiWorld final : public Communicator {
 public:
  /// Was this process started by an MPI launcher? Without one it is alone, and needs no MPI.
  static bool launched() {
    for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMIX_RANK", "PMI_RANK", "PMI_SIZE"})
      if (std::getenv(name)) return true;
    return false;
  }

  /// Once in a process. Threads may compute; one of them, always the same, communicates.
  MpiWorld() : exceptions_(std::uncaught_exceptions()) {
    int there = 0;
    MPI_Initialized(&there);
    require(there == 0, "MpiWorld", "process", Text("one that has not started MPI yet"),
            Text("a second start"));
    int provided = 0;
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_dup(MPI_COMM_WORLD, &world_);  // other users of MPI in the process are not in our way
    MPI_Comm_rank(world_, &rank_);
    MPI_Comm_size(world_, &size_);
    try {
      timeout_ = detail::rank_timeout();
    } catch (const Error& error) {
      abort(error.what());
    }
  }
  ~MpiWorld() override {
    // After an error this rank sends nothing more; without this, the others could wait for it.
    if (std::uncaught_exceptions() > exceptions_) MPI_Abort(world_, 1);
    MPI_Comm_free(&world_);
    MPI_Finalize();
  }
  MpiWorld(const MpiWorld&) = delete;
  MpiWorld& operator=(const MpiWorld&) = delete;

  Index rank() const override { return rank_; }
  Index size() const override { return size_; }

  void exchange(std::span<const std::span<const std::byte>> send,
                std::span<const std::span<std::byte>> receive) override {
    requests_.clear();
    from_.clear();
    for (int step = 1; step < size_; ++step) {  // every rank begins with another neighbour
      const int to = (rank_ + step) % size_, from = (rank_ + size_ - step) % size_;
      in_pieces(receive[std::size_t(from)], [&](std::byte* data, int bytes) {
        MPI_Irecv(data, bytes, MPI_BYTE, from, 0, world_, added(from));
      });
      in_pieces(send[std::size_t(to)], [&](const std::byte* data, int bytes) {
        MPI_Isend(data, bytes, MPI_BYTE, to, 0, world_, added(to));
      });
    }
    const auto own = std::size_t(rank_);
    if (!send[own].empty()) std::memcpy(receive[own].data(), send[own].data(), send[own].size());
    wait();
  }

  /// Ends all ranks; the sentence says who and why.
  [[noreturn]] void abort(const std::string& sentence, int code = 1) {
    const char* const end = sentence.ends_with('.') ? "" : ".";
    std::fprintf(stderr, "mno: rank %d of %d: %s%s\n", rank_, size_, sentence.c_str(), end);
    std::fflush(stderr);
    MPI_Abort(world_, code);
    std::_Exit(code);
  }

 private:
  /// MPI counts in int.
  template <class Bytes, class F> static void in_pieces(Bytes bytes, F&& f) {
    constexpr std::size_t most = std::size_t{1} << 30;
    for (std::size_t at = 0; at < bytes.size(); at += most)
      f(bytes.data() + at, int(std::min(most, bytes.size() - at)));
  }
  MPI_Request* added(int other) {
    requests_.push_back(MPI_REQUEST_NULL);
    from_.push_back(other);
    return &requests_.back();
  }

  /// Until all is sent and received. It polls at once at first, then yields in between, then sleeps: there
  /// may be more ranks than processors.
  void wait() {
    using Clock = std::chrono::steady_clock;
    const auto start = Clock::now();
    for (long look = 0;; ++look) {
      int done = 0;
      MPI_Testall(int(requests_.size()), requests_.data(), &done, MPI_STATUSES_IGNORE);
      if (done) return;
      if (look < 64) continue;
      if (look < 4096) {
        ::sched_yield();
        continue;
      }
      ::usleep(50);
      if (look % 1024 != 0) continue;
      if (std::chrono::duration<double>(Clock::now() - start).count() > timeout_) give_up();
    }
  }
  [[noreturn]] void give_up() {
    std::string missing;
    for (int other = 0; other < size_; ++other) {
      bool open = false;
      for (std::size_t i = 0; i < requests_.size(); ++i) {
        int done = 1;
        if (from_[i] == other && requests_[i] != MPI_REQUEST_NULL)
          MPI_Test(&requests_[i], &done, MPI_STATUS_IGNORE);
        open = open || !done;
      }
      if (open) missing += (missing.empty() ? "" : ", ") + std::to_string(other);
    }
    abort("nothing was heard of rank(s) " + missing + " for " + Text(timeout_).str() +
          " s (MNO_RANK_TIMEOUT), so the run is ended");
  }

  MPI_Comm world_ = MPI_COMM_NULL;
  int rank_ = 0, size_ = 1, exceptions_;
  double timeout_ = 0;
  std::vector<MPI_Request> requests_;
  std::vector<int> from_;
};

}  // namespace mno
