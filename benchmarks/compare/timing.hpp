#pragma once
// How a worker takes its turn: the same call again and again for some seconds, and how long each took.
#include <ctime>
#include <sstream>
#include <string>

/// Milliseconds of every call, with a space behind each; of the processor, or as they pass.
template <class Call> std::string times_of(double seconds, bool processor, Call&& call) {
  const auto now = [](clockid_t clock) {
    timespec t{};
    clock_gettime(clock, &t);
    return double(t.tv_sec) + 1e-9 * double(t.tv_nsec);
  };
  const clockid_t clock = processor ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC;
  std::ostringstream times;
  const double end = now(CLOCK_MONOTONIC) + seconds;
  do {
    const double start = now(clock);
    call();
    times << 1e3 * (now(clock) - start) << ' ';
  } while (now(CLOCK_MONOTONIC) < end);
  return times.str();
}
