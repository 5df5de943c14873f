#include "geometry.hpp"

#include <algorithm>
#include <cmath>
#include <mno/io/unpacked.hpp>

#include "progress.hpp"

namespace program {

namespace {

using mno::Index;
namespace io = mno::io;

/// How the two ends of an axis fit together in the data, over some frames.
struct Ends {
  double apart = 0;       // root mean square of u_first − u_last
  double neighbours = 0;  // of u_i − u_{i+1}
  double bend = 0;        // of u_{i−1} − 2u_i + u_{i+1} inside
  double kink = 0;        // the same across the ends, as if last and first point were neighbours
  bool constant = true;   // the ends are the same numbers in all frames
};

/// Of every axis. The frames that are looked at are spread over all.
std::vector<Ends> look_at_ends(Frames& frames) {
  const std::size_t axes = frames.dimension();
  io::Extents points;
  Index all = 1;
  for (std::size_t d = 0; d < axes; ++d) points.push_back(frames.points(d)), all *= points.back();
  std::vector<Ends> ends(axes);
  std::vector<std::vector<float>> first(axes);  // the ends in the first frame
  std::vector<double> apart(axes), lines(axes), steps(axes), neighbours(axes), bend(axes), bends(axes),
      kink(axes);
  std::vector<float> field(std::size_t(all * frames.channels()));
  const Index looked = std::min<Index>(16, frames.samples() * frames.frames());
  for (Index i = 0; i < looked; ++i) {
    const Index sample = i * frames.samples() / looked,
                frame = frames.frames() == 1 ? 0 : (i * 7) % frames.frames();
    frames.read(sample, 0, frame, points, field);
    Index inner = 1;  // elements between neighbours
    for (std::size_t d = axes; d-- > 0;) {
      const Index n = points[d];
      std::vector<float> here;
      for (Index line = 0; line < Index(field.size()) / n; ++line) {
        const float* at = field.data() + line / inner * inner * n + line % inner;
        const double a = double(at[0]), b = double(at[(n - 1) * inner]);
        here.insert(here.end(), {at[0], at[(n - 1) * inner]});
        if (std::isfinite(a - b)) apart[d] += (a - b) * (a - b), lines[d] += 1;
        const auto curvature = [&](Index k) {
          return double(at[(k + n - 1) % n * inner]) - 2 * double(at[k * inner]) +
                 double(at[(k + 1) % n * inner]);
        };
        for (Index k = 0; k < n; ++k)
          if (const double c = curvature(k); std::isfinite(c)) {
            if (k == 0 || k == n - 1)
              kink[d] += c * c / 2;
            else
              bend[d] += c * c, bends[d] += 1;
          }
        for (Index k = 0; k + 1 < n; ++k) {
          const double difference = double(at[k * inner]) - double(at[(k + 1) * inner]);
          if (std::isfinite(difference)) neighbours[d] += difference * difference, steps[d] += 1;
        }
      }
      if (first[d].empty())
        first[d] = here;
      else
        ends[d].constant = ends[d].constant && here == first[d];
      inner *= n;
    }
  }
  for (std::size_t d = 0; d < axes; ++d) {
    ends[d].apart = std::sqrt(apart[d] / std::max(1.0, lines[d]));
    ends[d].neighbours = std::sqrt(neighbours[d] / std::max(1.0, steps[d]));
    ends[d].bend = std::sqrt(bend[d] / std::max(1.0, bends[d]));
    ends[d].kink = std::sqrt(kink[d] / std::max(1.0, lines[d]));
  }
  return ends;
}

bool names(const std::vector<std::string>& list, const SpaceAxis& axis, std::size_t d) {
  return std::ranges::find(list, axis.name) != list.end() ||
         std::ranges::find(list, name_of(Role(std::size_t(Role::x) + d))) != list.end();
}

/// Is the axis periodic or bounded, and does its last point repeat the first?
std::string decide(AxisFacts& facts, const SpaceAxis& axis, std::size_t d, const Ends& ends,
                   const GeometryWishes& wishes) {
  const bool repeats = facts.points > 2 && ends.neighbours > 0 && ends.apart <= 1e-5 * ends.neighbours;
  std::string why;
  if (names(wishes.bounded, axis, d)) {
    facts.bounded = true, why = "--bounded";
  } else if (names(wishes.periodic, axis, d)) {
    why = "--periodic";
  } else if (axis.bounded) {
    facts.bounded = *axis.bounded, why = axis.why;
  } else if (repeats && ends.constant) {
    facts.bounded = true, why = "both ends keep the same value in all frames";
  } else if (repeats) {
    why = "the last point repeats the first";
  } else if (ends.apart > 3 * ends.neighbours) {
    facts.bounded = true;
    why = "the ends are " + short_number(ends.apart / ends.neighbours) +
          " times as far apart as neighbours are";
  } else if (facts.points > 4 && ends.kink > 3 * ends.bend && ends.bend > 0) {
    facts.bounded = true;
    why = "the field bends " + short_number(ends.kink / ends.bend) +
          " times as much where its ends would meet as inside";
  } else {
    why =
        ends.neighbours > 0 ? "the ends fit each other as neighbours do" : "the field does not vary along it";
  }
  std::string line = (facts.bounded ? "bounded (" : "periodic (") + why + ")";
  if (!facts.bounded && repeats) {
    facts.points -= 1;
    line += "; the last point is the first once more and is left out";
  }
  return line;
}

/// The length that `all` points stand for, by their places. Empty where there are none.
std::optional<double> length_by_places(const SpaceAxis& axis, Index all, Index kept, const Arrays& arrays) {
  if (axis.coordinate.empty()) return std::nullopt;
  const auto places = arrays.row(axis.coordinate);
  if (!places || places->size() < 2) return std::nullopt;
  const auto n = Index(places->size());
  const double step = (places->back() - places->front()) / double(n - 1);
  if (n != all && n != all + 1)
    io::refuse(arrays.file_name(), "has ", n, " places in ", axis.coordinate, " for ", all, " points along ",
               axis.name, "; give the --length instead");
  for (Index i = 0; i < n; ++i)
    if (!(std::abs((*places)[std::size_t(i)] - places->front() - double(i) * step) <= 1e-2 * std::abs(step)))
      io::refuse(arrays.file_name(), "has points along ", axis.name, " at unequal distances (",
                 axis.coordinate,
                 "), and mno takes them for equal; to do so nevertheless, give the --length");
  return std::abs(step) * double(kept);
}

}  // namespace

std::vector<AxisFacts> find_axes(Frames& frames, const Reading& reading, const Arrays& arrays,
                                 const GeometryWishes& wishes) {
  const std::size_t axes = frames.dimension();
  const auto known = [&](const std::string& name) {
    for (std::size_t d = 0; d < axes; ++d)
      if (names({name}, reading.space[d], d)) return true;
    return false;
  };
  for (const auto* list : {&wishes.bounded, &wishes.periodic})
    for (const std::string& name : *list)
      if (!known(name))
        io::refuse(arrays.file_name(), "has no axis ", io::shown(name),
                   " of space to be periodic or bounded");
  if (!wishes.length.empty() && wishes.length.size() != 1 && wishes.length.size() != axes)
    throw mno::Error("mno import: --length: expected one number or one for every axis.");
  const std::vector<Ends> ends = look_at_ends(frames);
  std::vector<AxisFacts> facts(axes);
  for (std::size_t d = 0; d < axes; ++d) {
    const SpaceAxis& axis = reading.space[d];
    AxisFacts& one = facts[d];
    one.name = axis.name;
    one.points = frames.points(d);
    const std::string edge = decide(one, axis, d, ends[d], wishes);
    std::string by = "(not in the file; --length says another)";
    if (!wishes.length.empty()) {
      one.length = wishes.length[wishes.length.size() == 1 ? 0 : d], by = "by --length";
    } else if (const auto length = length_by_places(axis, frames.points(d), one.points, arrays)) {
      one.length = *length, by = "by " + axis.coordinate;
    }
    if (!(one.length > 0) || !std::isfinite(one.length))
      io::refuse(arrays.file_name(), "expected a positive length along ", axis.name, ", found ", one.length);
    one.line = axis.name + ": " + std::to_string(one.points) + " points, length " + short_number(one.length) +
               " " + by + "; " + edge;
  }
  return facts;
}

void add_times(Times& times, Index samples, Index frames, const Reading& reading, const Arrays& arrays,
               double step) {
  std::vector<std::vector<double>> rows;
  std::string line = std::to_string(frames) + " frames";
  if (step > 0 || reading.time.empty()) {
    rows.emplace_back();
    for (Index f = 0; f < frames; ++f) rows[0].push_back(double(f) * (step > 0 ? step : 1));
    line += step > 0 ? ", step " + short_number(step) + " by --time"
                     : "; their times are not in the file, so that a frame is a unit of time (--time STEP "
                       "says another)";
  } else {
    const auto& shape = arrays.shape(reading.time);
    if (!shape) io::refuse(arrays.file_name(), "expected numbers in ", reading.time);
    const std::vector<double> all = io::numbers_of(io::open_unpacked(arrays.file(), reading.time)->read());
    Index longest = 1;
    for (const Index n : *shape) longest = std::max(longest, n);
    const bool each = Index(all.size()) != longest;  // (sample, frame)
    if (each && (shape->size() != 2 || (*shape)[0] != samples))
      io::refuse(arrays.file_name(), "expected times in a row, or one row for each of ", samples,
                 " samples, found ", reading.time, " ", io::to_string(*shape));
    const auto length = Index(all.size()) / (each ? samples : 1);
    if (length != frames && length != frames + 1)
      io::refuse(arrays.file_name(), "has ", length, " times in ", reading.time, " for ", frames,
                 " frames; give their step with --time STEP");
    for (Index r = 0; r < (each ? samples : 1); ++r)
      rows.emplace_back(all.begin() + r * length, all.begin() + r * length + frames);
    line +=
        " at " + reading.time + ", " + short_number(rows[0].front()) + " to " + short_number(rows[0].back());
    if (length == frames + 1)
      line += "; it has one number more than there are frames, and the last is left out";
  }
  if (times.line.empty()) times.line = line;
  for (Index s = 0; s < samples; ++s) {
    const auto& row = rows[rows.size() == 1 ? 0 : std::size_t(s)];
    times.of_sample.push_back(times.rows.emplace(row, times.rows.size()).first->second);
  }
}

}  // namespace program
