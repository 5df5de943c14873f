#pragma once
// Ranks that are threads of one process: what several processes compute, without a launcher.
#include <barrier>
#include <exception>
#include <thread>
#include <vector>

#include "mno/device/communicator.hpp"

namespace mno::test {

class ThreadRanks {
 public:
  explicit ThreadRanks(Index size) : size_(size), sent_(std::size_t(size)), meeting_(size) {}

  /// body(communicator) on every rank; no rank may leave by an exception before the others do.
  template <class Body> void run(Body&& body) {
    std::vector<std::thread> threads;
    std::vector<std::exception_ptr> errors(static_cast<std::size_t>(size_));
    for (Index rank = 0; rank < size_; ++rank)
      threads.emplace_back([&, rank] {
        Rank own(*this, rank);
        try {
          body(own);
        } catch (...) {
          errors[std::size_t(rank)] = std::current_exception();
        }
      });
    for (std::thread& thread : threads) thread.join();
    for (const auto& error : errors)
      if (error) std::rethrow_exception(error);
  }

 private:
  class Rank final : public Communicator {
   public:
    Rank(ThreadRanks& all, Index rank) : all_(all), rank_(rank) {}
    Index rank() const override { return rank_; }
    Index size() const override { return all_.size_; }
    void exchange(std::span<const std::span<const std::byte>> send,
                  std::span<const std::span<std::byte>> receive) override {
      all_.sent_[std::size_t(rank_)].assign(send.begin(), send.end());
      all_.meeting_.arrive_and_wait();
      for (std::size_t from = 0; from < receive.size(); ++from) {
        const std::span<const std::byte> got = all_.sent_[from][std::size_t(rank_)];
        require(got.size() == receive[from].size(), "ThreadRanks", "receive",
                Text("what was sent, ", got.size(), " bytes"), Text(receive[from].size()));
        std::copy(got.begin(), got.end(), receive[from].begin());
      }
      all_.meeting_.arrive_and_wait();
    }

   private:
    ThreadRanks& all_;
    Index rank_;
  };

  Index size_;
  std::vector<std::vector<std::span<const std::byte>>> sent_;
  std::barrier<> meeting_;
};

}  // namespace mno::test
