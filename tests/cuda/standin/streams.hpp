#pragma once
// Streams as queues: what is submitted runs when something waits for it, and not before.
//
// A place in a queue is a number that only grows: operation n of a stream has run when `done` ≥ n. An event
// is the place where it was recorded. Whatever must come first (an event that is waited for, the default
// stream) is a list of such places, so that one rule serves all: before an operation runs, the places it
// depends on are reached. They were all submitted before it; so this ends.
#include <chrono>
#include <deque>
#include <memory>

#include "machine.hpp"

struct CUstream_st;

namespace standin {

using StreamOwner = std::shared_ptr<CUstream_st>;
struct Place {
  StreamOwner stream;  // none: nowhere, which is always reached
  std::uint64_t number = 0;
};

}  // namespace standin

struct CUstream_st {
  struct Queued {
    standin::Operation operation;
    std::vector<standin::Place> after;
  };
  bool blocking = true;  // waits for the default stream, and the default stream for it
  std::deque<Queued> queue;
  std::uint64_t submitted = 0, done = 0;
};

struct CUevent_st {
  using Clock = std::chrono::steady_clock;
  bool timed = true;
  standin::Place record;
  std::shared_ptr<Clock::time_point> time;  // when the record was reached
};

namespace standin {

/// Null: no such stream. A null handle is the default stream.
StreamOwner find_stream(cudaStream_t stream);
cudaStream_t create_stream(bool blocking);
/// Its queue still runs, but the handle is no longer good.
bool destroy_stream(cudaStream_t stream);
std::size_t stream_count();

void enqueue(const StreamOwner& stream, Operation operation, std::vector<Place> after = {});
Place end_of(const StreamOwner& stream);
bool reached(const Place& place);
/// Runs what is needed to reach the place; other streams go before it, if Progress::early is set.
void reach(const Place& place);
/// Runs the stream's next operation: somebody who asks again and again shall not ask for ever.
void step(const StreamOwner& stream);
void reach_all();
void drop_all();

}  // namespace standin
