#include "reading.hpp"

#include <algorithm>
#include <mno/io/unpacked.hpp>

namespace program {

namespace {

using mno::Index;
namespace io = mno::io;

constexpr std::array<const char*, 8> role_names{"sample", "member", "time", "channel", "x", "y", "z", "-"};

std::string joined(const std::vector<std::string>& words) {
  std::string all;
  for (const std::string& word : words) all += (all.empty() ? "" : ", ") + word;
  return all;
}

/// Arrays that the command line names, with the axes that it gives.
Reading by_wishes(const Arrays& arrays, const Wishes& wishes) {
  Reading reading;
  reading.layout = "what --axes says";
  std::vector<Role> axes;
  for (const std::string& name : wishes.axes) axes.push_back(role_named(name));
  std::vector<std::string> variables = wishes.variables;
  if (variables.empty()) {  // the one array that has so many axes
    for (const std::string& name : arrays.names())
      if (arrays.shape(name) && arrays.shape(name)->size() == axes.size()) variables.push_back(name);
    if (variables.empty())
      io::refuse(arrays.file_name(), "expected an array with the ", axes.size(),
                 " axes that --axes names, found ", arrays.list());
    if (variables.size() > 1)
      io::refuse(arrays.file_name(), "expected --variables NAME,… to choose arrays, found ", variables.size(),
                 " with ", axes.size(), " axes among ", arrays.list());
  }
  reading.parts.emplace_back();
  for (const std::string& name : variables) {
    const auto& shape = arrays.shape(name);
    if (!shape)
      io::refuse(arrays.file_name(), "expected an array ", io::shown(name), ", found ", arrays.list());
    if (shape->size() != axes.size())
      io::refuse(arrays.file_name(), "expected --axes with one name for every axis of ", name, " ",
                 io::to_string(*shape), ", got ", joined(wishes.axes));
    reading.parts[0].push_back({name, axes});
  }
  for (const std::string& name : arrays.names())
    if (std::ranges::find(variables, name) == variables.end()) reading.left_out.push_back(name);
  // An array named as times, with one number per frame, holds the times.
  const auto time = std::ranges::find(axes, Role::time);
  if (time != axes.end())
    for (const char* name : {"t", "T", "time", "times", "t-coordinate"}) {
      const auto row = arrays.row(name);
      const Index frames = (*arrays.shape(variables[0]))[std::size_t(time - axes.begin())];
      if (row && (Index(row->size()) == frames || Index(row->size()) == frames + 1)) reading.time = name;
    }
  for (const Role role : {Role::x, Role::y, Role::z})
    if (arrays.row(name_of(role))) reading.space[space_index(role)].coordinate = name_of(role);
  return reading;
}

void take_beside(const Arrays& arrays, const std::vector<std::string>& names, const char* option,
                 const Reading& reading, std::vector<Taken>& to) {
  const Taken& main = reading.parts[0][0];
  for (const std::string& name : names) {
    const auto& shape = arrays.shape(name);
    if (!shape)
      io::refuse(arrays.file_name(), "expected an array ", io::shown(name), ", found ", arrays.list());
    const auto axes = axes_like(*shape, main.axes, *arrays.shape(main.name));
    if (!axes)
      io::refuse(arrays.file_name(), "expected ", option, " with axes among those of ",
                 text_of(main, *arrays.shape(main.name)), ", found ", name, " ", io::to_string(*shape));
    to.push_back({name, *axes});
  }
}

}  // namespace

Role role_named(const std::string& name) {
  static const std::map<std::string, Role> known{{"sample", Role::sample},
                                                 {"trajectory", Role::sample},
                                                 {"batch", Role::sample},
                                                 {"member", Role::member},
                                                 {"time", Role::time},
                                                 {"t", Role::time},
                                                 {"frame", Role::time},
                                                 {"channel", Role::channel},
                                                 {"variable", Role::channel},
                                                 {"x", Role::x},
                                                 {"y", Role::y},
                                                 {"z", Role::z},
                                                 {"-", Role::none},
                                                 {"none", Role::none}};
  const auto found = known.find(name);
  if (found == known.end())
    throw mno::Error(
        "mno import: --axes: expected names among sample, member, time, channel, x, y, z and - (an axis "
        "of length one), got '" +
        name + "'.");
  return found->second;
}

std::string name_of(Role role) { return role_names[std::size_t(role)]; }

std::string text_of(const Taken& taken, const io::Extents& shape) {
  std::vector<std::string> names;
  for (const Role role : taken.axes) names.push_back(name_of(role));
  return taken.name + " " + io::to_string(shape) + " is (" + joined(names) + ")";
}

bool Arrays::has(const std::string& name) const { return std::ranges::find(names_, name) != names_.end(); }

const std::optional<io::Extents>& Arrays::shape(const std::string& name) const {
  const auto known = shapes_.find(name);
  if (known != shapes_.end()) return known->second;
  std::optional<io::Extents> found;
  if (has(name)) {
    try {
      found = file_.open(name)->layout().shape;
    } catch (const mno::Error& error) {  // texts and the like
      if (trouble_.empty()) trouble_ = error.what();
    }
  }
  return shapes_.emplace(name, found).first->second;
}

std::optional<std::vector<double>> Arrays::row(const std::string& name) const {
  const auto& extents = shape(name);
  if (!extents) return std::nullopt;
  Index longest = 1, all = 1;
  for (const Index n : *extents) longest = std::max(longest, n), all *= n;
  if (all != longest || all > (Index(1) << 24)) return std::nullopt;
  return io::numbers_of(io::open_unpacked(file_, name)->read());
}

std::string Arrays::list() const {
  std::vector<std::string> all;
  for (const std::string& name : names_) {
    if (all.size() == 12) {
      all.push_back("… (" + std::to_string(names_.size()) + " in all)");
      break;
    }
    all.push_back(io::plain(name, 60) + (shape(name) ? " " + io::to_string(*shape(name)) : ""));
  }
  return all.empty() ? "no arrays" : joined(all);
}

std::optional<std::vector<Role>> axes_like(const io::Extents& shape, const std::vector<Role>& axes,
                                           const io::Extents& other) {
  const auto without = [&](std::initializer_list<Role> left_out) {
    std::vector<std::size_t> rest;
    for (std::size_t d = 0; d < axes.size(); ++d)
      if (std::find(left_out.begin(), left_out.end(), axes[d]) == left_out.end()) rest.push_back(d);
    return rest;
  };
  for (const auto& left_out : std::initializer_list<std::initializer_list<Role>>{
           {},
           {Role::time},
           {Role::channel},
           {Role::time, Role::channel},
           {Role::time, Role::channel, Role::none},
           {Role::time, Role::channel, Role::none, Role::sample, Role::member},
           {Role::channel, Role::none, Role::x, Role::y, Role::z},
           {Role::time, Role::channel, Role::none, Role::x, Role::y, Role::z},
           {Role::sample, Role::member, Role::time, Role::channel, Role::none, Role::x, Role::y, Role::z}}) {
    const auto rest = without(left_out);
    bool fits = rest.size() == shape.size();
    std::vector<Role> roles;
    for (std::size_t d = 0; fits && d < rest.size(); ++d) {
      roles.push_back(axes[rest[d]]);
      fits = shape[d] == other[rest[d]] || axes[rest[d]] == Role::channel;
    }
    if (fits) return roles;
  }
  return std::nullopt;
}

namespace {

/// For a sentence inside another, which has a period of its own.
std::string without_period(std::string sentence) {
  if (sentence.ends_with('.')) sentence.pop_back();
  return sentence;
}

/// Options to suggest for the array that is probably meant, the largest: "--variables u --axes
/// sample,time,x".
std::string wishes_for(const Arrays& arrays) {
  std::string name = "u";
  std::size_t axes = 4;
  double most = -1;
  for (const std::string& one : arrays.names()) {
    const auto& shape = arrays.shape(one);
    if (!shape || shape->empty()) continue;
    double entries = 1;
    for (const Index n : *shape) entries *= double(n);
    if (entries <= most) continue;
    most = entries;
    name = one;
    axes = shape->size();
  }
  const char* usual[] = {"x",
                         "sample,x",
                         "sample,time,x",
                         "sample,time,channel,x",
                         "sample,time,channel,x,y",
                         "sample,time,channel,x,y,z"};
  return "--variables " + io::plain(name, 60) + " --axes " + usual[std::min(axes, std::size(usual)) - 1];
}

}  // namespace

Reading read_layout(const Arrays& arrays, const Wishes& wishes) {
  std::optional<Reading> reading;
  if (!wishes.axes.empty()) {
    reading = by_wishes(arrays, wishes);
  } else {
    if (arrays.has("u0") && arrays.has("uT") && arrays.has("t"))
      io::refuse(arrays.file_name(), "has u0, uT and t already: mno train reads it as it is");
    for (const auto layout : {the_well, pdebench, spdebench, pairs_of_arrays, named_axes, one_array})
      if (!reading) reading = layout(arrays);
    if (!reading)
      io::refuse(
          arrays.file_name(), "has a layout that is not known; say what its axes are, for example ",
          wishes_for(arrays), ". Its arrays: ", arrays.list(),
          arrays.trouble().empty() ? "" : ". Some cannot be read: " + without_period(arrays.trouble()));
    if (!wishes.variables.empty()) {  // some of those that were found, in this order
      for (auto& part : reading->parts) {
        std::vector<Taken> chosen;
        for (const std::string& name : wishes.variables) {
          const auto found = std::ranges::find_if(part, [&](const Taken& taken) {
            return taken.name == name || taken.name.ends_with("/" + name);
          });
          if (found == part.end())
            io::refuse(arrays.file_name(), "found no ", io::shown(name), " among what it was taken for (",
                       reading->layout, "); to take another array, give its --axes too");
          chosen.push_back(*found);
        }
        for (const Taken& taken : part)
          if (std::ranges::none_of(chosen, [&](const Taken& one) { return one.name == taken.name; }))
            reading->left_out.push_back(taken.name);
        part = chosen;
      }
    }
  }
  if (!wishes.input.empty()) reading->input.clear();
  take_beside(arrays, wishes.input, "--input", *reading, reading->input);
  take_beside(arrays, wishes.known, "--fields", *reading, reading->known);
  for (const auto* taken : {&reading->input, &reading->known})
    for (const Taken& one : *taken) std::erase(reading->left_out, one.name);
  if (!wishes.time.empty()) {
    if (!arrays.has(wishes.time))
      io::refuse(arrays.file_name(), "expected --time with a step or the name of an array, got ",
                 io::shown(wishes.time), "; its arrays: ", arrays.list());
    reading->time = wishes.time;
  }
  std::erase(reading->left_out, reading->time);
  for (const SpaceAxis& axis : reading->space) std::erase(reading->left_out, axis.coordinate);
  return *reading;
}

}  // namespace program
