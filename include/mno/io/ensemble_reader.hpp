#pragma once
// Ensembles in a file of named arrays, whatever its format:
//
//   u0 (sample, channel, x[, y[, z]])            initial fields
//   uT (sample, member, channel, x[, y[, z]])    draws of u_t given u_0
//   t (sample) or one number                     times
//   length (axis) or one number                  of the periodic box; 1 if it is not there
//   fields (field, x…) or (sample, field, x…)    known fields, if there are any
//
// Shapes are compared before anything is allocated, and members pass by one sample at a time. Samples with
// the same u0 (several query times of one initial condition) have one origin, so that no split tears them
// apart. What opens a file of a format stands in a header of its own: zip/ensemble_file.hpp for
// .npz, hdf5/ensemble_file.hpp for HDF5.
#include <algorithm>
#include <memory>
#include <string_view>
#include <unordered_map>

#include "mno/core/channel_first.hpp"
#include "mno/data/ensemble.hpp"
#include "mno/io/array_file.hpp"

namespace mno::io {

struct EnsembleFileOptions {
  EnsembleOptions keep{};
  bool point_masses = false;  // accept one member, or equal ones
};

class EnsembleReader {
 public:
  /// `name` is what sentences call the file.
  EnsembleReader(std::string name, std::unique_ptr<const ArrayFile> file)
      : name_(std::move(name)), file_(std::move(file)) {
    for (const char* needed : {"u0", "uT", "t"})
      if (!contains(needed)) refuse(name_, "expected the arrays u0, uT and t, found ", found_names());
    initial_ = file_->open("u0");
    members_ = file_->open("uT");
    const Extents &u0 = initial_->layout().shape, &uT = members_->layout().shape;
    floats("u0", initial_->layout());
    floats("uT", members_->layout());
    if (u0.size() < 3 || u0.size() > 5)
      refuse(name_, "expected u0 (sample, channel, x[, y[, z]]), found ", initial_->layout().str());
    for (const Index n : u0)
      if (n < 1) refuse(name_, "expected at least one of everything in u0, found ", to_string(u0));
    points_.assign(u0.begin() + 2, u0.end());
    Extents wanted = u0;
    wanted.insert(wanted.begin() + 1, uT.size() > 1 ? uT[1] : 0);
    if (uT != wanted || uT[1] < 1)
      refuse(name_, "expected uT (sample, member, channel, x…) with the samples, channels and points of u0 ",
             to_string(u0), ", found ", to_string(uT));
    read_times();
    read_lengths();
    check_fields();
  }

  const std::string& name() const { return name_; }
  int dimension() const { return int(points_.size()); }
  Index samples() const { return initial_->layout().shape[0]; }
  Index members() const { return members_->layout().shape[1]; }
  Index channels() const { return initial_->layout().shape[1]; }
  const Extents& points() const { return points_; }              // (axis)
  const std::vector<double>& length() const { return length_; }  // (axis)
  Index known_fields() const { return known_; }

  template <int D> Grid<D> grid() const {
    require(dimension() == D, "io::EnsembleReader", "D", Text(dimension(), ", the dimension of the data"),
            Text(D));
    Grid<D> grid;
    std::copy(points_.begin(), points_.end(), grid.points.begin());
    std::copy(length_.begin(), length_.end(), grid.domain.length.begin());
    return grid;
  }

  /// sink(sample, initial, time, members) for every sample in the order of the file, the fields being
  /// (1, grid…, C) and (member, grid…, C). They are the sink's to change until it returns.
  template <class T, int D, class Sink> void for_each(Sink&& sink) {
    const Grid<D> grid = this->grid<D>();
    Field<T, D> initial(1, grid, channels()), drawn(members(), grid, channels());
    for (Index sample = 0; sample < samples(); ++sample) {
      load<T, D>("u0", *initial_, sample, 1, initial);
      load<T, D>("uT", *members_, sample, 1, drawn);
      sink(sample, initial, T(times_[times_.size() == 1 ? 0 : std::size_t(sample)]), drawn);
    }
  }

  /// The known fields: (sample or 1, grid…, field), or empty.
  template <class T, int D> Field<T, D> known() {
    if (known_ == 0) return {};
    const auto stored = file_->open("fields");
    const bool each = stored->layout().shape.size() == points_.size() + 2;
    Field<T, D> fields(each ? samples() : 1, grid<D>(), known_);
    load<T, D>("fields", *stored, 0, stored->layout().rows(), fields);
    return fields;
  }

