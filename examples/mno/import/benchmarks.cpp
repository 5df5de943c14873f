// The layouts of public collections of simulations: The Well, PDEBench and SPDEBench, as their own programs
// write them.
#include <algorithm>
#include <cctype>
#include <set>

#include "reading.hpp"

namespace program {

namespace {

using mno::Index;
using mno::io::Extents;

constexpr std::array<Role, 3> spaces{Role::x, Role::y, Role::z};

std::string lower_case(std::string text) {
  for (char& c : text) c = char(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

bool yes(const mno::io::Description& description, const char* attribute) {
  const auto numbers = description.numbers(attribute);
  return numbers.empty() || numbers[0] != 0;  // most fields vary, and few files leave it out
}

/// A field of The Well: attributes say which axes are stored at all. Vectors and tensors have their
/// components last.
std::optional<Taken> field_of_the_well(const Arrays& arrays, const std::string& name, std::size_t dimension,
                                       std::size_t order) {
  const auto& shape = arrays.shape(name);
  if (!shape) return std::nullopt;
  const auto description = arrays.file().describe(name);
  const auto varying = description.numbers("dim_varying");
  Taken taken{name, {}};
  if (yes(description, "sample_varying")) taken.axes.push_back(Role::sample);
  if (yes(description, "time_varying")) taken.axes.push_back(Role::time);
  for (std::size_t d = 0; d < dimension; ++d)
    if (d >= varying.size() || varying[d] != 0) taken.axes.push_back(spaces[d]);
  for (std::size_t k = 0; k < order && taken.axes.size() < shape->size(); ++k)
    taken.axes.push_back(Role::channel);
  if (taken.axes.size() != shape->size()) return std::nullopt;
  return taken;
}

void walls_of_the_well(const Arrays& arrays, Reading& reading, std::size_t dimension) {
  std::set<std::string> groups;
  const std::string prefix = "boundary_conditions/";
  for (const std::string& name : arrays.names())
    if (name.starts_with(prefix)) groups.insert(name.substr(0, name.find('/', prefix.size())));
  for (const std::string& group : groups) {
    const auto description = arrays.file().describe(group);
    const std::string type = lower_case(description.text("bc_type"));
    const auto dims = description.attributes.find("associated_dims");
    if (type.empty() || dims == description.attributes.end()) continue;
    for (std::size_t d = 0; d < dimension; ++d) {
      SpaceAxis& axis = reading.space[d];
      if (std::ranges::find(dims->second.texts, axis.name) == dims->second.texts.end()) continue;
      axis.bounded = axis.bounded.value_or(false) || type != "periodic";
      axis.why = "its boundary_conditions say " + type;
    }
  }
}

/// "0000/data" and so on: a group for every seed.
bool of_a_seed(const std::string& name) {
  const std::size_t digits = name.find_first_not_of("0123456789");
  return digits > 0 && digits != name.npos && name.substr(digits) == "/data";
}

std::optional<Reading> groups_by_seed(const Arrays& arrays) {
  Reading reading;
  reading.layout = "PDEBench, a group for every sample";
  for (const std::string& name : arrays.names()) {
    if (!of_a_seed(name)) continue;
    const auto& shape = arrays.shape(name);
    if (!shape || shape->size() < 3 || shape->size() > 5) return std::nullopt;
    Taken taken{name, {Role::time}};
    for (std::size_t d = 0; d + 2 < shape->size(); ++d) taken.axes.push_back(spaces[d]);
    taken.axes.push_back(Role::channel);
    reading.parts.push_back({taken});
  }
  if (reading.parts.empty()) return std::nullopt;
  const std::string first = reading.parts[0][0].name, grid = first.substr(0, first.find('/')) + "/grid/";
  if (arrays.has(grid + "t")) reading.time = grid + "t";
  for (const Role role : spaces)
    if (arrays.has(grid + name_of(role))) reading.space[space_index(role)].coordinate = grid + name_of(role);
  return reading;
}

}  // namespace

std::optional<Reading> the_well(const Arrays& arrays) {
  if (!arrays.has("dimensions/time")) return std::nullopt;
  Reading reading;
  reading.layout = "The Well";
  reading.time = "dimensions/time";
  const auto dimensions = arrays.file().describe("dimensions");
  std::vector<std::string> names;
  if (const auto found = dimensions.attributes.find("spatial_dims"); found != dimensions.attributes.end())
    names = found->second.texts;
  if (names.empty())
    for (const char* name : {"x", "y", "z"})
      if (arrays.has(std::string("dimensions/") + name)) names.emplace_back(name);
  if (names.empty() || names.size() > 3) return std::nullopt;
  for (std::size_t d = 0; d < names.size(); ++d) {
    reading.space[d].name = names[d];
    if (arrays.has("dimensions/" + names[d])) reading.space[d].coordinate = "dimensions/" + names[d];
  }
  reading.parts.emplace_back();
  for (std::size_t order = 0; order < 3; ++order)
    for (const std::string& name : arrays.names()) {
      if (!name.starts_with("t" + std::to_string(order) + "_fields/")) continue;
      const auto taken = field_of_the_well(arrays, name, names.size(), order);
      if (!taken)
        reading.left_out.push_back(name);
      else if (std::ranges::find(taken->axes, Role::time) != taken->axes.end())
        reading.parts[0].push_back(*taken);
      else
        reading.known.push_back(*taken);
    }
  if (reading.parts[0].empty()) return std::nullopt;
  for (const std::string& name : arrays.names())
    if (name.starts_with("scalars/")) reading.left_out.push_back(name);
  walls_of_the_well(arrays, reading, names.size());
  return reading;
}

std::optional<Reading> pdebench(const Arrays& arrays) {
  if (auto groups = groups_by_seed(arrays)) return groups;
  Reading reading;
  reading.layout = "PDEBench";
  for (const Role role : spaces) {
    const std::string name = name_of(role) + "-coordinate";
    if (arrays.has(name)) reading.space[space_index(role)].coordinate = name;
  }
  if (arrays.has("t-coordinate")) reading.time = "t-coordinate";
  const auto take = [&](const std::string& name, std::vector<Role> axes, std::vector<Taken>& to) {
    const auto& shape = arrays.shape(name);
    for (std::size_t d = 0; shape && axes.size() < shape->size() && d < 3; ++d) axes.push_back(spaces[d]);
    if (!shape || axes.size() != shape->size()) return false;
    to.push_back({name, axes});
    return true;
  };
  reading.parts.emplace_back();
  auto& state = reading.parts[0];
  if (arrays.has("nu") && arrays.has("tensor") && arrays.shape("tensor") &&
      arrays.shape("tensor")->size() >= 3 && (*arrays.shape("tensor"))[1] == 1) {  // Darcy flow
    if (!take("nu", {Role::sample}, reading.input) || !take("tensor", {Role::sample, Role::channel}, state))
      return std::nullopt;
    reading.layout = "PDEBench's Darcy flow";
    reading.time.clear();
    for (SpaceAxis& axis : reading.space) axis.bounded = true, axis.why = "Darcy flow has walls";
  } else if (arrays.has("tensor") && !reading.space[0].coordinate.empty()) {
    if (!take("tensor", {Role::sample, Role::time}, state)) return std::nullopt;
  } else if (arrays.has("density") && arrays.has("pressure") && arrays.has("Vx")) {
    reading.layout = "PDEBench's compressible flow";
    for (const char* name : {"density", "pressure", "Vx", "Vy", "Vz"})
      if (arrays.has(name) && !take(name, {Role::sample, Role::time}, state)) return std::nullopt;
  } else if (arrays.has("velocity") && arrays.has("t") && arrays.shape("velocity") &&
             arrays.shape("velocity")->size() == 5) {
    reading.layout = "PDEBench's incompressible flow";
    reading.time = "t";
    state.push_back({"velocity", {Role::sample, Role::time, Role::x, Role::y, Role::channel}});
    if (arrays.has("force") && arrays.shape("force") && arrays.shape("force")->size() == 4)
      reading.known.push_back({"force", {Role::sample, Role::x, Role::y, Role::channel}});
  } else {
    return std::nullopt;
  }
  for (const std::string& name : arrays.names()) {
    bool taken = std::ranges::any_of(state, [&](const Taken& one) { return one.name == name; });
    for (const auto* others : {&reading.input, &reading.known})
      taken = taken || std::ranges::any_of(*others, [&](const Taken& one) { return one.name == name; });
    if (!taken) reading.left_out.push_back(name);
  }
  return reading;
}

/// `sol` with the places X and the times T, which say where the axis of time is: (sample, x, t), (sample, t,
/// x, y) and (sample, x, y, t) are all in use.
std::optional<Reading> spdebench(const Arrays& arrays) {
  const auto& shape = arrays.shape("sol");
  if (!shape || shape->size() < 3 || shape->size() > 5 || !arrays.has("T")) return std::nullopt;
  Reading reading;
  reading.layout = "SPDEBench";
  reading.time = "T";
  if (arrays.has("X")) reading.space[0].coordinate = "X";
  if (arrays.has("Y")) reading.space[1].coordinate = "Y";
  const auto times = arrays.row("T");
  const auto fits = [&](std::size_t axis) {
    return times && ((*shape)[axis] == Index(times->size()) || (*shape)[axis] + 1 == Index(times->size()));
  };
  const std::size_t last = shape->size() - 1;
  if (!fits(1) && !fits(last)) return std::nullopt;
  if (fits(1) && fits(last) && shape->size() > 3)
    mno::io::refuse(arrays.file_name(), "has as many times T as both the second and the last axis of sol ",
                    mno::io::to_string(*shape), ": say which is time, with --variables sol --axes …");
  const std::size_t time = fits(last) ? last : 1;
  Taken taken{"sol", {Role::sample}};
  std::size_t space = 0;
  for (std::size_t d = 1; d < shape->size(); ++d)
    taken.axes.push_back(d == time ? Role::time : spaces[space++]);
  reading.parts.push_back({taken});
  for (const std::string& name : arrays.names())
    if (name != "sol" && name != "W") reading.left_out.push_back(name);
  if (arrays.has("W"))
    reading.notes.push_back("W is the noise that drove the samples: the law is over it, so it is left out");
  return reading;
}

}  // namespace program
