#include "plan.hpp"

#include <algorithm>
#include <cmath>
#include <mno/io/file.hpp>
#include <set>

#include "arrays.hpp"
#include "progress.hpp"

namespace program {

namespace {

using mno::Index;
namespace io = mno::io;

std::string joined_names(const std::vector<std::string>& names) {
  std::string all;
  for (std::size_t i = 0; i < names.size() && i < 8; ++i) all += (i ? ", " : "") + io::plain(names[i], 60);
  return names.size() > 8 ? all + " and " + std::to_string(names.size() - 8) + " more" : all;
}

/// What the arrays of the files are. The geometry is the first file's.
void read_files(const ImportOptions& options, Plan& plan) {
  Wishes wishes = options.wishes;
  GeometryWishes geometry = options.geometry;
  if (!options.time.empty()) {
    char* end = nullptr;
    geometry.step = std::strtod(options.time.c_str(), &end);
    if (*end != '\0') geometry.step = 0, wishes.time = options.time;
    if (*end == '\0' && !(geometry.step > 0 && std::isfinite(geometry.step)))
      throw mno::Error("mno import: --time: expected a step above 0 or the name of an array, got '" +
                       options.time + "'.");
  }
  for (const auto& path : options.files) {
    const std::string name = io::file_name(path);
    const std::shared_ptr<const io::ArrayFile> file = open_arrays(path);
    const Arrays arrays(name, *file);
    const Reading reading = read_layout(arrays, wishes);
    const Index before = plan.state.samples();
    plan.state.add(name, file, reading.parts);
    if (plan.state.dimension() == 0)
      io::refuse(name, "expected axes of space, x or x,y or x,y,z, among the axes of ",
                 reading.parts[0][0].name);
    const Index added = plan.state.samples() - before;
    for (auto [taken, frames] :
         {std::pair(&reading.input, &plan.input), std::pair(&reading.known, &plan.known)})
      if (!taken->empty()) frames->add(name, file, {*taken});
    if (plan.files.empty()) {
      plan.layout = reading.layout;
      for (const Taken& taken : reading.parts[0])
        plan.lines.push_back(text_of(taken, *arrays.shape(taken.name)));
      if (reading.parts.size() > 1)
        plan.lines.back() += ", and so on for " + std::to_string(reading.parts.size()) + " samples";
      for (const Taken& taken : reading.input)
        plan.lines.push_back(text_of(taken, *arrays.shape(taken.name)) + ": what is given, u0");
      for (const Taken& taken : reading.known)
        plan.lines.push_back(text_of(taken, *arrays.shape(taken.name)) + ": a known field");
      plan.axes = find_axes(plan.state, reading, arrays, geometry);
      for (const AxisFacts& axis : plan.axes) plan.lines.push_back(axis.line);
      for (const std::string& note : reading.notes) plan.lines.push_back(note);
      if (!reading.left_out.empty()) plan.lines.push_back("left out: " + joined_names(reading.left_out));
    }
    if (plan.state.has(Role::time) || plan.input.empty())
      add_times(plan.times, added, plan.state.frames(), reading, arrays, geometry.step);
    plan.files.push_back(name);
  }
  const auto same_points = [&](const Frames& frames, const char* what) {
    if (frames.empty()) return;
    for (std::size_t d = 0; d < 3; ++d)
      if (frames.points(d) != 1 && frames.points(d) != plan.state.points(d))
        io::refuse(plan.files[0], "expected ", what, " on the points of the field");
    if (frames.samples() != 1 && frames.samples() != plan.state.samples())
      io::refuse(plan.files[0], "expected ", what, " for each of ", plan.state.samples(), " samples, found ",
                 frames.samples());
  };
  same_points(plan.input, "what is given");
  same_points(plan.known, "known fields");
  if (!plan.input.empty() && plan.input.channels() != plan.state.channels())
    io::refuse(plan.files[0], "expected as many channels in what is given as in what is asked for, found ",
               plan.input.channels(), " and ", plan.state.channels(),
               "; what has others can be a known field: --fields NAME");
}

/// Pairs (u_s, u_{s+τ}) of every sample, or (input, output) where these are separate arrays.
void choose_rows(const ImportOptions& options, Plan& plan) {
  Frames& state = plan.state;
  if (options.first_sample >= state.samples())
    throw mno::Error("mno import: --first-sample: expected a number below the " +
                     std::to_string(state.samples()) + " samples that there are.");
  const Index end = options.samples > 0 ? std::min(state.samples(), options.first_sample + options.samples)
                                        : state.samples();
  const Index taken = end - options.first_sample;
  mno::PairOptions pairs = options.pairs;
  if (!plan.input.empty()) {
    if (pairs.history > 1)
      throw mno::Error(
          "mno import: --history: expected frames of a trajectory to be given, but what is "
          "given is an array of its own.");
    const double time = options.geometry.step > 0 ? options.geometry.step
                        : options.time.empty()    ? 1
                                                  : std::strtod(options.time.c_str(), nullptr);
    for (Index s = options.first_sample; s < end; ++s) {
      if (!state.has(Role::time)) {
        plan.rows.push_back({s, {0, 0, time > 0 ? time : 1, 0}});
        continue;
      }
      for (const auto& [row, number] : plan.times.rows)
        if (number == plan.times.of_sample[std::size_t(s)])
          for (Index f = 0; f < state.frames(); f += pairs.every)
            plan.rows.push_back({s, {0, f, row[std::size_t(f)], 0}}), plan.groups.push_back(s);
    }
    plan.lines.push_back(
        std::to_string(plan.rows.size()) + " pairs (given, asked for)" +
        (state.has(Role::time) ? ", with the frame's time" : ", at time " + short_number(time)));
    return;
  }
  if (!state.has(Role::time) || state.frames() < 2)
    io::refuse(plan.files[0],
               "expected an axis of time with at least two frames, or --input with what is given; found ",
               plan.lines.empty() ? "" : plan.lines[0]);
  plan.lines.push_back(plan.times.line);
  if (state.has(Role::member) && !pairs.first_only) {
    pairs.first_only = true;
    plan.lines.push_back(pairs.history == 1
                             ? std::string("members have one field in common, the first: pairs start from it")
                             : "members have " + std::to_string(pairs.history) +
                                   " fields in common, the first: pairs start from the last of them");
  }
  if (pairs.history > 1) {
    plan.lines.push_back("u0 has a history: the " + std::to_string(pairs.history - 1) +
                         " frame(s) before it are known fields, the nearest first");
    const auto step = [](const std::vector<double>& row) { return row.back() - row.front(); };
    for (const auto& [row, number] : plan.times.rows)
      if (const double first = step(plan.times.rows.begin()->first);
          std::abs(step(row) - first) > 1e-3 * std::abs(first))
        io::refuse(plan.files[0],
                   "expected frames at the same distances in all trajectories, as a history "
                   "is to mean the same for all; one lasts ",
                   first, " and another ", step(row));
  }
  pairs.pieces = options.pieces;
  if (pairs.pieces == 0) {
    pairs.pieces = 1;
    const Index kept = state.frames() / pairs.every;
    if (taken == 1 && !pairs.first_only && kept >= 40) {
      pairs.pieces = 10;
      plan.lines.push_back("one trajectory: cut into 10 pieces of about " + std::to_string(kept / 10) +
                           " frames, so that some can be held back (--pieces says another number)");
    }
  }
  plan.pairs = pairs;
  std::vector<std::vector<mno::FramePair>> of_row(plan.times.rows.size());
  for (const auto& [row, number] : plan.times.rows) {
    for (std::size_t f = 0; f < row.size(); ++f)
      if (!std::isfinite(row[f]) || (f > 0 && row[f] <= row[f - 1]))
        io::refuse(plan.files[0], "expected times that increase, found ", row[f], " at frame ", f,
                   "; --time STEP gives others");
    of_row[number] = mno::frame_pairs(row, pairs);
  }
  constexpr std::size_t shown_lags = 5;
  std::set<double> lags;  // those to show and one more, which tells that there are others
  for (Index s = options.first_sample; s < end; ++s)
    for (const mno::FramePair& pair : of_row[plan.times.of_sample[std::size_t(s)]]) {
      plan.rows.push_back({s, pair});
      plan.groups.push_back(s * pairs.pieces + pair.piece);
      if (lags.size() <= shown_lags) lags.insert(double(float(pair.time)));
    }
  if (plan.rows.empty())
    io::refuse(plan.files[0], "has no two frames at the lags that are asked for",
               pairs.history > 1 ? ", with the history before them" : "", "; it has ", state.frames(),
               " frames from ", plan.times.rows.begin()->first.front(), " to ",
               plan.times.rows.begin()->first.back(), " in time");
  std::string line = std::to_string(plan.rows.size()) + " pairs of frames out of " + std::to_string(taken) +
                     (taken == 1 ? " trajectory" : " trajectories") + ", at time lags ";
  const bool more = lags.size() > shown_lags;
  if (more) lags.erase(std::prev(lags.end()));
  for (const double lag : lags) line += (lag == *lags.begin() ? "" : ", ") + short_number(lag);
  plan.lines.push_back(line + (more ? ", …" : "") + "; a split never tears a trajectory apart");
}

}  // namespace

Plan make_plan(const ImportOptions& options) {
  Plan plan;
  read_files(options, plan);
  choose_rows(options, plan);
  return plan;
}

}  // namespace program
