// What tests set and ask: settings, violations, failures on demand, counts.
#include "runtime.hpp"
#include "streams.hpp"

namespace standin {
namespace {

struct State {
  Settings settings;
  std::vector<std::string> violations;
  Counts counts{};
  std::uint64_t failing_call = 0, failing_allocation = 0;  // by its count; 0: none
};
State& state() {
  static State& all = *new State;  // this and the others outlive every static object that frees something
  return all;
}

}  // namespace

std::recursive_mutex& mutex() {
  static std::recursive_mutex& one = *new std::recursive_mutex;
  return one;
}

Memory& memory() {
  static Memory& one = *new Memory;
  return one;
}

Settings& settings() { return state().settings; }
void report(std::string violation) { state().violations.push_back(std::move(violation)); }

std::vector<std::string> violations() {
  const Lock lock(mutex());
  for (std::string& damage : memory().damaged_free_memory()) report(std::move(damage));
  return state().violations;
}

void clear_violations() {
  violations();  // what was written to freed memory until now belongs to them
  state().violations.clear();
}

void reset() {
  const Lock lock(mutex());
  drop_all();
  memory().damaged_free_memory();
  state() = State{};
  take_last_error();
}

bool fails(bool allocates) {
  State& now = state();
  const bool call = ++now.counts.calls == now.failing_call;
  const bool allocation = allocates && ++now.counts.allocations == now.failing_allocation;
  if (call) now.failing_call = 0;
  if (allocation) now.failing_allocation = 0;
  return call || allocation;
}

void fail_call(std::uint64_t n) { state().failing_call = state().counts.calls + n; }
void fail_allocation(std::uint64_t n) { state().failing_allocation = state().counts.allocations + n; }
bool failure_pending() { return state().failing_call != 0 || state().failing_allocation != 0; }

std::uint64_t count_launch() { return ++state().counts.launches; }
Counts counts() { return state().counts; }

Usage usage() {
  const Lock lock(mutex());
  return {memory().allocations(), memory().bytes(), pinned_count(),      stream_count(),
          event_count(),          plan_count(),     blas_handle_count(), communicator_count()};
}

std::size_t& plan_count() {
  static std::size_t count = 0;
  return count;
}
std::size_t& blas_handle_count() {
  static std::size_t count = 0;
  return count;
}
std::size_t& communicator_count() {
  static std::size_t count = 0;
  return count;
}

}  // namespace standin