  /// All samples as statistics; of the members only what the options keep.
  template <class T, int D> Ensemble<T, D> read(EnsembleFileOptions options = {}) {
    if (!options.point_masses && members() < 2)
      refuse(name_, "expected at least two members per sample, as one has no variance, found one");
    auto ensemble = make_ensemble<T, D>(samples(), grid<D>(), channels(), options.keep);
    const std::size_t bytes = std::size_t(ensemble.initial.points() * channels()) * sizeof(T);
    const auto row = [&](Index sample) {
      return std::string_view(
          reinterpret_cast<const char*>(ensemble.initial.data()) + std::size_t(sample) * bytes, bytes);
    };
    std::unordered_multimap<std::size_t, Index> seen;
    for_each<T, D>([&](Index sample, Field<T, D>& initial, T time, Field<T, D>& drawn) {
      set_condition<T, D>(ensemble, sample, std::as_const(initial).view(), time, sample,
                          std::as_const(drawn).view());
      const std::size_t hash = std::hash<std::string_view>{}(row(sample));
      const auto [begin, end] = seen.equal_range(hash);
      const auto same =
          std::find_if(begin, end, [&](const auto& other) { return row(other.second) == row(sample); });
      if (same == end)
        seen.emplace(hash, sample);
      else
        ensemble.origins[std::size_t(sample)] = same->second;
    });
    if (!options.point_masses && std::ranges::all_of(ensemble.variance.span(), [](T v) { return v == T(0); }))
      refuse(name_, "expected members that differ, found zero variance in every sample");
    ensemble.known = known<T, D>();
    return ensemble;
  }

 private:
  bool contains(const char* array) const { return std::ranges::find(names_, array) != names_.end(); }
  std::string found_names() const {
    std::string all;
    for (const std::string& other : names_) all += (all.empty() ? "" : ", ") + other;
    return all.empty() ? "none" : shown(all);
  }
  void floats(const char* array, const Layout& layout) const {
    if (layout.type != Type::f32 && layout.type != Type::f64)
      refuse(name_, "expected ", array, " of type f32 or f64, found ", layout.str());
  }
  /// A short list of numbers: as many as `count`, or one.
  std::vector<double> numbers(const char* array, Index count) const {
    const auto stored = file_->open(array);
    const Layout& layout = stored->layout();
    if (layout.shape.size() > 1 || (layout.rows() != 1 && layout.rows() != count))
      refuse(name_, "expected ", array, " to be one number or ", count, " in a row, found ", layout.str());
    const Array values = stored->read_rows(0, layout.rows());
    std::vector<double> result;
    const auto take = [&]<class T>(std::span<const T> all) {
      for (const T value : all) result.push_back(double(value));
    };
    switch (layout.type) {
      case Type::f32:
        take(values.values<float>());
        break;
      case Type::f64:
        take(values.values<double>());
        break;
      case Type::i32:
        take(values.values<std::int32_t>());
        break;
      case Type::i64:
        take(values.values<std::int64_t>());
        break;
      case Type::u8:
      case Type::boolean:
        refuse(name_, "expected ", array, " to hold numbers, found ", layout.str());
    }
    return result;
  }
  void read_times() {
    times_ = numbers("t", samples());
    for (const double t : times_)
      if (!std::isfinite(t) || t < 0)
        refuse(name_, "expected finite times t that are not negative, found ", t);
  }
  void read_lengths() {
    length_.assign(points_.size(), 1.0);
    if (!contains("length")) return;
    const auto given = numbers("length", Index(points_.size()));
    for (std::size_t axis = 0; axis < length_.size(); ++axis)
      length_[axis] = given[given.size() == 1 ? 0 : axis];
    for (const double length : length_)
      if (!std::isfinite(length) || length <= 0)
        refuse(name_, "expected a positive length on every axis, found ", length);
  }
  void check_fields() {
    if (!contains("fields")) return;
    const Layout layout = file_->open("fields")->layout();
    floats("fields", layout);
    const std::size_t axes = layout.shape.size(), own = points_.size();
    const bool each = axes == own + 2;
    if ((!each && axes != own + 1) || (each && layout.shape[0] != samples()) ||
        !std::equal(points_.begin(), points_.end(), layout.shape.end() - std::ptrdiff_t(own)))
      refuse(name_, "expected fields (field, x…) or (sample, field, x…) on the points of u0, found ",
             layout.str());
    known_ = layout.shape[axes - own - 1];
  }

  template <class T, int D>
  void load(const char* array, StoredArray& stored, Index first, Index count, Field<T, D>& to) {
    const Array rows = stored.read_rows(first, count).as<T>();
    const std::span<const T> values = rows.values<T>();
    if (!std::ranges::all_of(values, [](T value) { return std::isfinite(value); }))
      refuse(name_, "expected finite values in ", array, ", found a NaN or an infinity in sample ", first);
    from_channel_first<T, D>(values, to.view());
  }

  std::string name_;
  std::unique_ptr<const ArrayFile> file_;
  std::vector<std::string> names_ = file_->names();
  std::unique_ptr<StoredArray> initial_, members_;
  Extents points_;
  std::vector<double> times_, length_;
  Index known_ = 0;
};

}  // namespace mno::io
