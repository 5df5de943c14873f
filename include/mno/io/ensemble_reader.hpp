#pragma once
// Ensembles in a file of named arrays, whatever its format:
//
//   u0 (sample, channel, x[, y[, z]])            initial fields
//   uT (sample, member, channel, x[, y[, z]])    draws of u_t given u_0
//   t (sample) or one number                     times
//
// uT has other forms too: (sample, channel, x…) is one draw per sample; with an array counts (sample), which
// says how many draws each sample has, (draw, channel, x…) has those of all samples one after the other.
//
//   length (axis) or one number                  of the box; 1 if it is not there
//   bounded (axis) or one number                 1: the axis ends at walls, 0: it is periodic; 0 if not there
//   fields (field, x…) or (sample, field, x…)    known fields, if there are any
//   group (sample)                               numbers of trajectories, if samples are pieces of some
//
// Shapes are compared before anything is allocated, and members pass by one sample at a time. Samples with
// the same u0 (several query times of one initial condition) have one origin, so that no split tears them
// apart; where there are groups, these say what belongs together, and u0 does not. What opens a file of a
// format stands in a header of its own: zip/ensemble_file.hpp for .npz, hdf5/ensemble_file.hpp for HDF5.
#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <string_view>

#include "mno/core/channel_first.hpp"
#include "mno/data/ensemble.hpp"
#include "mno/io/array_file.hpp"
#include "mno/io/sha256.hpp"

namespace mno::io {

struct EnsembleFileOptions {
  EnsembleOptions keep{};
  bool point_masses = false;  // accept members that are all equal
};

template <class = void> class BasicEnsembleReader {
 public:
  /// `name` is what sentences call the file.
  BasicEnsembleReader(std::string name, std::unique_ptr<const ArrayFile> file)
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
    read_counts(u0, uT);
    read_times();
    read_lengths();
    read_walls();
    check_fields();
    if (contains("group")) groups_ = numbers("group", samples());
    for (const double group : groups_)
      if (!std::isfinite(group)) refuse(name_, "expected numbers of groups, found ", group);
  }

  const std::string& name() const { return name_; }
  int dimension() const { return int(points_.size()); }
  Index samples() const { return initial_->layout().shape[0]; }
  Index members(Index sample) const { return counts_[counts_.size() == 1 ? 0 : std::size_t(sample)]; }
  std::vector<Index> counts() const {  // (sample)
    return counts_.size() == 1 ? std::vector<Index>(std::size_t(samples()), counts_[0]) : counts_;
  }
  Index least_members() const { return *std::ranges::min_element(counts_); }
  Index most_members() const { return *std::ranges::max_element(counts_); }
  Index channels() const { return initial_->layout().shape[1]; }
  const Extents& points() const { return points_; }              // (axis)
  const std::vector<double>& length() const { return length_; }  // (axis)
  const std::vector<bool>& bounded() const { return bounded_; }  // (axis)
  Index known_fields() const { return known_; }
  /// The trajectory that a sample is a piece of, where the file says so.
  std::optional<double> group(Index sample) const {
    if (groups_.empty()) return {};
    return groups_[groups_.size() == 1 ? 0 : std::size_t(sample)];
  }

  template <int D> Grid<D> grid() const {
    require(dimension() == D, "io::EnsembleReader", "D", Text(dimension(), ", the dimension of the data"),
            Text(D));
    Grid<D> grid;
    std::copy(points_.begin(), points_.end(), grid.points.begin());
    std::copy(length_.begin(), length_.end(), grid.domain.length.begin());
    std::copy(bounded_.begin(), bounded_.end(), grid.domain.bounded.begin());
    return grid;
  }

  /// sink(sample, initial, time, members) for every sample in the order of the file, the fields being
  /// (1, grid…, C) and (member, grid…, C). They are the sink's to change until it returns.
  template <class T, int D, class Sink> void for_each(Sink&& sink) {
    const Grid<D> grid = this->grid<D>();
    Field<T, D> initial(1, grid, channels()), drawn;
    for (Index sample = 0, row = 0; sample < samples(); ++sample) {
      const Index count = members(sample), rows = member_axis_ ? 1 : count;
      if (drawn.batch() != count) drawn = Field<T, D>(count, grid, channels());
      load<T, D>("u0", *initial_, sample, 1, sample, initial);
      load<T, D>("uT", *members_, row, rows, sample, drawn);
      row += rows;
      sink(sample, initial, T(times_[times_.size() == 1 ? 0 : std::size_t(sample)]), drawn);
    }
  }

  /// The known fields: (sample or 1, grid…, field), or empty.
  template <class T, int D> Field<T, D> known() {
    if (known_ == 0) return {};
    const auto stored = file_->open("fields");
    const bool each = stored->layout().shape.size() == points_.size() + 2;
    Field<T, D> fields(each ? samples() : 1, grid<D>(), known_);
    load<T, D>("fields", *stored, 0, stored->layout().rows(), 0, fields);
    return fields;
  }

