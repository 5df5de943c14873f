// Layouts that follow a convention rather than a program: axes with names (NetCDF, pfno), a pair of arrays
// (neuraloperator), one array of trajectories (APEBench).
#include <algorithm>
#include <cctype>
#include <cmath>

#include "reading.hpp"

namespace program {

namespace {

using mno::Index;
using mno::io::Extents;

constexpr std::array<Role, 3> grid_axes{Role::x, Role::y, Role::z};
constexpr Index most_channels = 8;  // of an axis without a name; grids have more points than this

std::string small_letters(std::string text) {
  for (char& c : text) c = char(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

/// The role of a dimension, by its name or by the attributes of its coordinate (CF). All axes of space are
/// Role::x.
std::optional<Role> role_of_dimension(const Arrays& arrays, const std::string& dimension) {
  const std::string name = small_letters(dimension);
  const auto among = [&](std::initializer_list<const char*> names) {
    return std::any_of(names.begin(), names.end(), [&](const char* one) { return name == one; });
  };
  if (among(
          {"sample", "samples", "trajectory", "trajectories", "traj", "batch", "run", "case", "simulation"}))
    return Role::sample;
  if (among({"member", "members", "ensemble", "realization", "realisation", "number"})) return Role::member;
  if (among({"time", "times", "t", "frame", "frames", "step", "steps"})) return Role::time;
  if (among({"channel", "channels", "component", "components", "variable"})) return Role::channel;
  if (among({"x", "y", "z", "lat", "lon", "latitude", "longitude", "lev", "level", "depth", "height",
             "altitude"}))
    return Role::x;
  if (!arrays.has(dimension)) return std::nullopt;
  const auto said = arrays.file().describe(dimension);
  const std::string axis = small_letters(said.text("axis")), units = small_letters(said.text("units"));
  if (axis == "t" || units.find(" since ") != units.npos) return Role::time;
  if (axis == "x" || axis == "y" || axis == "z" || units.starts_with("degree")) return Role::x;
  return std::nullopt;
}

/// On the globe, an axis that goes around is periodic, and any other has ends.
void place_on_globe(const Arrays& arrays, SpaceAxis& axis) {
  const std::string name = small_letters(axis.name);
  if (name == "lat" || name == "latitude") axis.bounded = true, axis.why = "a latitude has ends";
  if (axis.coordinate.empty()) return;
  const std::string units = small_letters(arrays.file().describe(axis.coordinate).text("units"));
  const auto places = arrays.row(axis.coordinate);
  if (!units.starts_with("degree") || !places || places->size() < 3) return;
  const double span = std::abs(places->back() - places->front()),
               round = span * double(places->size()) / double(places->size() - 1);
  const bool east = units.find("east") != units.npos;
  axis.bounded = !(east && (std::abs(round - 360) < 0.5 || std::abs(span - 360) < 1e-3));
  if (!*axis.bounded)
    axis.why = "its degrees go around";
  else
    axis.why = east ? "its degrees do not go around" : "a latitude has ends";
}

/// The roles of an array without names: after `leading`, channels before or behind the space, or none. An
/// axis of fewer than `most_channels` beside longer ones is one of channels.
std::optional<std::vector<Role>> roles_by_size(const Extents& shape, const std::vector<Role>& leading) {
  if (shape.size() <= leading.size()) return std::nullopt;
  std::vector<Role> roles = leading;
  const auto is_short = [&](std::size_t d) { return shape[d] < most_channels; };
  std::size_t from = leading.size(), to = shape.size();
  const bool before = to - from > 1 && is_short(from), behind = to - from > 1 && is_short(to - 1);
  if (before && behind) return std::nullopt;
  if (before) roles.push_back(Role::channel), ++from;
  if (behind) --to;
  if (to - from > 3) return std::nullopt;
  for (std::size_t d = from; d < to; ++d) {
    if (is_short(d)) return std::nullopt;
    roles.push_back(grid_axes[d - from]);
  }
  if (behind) roles.push_back(Role::channel);
  return roles;
}

}  // namespace

std::optional<Reading> named_axes(const Arrays& arrays) {
  Reading reading;
  std::vector<std::string> chosen;  // the dimensions of what is taken
  for (const std::string& name : arrays.names()) {
    const auto& shape = arrays.shape(name);
    if (!shape) continue;
    const auto axes = arrays.file().describe(name).axes;
    if (axes.size() != shape->size()) continue;
    Taken taken{name, {}};
    std::size_t space = 0;
    bool time = false;
    for (std::size_t d = 0; d < axes.size(); ++d) {
      const auto role = role_of_dimension(arrays, axes[d]);
      const bool one = (*shape)[d] == 1;
      if (one && (!role || *role == Role::x || *role == Role::channel))
        taken.axes.push_back(Role::none);
      else if (role == Role::x && space < 3)
        taken.axes.push_back(grid_axes[space++]);
      else if (role && *role != Role::x)
        taken.axes.push_back(*role);
      else
        break;
      time = time || role == Role::time;
    }
    if (taken.axes.size() != axes.size() || space == 0 || !time || (!chosen.empty() && axes != chosen)) {
      if (axes != std::vector<std::string>{name})
        reading.left_out.push_back(name);  // coordinates need no mention
      continue;
    }
    if (chosen.empty()) {
      chosen = axes;
      reading.parts.emplace_back();
      for (std::size_t d = 0; d < axes.size(); ++d) {
        const bool coordinate = arrays.has(axes[d]);
        if (taken.axes[d] == Role::time && coordinate) reading.time = axes[d];
        if (!is_space(taken.axes[d])) continue;
        SpaceAxis& axis = reading.space[space_index(taken.axes[d])];
        axis.name = axes[d];
        if (coordinate) axis.coordinate = axes[d];
        place_on_globe(arrays, axis);
      }
    }
    reading.parts[0].push_back(taken);
  }
  if (reading.parts.empty()) return std::nullopt;
  reading.layout = "arrays whose axes have names";
  if (!reading.time.empty()) {
    const std::string units = arrays.file().describe(reading.time).text("units");
    if (!units.empty()) reading.notes.push_back("times are in " + mno::io::shown(units));
  }
  return reading;
}

std::optional<Reading> pairs_of_arrays(const Arrays& arrays) {
  for (const auto& [input, target] :
       std::initializer_list<std::pair<const char*, const char*>>{{"x", "y"},
                                                                  {"a", "u"},
                                                                  {"coeff", "sol"},
                                                                  {"input", "output"},
                                                                  {"inputs", "outputs"},
                                                                  {"input", "target"}}) {
    const auto &in = arrays.shape(input), &out = arrays.shape(target);
    if (!in || !out || in->size() < 2 || in->front() != out->front()) continue;
    Reading reading;
    reading.layout = std::string("what is given (") + input + ") and what is asked for (" + target + ")";
    const auto roles = roles_by_size(*in, {Role::sample});
    if (!roles) return std::nullopt;
    reading.input.push_back({input, *roles});
    auto same = axes_like(*out, *roles, *in);
    if (!same && out->size() == in->size() + 1) {  // a trajectory, time last, as in the first FNO's files
      same = *roles;
      same->push_back(Role::time);
      for (std::size_t d = 0; d < in->size(); ++d)
        if ((*in)[d] != (*out)[d]) return std::nullopt;
      if (arrays.row("t")) reading.time = "t";
    }
    if (!same) return std::nullopt;
    reading.parts.push_back({{target, *same}});
    for (const std::string& name : arrays.names())
      if (name != input && name != target) reading.left_out.push_back(name);
    return reading;
  }
  return std::nullopt;
}

std::optional<Reading> one_array(const Arrays& arrays) {
  if (arrays.names().size() != 1) return std::nullopt;
  const std::string& name = arrays.names()[0];
  const auto& shape = arrays.shape(name);
  if (!shape || shape->size() < 4) return std::nullopt;
  const auto roles = roles_by_size(*shape, {Role::sample, Role::time});
  if (!roles || (*roles)[2] != Role::channel) return std::nullopt;
  Reading reading;
  reading.layout = "one array of trajectories, as APEBench writes them";
  reading.parts.push_back({{name, *roles}});
  return reading;
}

}  // namespace program
