#pragma once
// How the arrays of a file are read: which hold the field, what their axes are, where times and lengths
// stand. Layouts of known programs are recognised; for others the command line tells.
#include <array>
#include <map>
#include <mno/io/array_file.hpp>
#include <optional>
#include <string>
#include <vector>

namespace program {

/// What an axis of an array is. An axis that is `none` has length one.
enum class Role { sample, member, time, channel, x, y, z, none };
Role role_named(const std::string& name);  // an Error where there is none of this name
std::string name_of(Role role);
inline bool is_space(Role role) { return role == Role::x || role == Role::y || role == Role::z; }
inline std::size_t space_index(Role role) { return std::size_t(role) - std::size_t(Role::x); }

/// An array, and what its axes are.
struct Taken {
  std::string name{};
  std::vector<Role> axes{};
};
std::string text_of(const Taken& taken, const mno::io::Extents& shape);  // tensor (9, 21) is (sample, time)

struct SpaceAxis {
  std::string name{};             // the file's own, or x, y, z
  std::string coordinate{};       // the array with the points' places, or ""
  std::optional<bool> bounded{};  // if the layout says it
  std::string why{};              // of bounded
};

struct Reading {
  std::string layout{};  // "PDEBench"
  std::vector<std::vector<Taken>>
      parts{};                 // samples after samples; in each, arrays whose channels follow each other
  std::vector<Taken> input{};  // where input and output are separate arrays
  std::vector<Taken> known{};  // known fields
  std::string time{};          // the array of times, or ""
  std::array<SpaceAxis, 3> space{{{"x"}, {"y"}, {"z"}}};
  std::vector<std::string> notes{}, left_out{};
};

/// The arrays of a file by name, with layouts that are asked for once.
class Arrays {
 public:
  explicit Arrays(std::string name, const mno::io::ArrayFile& file)
      : name_(std::move(name)), file_(file), names_(file.names()) {}
  const std::string& file_name() const { return name_; }
  const mno::io::ArrayFile& file() const { return file_; }
  const std::vector<std::string>& names() const { return names_; }
  bool has(const std::string& name) const;
  /// Empty for what cannot be read as numbers; `trouble` has the first sentence that says why.
  const std::optional<mno::io::Extents>& shape(const std::string& name) const;
  /// The numbers of an array with one axis; further axes of length one are ignored.
  std::optional<std::vector<double>> row(const std::string& name) const;
  const std::string& trouble() const { return trouble_; }
  /// "tensor (9, 21, 64), x-coordinate (64,)", for sentences.
  std::string list() const;

 private:
  std::string name_;
  const mno::io::ArrayFile& file_;
  std::vector<std::string> names_;
  mutable std::map<std::string, std::optional<mno::io::Extents>> shapes_;
  mutable std::string trouble_;
};

struct Wishes {
  std::vector<std::string> variables{}, input{}, known{}, axes{};
  std::string time{};
};

/// How the file is read, by the command line or by its layout. An Error says what is missing.
Reading read_layout(const Arrays& arrays, const Wishes& wishes);

/// The roles of an array's axes, matched by length with those of an array whose axes are known.
std::optional<std::vector<Role>> axes_like(const mno::io::Extents& shape, const std::vector<Role>& axes,
                                           const mno::io::Extents& other);

// Layouts of known programs; nothing where the file is another.
std::optional<Reading> the_well(const Arrays& arrays);
std::optional<Reading> pdebench(const Arrays& arrays);
std::optional<Reading> spdebench(const Arrays& arrays);
std::optional<Reading> pairs_of_arrays(const Arrays& arrays);
std::optional<Reading> named_axes(const Arrays& arrays);
std::optional<Reading> one_array(const Arrays& arrays);

}  // namespace program