  /// All samples as statistics; of the members what the options keep, and all where there are samples with
  /// few: make_ensemble says which. Leading factors are kept where every sample has at least two members.
  template <class T, int D> Ensemble<T, D> read(EnsembleFileOptions options = {}) {
    if (least_members() < 2) options.keep.factors = 0;  // a single draw has none
    const std::vector<Index> each = counts();
    auto ensemble = make_ensemble<T, D>(std::span<const Index>(each), grid<D>(), channels(), options.keep);
    const auto hash = [](const Field<T, D>& initial) {
      return sha256(
          std::string_view(reinterpret_cast<const char*>(initial.data()), initial.size() * sizeof(T)));
    };
    std::map<std::string, Index> seen;  // by hash: data that lies on a disk is not read again
    std::map<double, Index> begun;      // the first sample of every group
    for_each<T, D>([&](Index sample, Field<T, D>& initial, T time, Field<T, D>& drawn) {
      set_condition<T, D>(ensemble, sample, std::as_const(initial).view(), time, sample,
                          std::as_const(drawn).view());
      const auto number = group(sample);
      ensemble.origins[std::size_t(sample)] = number ? begun.emplace(*number, sample).first->second
                                                     : seen.emplace(hash(initial), sample).first->second;
      mno::detail::relieve_after(ensemble.mean, std::size_t(sample));
    });
    if (!options.point_masses && most_members() > 1 &&
        std::ranges::all_of(ensemble.variance.span(), [](T v) { return v == T(0); }))
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
  /// A short list of numbers, or of yes and no: as many as `count`, or one.
  std::vector<double> numbers(const char* array, Index count) const {
    const auto stored = file_->open(array);
    const Layout& layout = stored->layout();
    if (layout.shape.size() > 1 || (layout.rows() != 1 && layout.rows() != count))
      refuse(name_, "expected ", array, " to be one number or ", count, " in a row, found ", layout.str());
    return numbers_of(stored->read());
  }
  void read_counts(const Extents& u0, const Extents& uT) {
    const auto like_u0 = [&](std::size_t axis) {  // from this axis on as u0 from its channels on
      return std::equal(uT.begin() + std::ptrdiff_t(std::min(axis, uT.size())), uT.end(), u0.begin() + 1,
                        u0.end());
    };
    if (contains("counts")) {
      double draws = 0;  // a double does not overflow, whatever a file says
      for (const double m : numbers("counts", samples())) {
        if (!(m >= 1 && m < 9e15) || m != std::floor(m))
          refuse(name_, "expected counts to be whole numbers from one up, found ", m);
        counts_.push_back(Index(m));
        draws += m;
      }
      if (counts_.size() == 1) draws *= double(samples());
      if (!like_u0(1) || double(uT[0]) != draws)
        refuse(name_, "expected uT (draw, channel, x…) with as many draws as counts come to, ", draws,
               ", and the channels and points of u0 ", to_string(u0), ", found ", to_string(uT));
      return;
    }
    member_axis_ = uT.size() != u0.size();
    if (uT.empty() || uT[0] != samples() || !like_u0(member_axis_ ? 2 : 1) || (member_axis_ && uT[1] < 1))
      refuse(name_, "expected uT (sample, member, channel, x…) with the samples, channels and points of u0 ",
             to_string(u0), ", found ", to_string(uT));
    counts_ = {member_axis_ ? uT[1] : 1};
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
  void read_walls() {
    bounded_.assign(points_.size(), false);
    if (!contains("bounded")) return;
    const auto given = numbers("bounded", Index(points_.size()));
    for (std::size_t axis = 0; axis < bounded_.size(); ++axis) {
      const double walls = given[given.size() == 1 ? 0 : axis];
      if (walls != 0 && walls != 1)
        refuse(name_, "expected bounded to be 1 (walls) or 0 (periodic) on every axis, found ", walls);
      bounded_[axis] = walls == 1;
    }
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

  /// Rows of an array; `sample` is what a sentence calls them.
  template <class T, int D>
  void load(const char* array, StoredArray& stored, Index first, Index count, Index sample, Field<T, D>& to) {
    const Array rows = stored.read_rows(first, count).as<T>();
    const std::span<const T> values = rows.values<T>();
    if (!std::ranges::all_of(values, [](T value) { return std::isfinite(value); }))
      refuse(name_, "expected finite values in ", array, ", found a NaN or an infinity in sample ", sample);
    from_channel_first<T, D>(values, to.view());
  }

  std::string name_;
  std::unique_ptr<const ArrayFile> file_;
  std::vector<std::string> names_ = file_->names();
  std::unique_ptr<StoredArray> initial_, members_;
  Extents points_;
  std::vector<Index> counts_;  // (sample), or one for all
  bool member_axis_ = false;   // uT is (sample, member, …)
  std::vector<double> times_, length_;
  std::vector<bool> bounded_;
  std::vector<double> groups_;  // (sample), one for all, or empty
  Index known_ = 0;
};
using EnsembleReader = BasicEnsembleReader<>;

}  // namespace mno::io
