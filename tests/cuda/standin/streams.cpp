#include "streams.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <thread>
#include <utility>

namespace standin {
namespace {

struct Streams {
  StreamOwner standard = std::make_shared<CUstream_st>();
  std::vector<StreamOwner> created;
  std::vector<StreamOwner> leaving;  // destroyed, with work that has not run
};
Streams& streams() {
  static Streams& all = *new Streams;  // outlives every static object
  return all;
}

std::vector<StreamOwner> all_streams() {
  std::vector<StreamOwner> all{streams().standard};
  all.insert(all.end(), streams().created.begin(), streams().created.end());
  all.insert(all.end(), streams().leaving.begin(), streams().leaving.end());
  return all;
}

std::string range_complaint(const Operation& operation) {
  for (const Range& range : operation.device)
    if (std::string complaint = memory().complaint(range); !complaint.empty()) return complaint;
  for (const Range& range : operation.pinned)
    if (!is_pinned(range.begin, range.bytes))
      return std::string(range.role) + " is in pinned memory that was freed";
  return {};
}

void execute(const Operation& operation) {
  if (const std::string complaint = range_complaint(operation); !complaint.empty()) {
    report(operation.name + ", when it ran: " + complaint);
    return;
  }
  operation.run();
  for (const std::string& damage : memory().damaged_guards()) report(operation.name + " " + damage);
}

/// Whether it came there: an operation may not be ready.
bool run_until(const StreamOwner& stream, std::uint64_t number) {
  std::optional<Memory::Window> window;  // once for all that runs, and not where nothing does
  while (stream->done < number && !stream->queue.empty()) {
    const auto& next = stream->queue.front();
    for (const Place& place : next.after)
      if (place.stream && !run_until(place.stream, place.number)) return false;
    if (next.operation.ready && !next.operation.ready()) return false;
    const auto now = std::move(stream->queue.front());
    stream->queue.pop_front();
    if (!window) window.emplace(memory());
    execute(now.operation);
    ++stream->done;
  }
  if (stream->queue.empty()) std::erase(streams().leaving, stream);
  return true;
}

/// The same, and waits for operations that are not ready. What is given up never runs.
void wait_until(const StreamOwner& stream, std::uint64_t number) {
  while (!wait_for([&] { return run_until(stream, number); })) {
    if (stream->queue.empty()) return;
    report(stream->queue.front().operation.name + " waited for something that never came");
    stream->queue.pop_front();
    ++stream->done;
  }
}

}  // namespace

bool wait_for(const std::function<bool()>& done) {
  using Clock = std::chrono::steady_clock;
  for (const auto start = Clock::now(); !done();) {
    if (std::chrono::duration<double>(Clock::now() - start).count() > patience) return false;
    mutex().unlock();  // it was taken once, by the call that waits
    std::this_thread::sleep_for(std::chrono::microseconds(50));
    mutex().lock();
  }
  return true;
}

StreamOwner find_stream(cudaStream_t stream) {
  if (stream == nullptr || stream == cudaStreamLegacy) return streams().standard;
  for (const StreamOwner& one : streams().created)
    if (one.get() == stream) return one;
  return nullptr;
}

cudaStream_t create_stream(bool blocking) {
  auto stream = std::make_shared<CUstream_st>();
  stream->blocking = blocking;
  streams().created.push_back(stream);
  return stream.get();
}

bool destroy_stream(cudaStream_t stream) {
  const StreamOwner found = find_stream(stream);
  if (!found || found == streams().standard) return false;
  if (!found->queue.empty()) streams().leaving.push_back(found);
  std::erase(streams().created, found);
  return true;
}

std::size_t stream_count() { return streams().created.size(); }

Place end_of(const StreamOwner& stream) { return {stream, stream->submitted}; }
bool reached(const Place& place) { return !place.stream || place.stream->done >= place.number; }

void enqueue(const StreamOwner& stream, Operation operation, std::vector<Place> after) {
  // "The legacy default stream waits for all blocking streams, and they for it."
  if (stream == streams().standard) {
    for (const StreamOwner& other : all_streams())
      if (other != stream && other->blocking) after.push_back(end_of(other));
  } else if (stream->blocking) {
    after.push_back(end_of(streams().standard));
  }
  std::erase_if(after, reached);
  stream->queue.push_back({std::move(operation), std::move(after)});
  ++stream->submitted;
  if (settings().progress == Progress::at_once) run_until(stream, stream->submitted);
}

void reach(const Place& place) {
  if (!place.stream) return;
  if (settings().progress == Progress::early)
    for (const StreamOwner& other : all_streams())
      if (other != place.stream) run_until(other, other->submitted);
  wait_until(place.stream, place.number);
}

void step(const StreamOwner& stream) { run_until(stream, stream->done + 1); }

void reach_all() {
  const bool reversed = settings().progress == Progress::late;
  auto all = all_streams();
  if (reversed) std::reverse(all.begin(), all.end());  // the first to get work is the last to do it
  for (const StreamOwner& stream : all) wait_until(stream, stream->submitted);
}

void drop_all() {
  for (const StreamOwner& stream : all_streams()) {
    stream->queue.clear();
    stream->done = stream->submitted;
  }
  streams().leaving.clear();
}

bool is_stream(cudaStream_t stream) { return find_stream(stream) != nullptr; }

std::size_t queued() {
  const Lock lock(mutex());
  std::size_t sum = 0;
  for (const StreamOwner& stream : all_streams()) sum += stream->queue.size();
  return sum;
}

cudaError_t submit(cudaStream_t stream, Operation operation) {
  const StreamOwner found = find_stream(stream);
  if (!found) {
    report(operation.name + " was given a stream that does not exist");
    return cudaErrorInvalidResourceHandle;
  }
  if (const std::string complaint = range_complaint(operation); !complaint.empty()) {
    report(operation.name + ": " + complaint);
    return cudaErrorInvalidValue;
  }
  enqueue(found, std::move(operation));
  return cudaSuccess;
}

}  // namespace standin
