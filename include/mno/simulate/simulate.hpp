#pragma once
// How every simulator is called and what it hands back.
//
//   simulate<float>(Burgers{}, {.samples = 1000, .members = 192, .seed = 7}, sink);
//   Collected<float, 1> all = collect<float>(Burgers{}, {.samples = 10});
//
// A condition is an initial field and a query time; its members are independent draws of u_t given u_0. The
// sink sees each condition once, so that the data need not fit in memory. Samples are shared among threads,
// and every draw is a function of (seed, sample, member) alone.
#include <functional>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "mno/core/field.hpp"
#include "mno/device/cpu.hpp"

namespace mno {

/// What to draw.
struct Sampling {
  Index samples = 1;    // initial conditions
  Index members = 192;  // draws of u_t for each
  std::uint64_t seed = 0;
  Index first_sample = 0;            // training, validation and test sets are pieces of one seed's sequence
  std::vector<double> times{};       // query times, increasing; none: the equation's own final time
  bool one_time_per_sample = false;  // times[s] belongs to sample s alone
  std::function<void(Index done, Index total)> progress{};  // called by one thread at a time

  Index queries() const { return one_time_per_sample || times.empty() ? 1 : Index(times.size()); }
};

/// One initial field and one query time.
template <class T, int D> struct SimulatedCondition {
  Index sample = 0;            // from 0, within this call
  Index query = 0;             // which of the sample's times
  Index index = 0;             // sample · queries + query
  double time = 0;             // t
  View<const T, D> initial{};  // u_0: (1, grid…, channel)
};

/// Everything of one call in memory.
template <class T, int D> struct Collected {
  Field<T, D> initial;        // (condition, grid…, channel), repeated for every query
  std::vector<double> times;  // (condition)
  Field<T, D> members;        // (condition · members, grid…, channel), the member fastest
  Index members_each = 0;

  Index conditions() const { return Index(times.size()); }
  View<const T, D> of(Index condition) const {
    return members.view().samples(condition * members_each, members_each);
  }
};

namespace detail {
/// The solver's order for one sample: draw u_0 into `initial` and u_t into `members` (query, member, grid…).
template <class T, int D> struct Task {
  std::uint64_t seed;
  Index sample;  // within the seed's sequence
  std::span<const double> times;
  Index count;  // members
  View<T, D> initial;
  T* members;
};

[[noreturn]] inline void blow_up(const char* equation, Index sample, Index member, Index step, double time,
                                 const char* remedy) {
  throw Error(Text("mno::simulate: ", equation, " is no longer finite in sample ", sample, ", member ",
                   member, ", after step ", step, " (t = ", time, "): ", remedy, ".")
                  .str());
}

/// The number of whole steps to time t.
inline Index steps_to(double t, double dt, const char* equation) {
  const double steps = std::round(t / dt);
  require(std::isfinite(t) && t >= 0 && std::abs(t / dt - steps) < 1e-6 && steps < 0x1p31, equation, "times",
          Text("multiples of the time step ", dt), Text(t));
  return Index(steps);
}

inline void check_sampling(const Sampling& sampling) {
  require(sampling.samples >= 1, "simulate", "samples", Text("at least one"), Text(sampling.samples));
  require(sampling.members >= 1, "simulate", "members", Text("at least one"), Text(sampling.members));
  require(sampling.first_sample >= 0, "simulate", "first_sample", Text("a number that is not negative"),
          Text(sampling.first_sample));
  if (sampling.one_time_per_sample) {
    require(Index(sampling.times.size()) == sampling.samples, "simulate", "times",
            Text("one per sample, ", sampling.samples), Text(sampling.times.size(), " values"));
  } else {
    for (std::size_t i = 1; i < sampling.times.size(); ++i)
      require(sampling.times[i] > sampling.times[i - 1], "simulate", "times", Text("increasing values"),
              Text(sampling.times[i], " after ", sampling.times[i - 1]));
  }
}
}  // namespace detail

/// sink(condition, members) once for every condition, from several threads; members is (member, grid…,
/// channel) and lives until the sink returns. An equation has check(), check_time(t), final_time(), grid()
/// and a Solver<T> that is made once and shared by the threads.
template <class T, class Equation, class Sink>
void simulate(const Equation& equation, const Sampling& sampling, Sink&& sink,
              Cpu& device = default_device()) {
  constexpr int D = Equation::dimension;
  equation.check();
  detail::check_sampling(sampling);
  const std::vector<double> times =
      sampling.times.empty() ? std::vector<double>{equation.final_time()} : sampling.times;
  for (double t : times) equation.check_time(t);
  const typename Equation::template Solver<T> solver(equation);
  const Grid<D> grid = equation.grid();
  const Index queries = sampling.queries(), members = sampling.members;
  const Index channels = Equation::channels;
  const Index size = grid.size() * channels;
  std::mutex mutex;
  Index done = 0;
  device.for_each_run(sampling.samples, [&](const Cpu::Run& run, Workspace& workspace) {
    const ArenaScope scope(workspace.scratch);
    const View<T, D> initial{workspace.scratch.take<T>(std::size_t(size)), 1, grid, channels, channels};
    T* const drawn = workspace.scratch.take<T>(std::size_t(queries * members * size));
    for (Index sample = run.begin; sample < run.end; ++sample) {
      const std::span<const double> own =
          sampling.one_time_per_sample ? std::span(&times[std::size_t(sample)], 1) : std::span(times);
      solver.run({sampling.seed, sampling.first_sample + sample, own, members, initial, drawn},
                 workspace.scratch);
      for (Index query = 0; query < queries; ++query)
        sink(SimulatedCondition<T, D>{sample, query, sample * queries + query, own[std::size_t(query)],
                                      initial},
             View<const T, D>{drawn + query * members * size, members, grid, channels, channels});
      if (sampling.progress) {
        const std::lock_guard lock(mutex);
        sampling.progress(++done, sampling.samples);
      }
    }
  });
}

/// All conditions and members in memory.
template <class T, class Equation>
Collected<T, Equation::dimension> collect(const Equation& equation, const Sampling& sampling,
                                          Cpu& device = default_device()) {
  constexpr int D = Equation::dimension;
  detail::check_sampling(sampling);
  equation.check();
  const Index rows = sampling.samples * sampling.queries();
  Collected<T, D> all{{rows, equation.grid(), Equation::channels},
                      std::vector<double>(std::size_t(rows)),
                      {rows * sampling.members, equation.grid(), Equation::channels},
                      sampling.members};
  const auto copy = [](View<const T, D> from, View<T, D> to) {
    std::copy_n(from.data, from.rows() * from.channels, to.data);
  };
  simulate<T>(
      equation, sampling,
      [&](const SimulatedCondition<T, D>& condition, View<const T, D> members) {
        copy(condition.initial, all.initial.view().samples(condition.index, 1));
        copy(members, all.members.view().samples(condition.index * sampling.members, sampling.members));
        all.times[std::size_t(condition.index)] = condition.time;
      },
      device);
  return all;
}

/// So many points on each axis, every stride-th: the same functions on a coarser grid, without filtering.
template <class T, int D> Field<T, D> subsample(const Field<T, D>& fine, Index points) {
  Grid<D> grid{{}, fine.grid().domain};
  for (const Index n : fine.grid().points)
    require(points >= 1 && n % points == 0, "subsample", "points", Text("a divisor of ", n), Text(points));
  grid.points.fill(points);
  Field<T, D> coarse(fine.batch(), grid, fine.channels());
  for (Index p = 0; p < coarse.points(); ++p) {
    Index from = 0, rest = p, pitch = 1;  // the same place among the points of the fine grid
    for (std::size_t d = std::size_t(D); d-- > 0;) {
      const Index n = fine.grid().points[d];
      from += rest % points * (n / points) * pitch;
      rest /= points;
      pitch *= n;
    }
    for (Index b = 0; b < fine.batch(); ++b)
      for (Index c = 0; c < fine.channels(); ++c) coarse(b, p, c) = fine(b, from, c);
  }
  return coarse;
}

}  // namespace mno
