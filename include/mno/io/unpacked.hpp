#pragma once
// Packed numbers unpacked, by the conventions of NetCDF and CF:
//
//   x = scale_factor · n + add_offset,   NaN where n is _FillValue, missing_value or outside of valid_range
#include <limits>
#include <memory>
#include <vector>

#include "mno/io/array_file.hpp"

namespace mno::io {

/// An array whose elements are packed, or may be missing. What comes out is f64.
class UnpackedArray final : public StoredArray {
 public:
  UnpackedArray(std::unique_ptr<StoredArray> packed, const Description& description)
      : packed_(std::move(packed)), layout_{Type::f64, packed_->layout().shape} {
    const auto one = [&](const char* name, double otherwise) {
      const auto found = description.numbers(name);
      return found.empty() ? otherwise : found[0];
    };
    scale_ = one("scale_factor", 1);
    offset_ = one("add_offset", 0);
    for (const char* name : {"_FillValue", "missing_value"})
      for (const double value : description.numbers(name)) missing_.push_back(value);
    least_ = one("valid_min", least_);
    most_ = one("valid_max", most_);
    const auto range = description.numbers("valid_range");
    if (range.size() == 2) least_ = range[0], most_ = range[1];
  }

  /// Whether numbers are packed or may be missing.
  static bool needed(const Description& description) {
    for (const char* name : {"scale_factor", "add_offset", "_FillValue", "missing_value", "valid_range",
                             "valid_min", "valid_max"})
      if (!description.numbers(name).empty()) return true;
    return false;
  }

  const Layout& layout() const override { return layout_; }
  Array read(const Extents& start, const Extents& count) override {
    std::vector<double> numbers = numbers_of(packed_->read(start, count));
    for (double& n : numbers) {
      bool there = n >= least_ && n <= most_;
      for (const double value : missing_) there = there && n != value;
      n = there ? scale_ * n + offset_ : std::numeric_limits<double>::quiet_NaN();
    }
    return Array::of(count, numbers);
  }

 private:
  std::unique_ptr<StoredArray> packed_;
  Layout layout_;
  double scale_ = 1, offset_ = 0;
  double least_ = -std::numeric_limits<double>::infinity(), most_ = std::numeric_limits<double>::infinity();
  std::vector<double> missing_;
};

/// The array of a file, unpacked where that is needed.
inline std::unique_ptr<StoredArray> open_unpacked(const ArrayFile& file, const std::string& name) {
  auto array = file.open(name);
  const Description description = file.describe(name);
  if (!UnpackedArray::needed(description)) return array;
  return std::make_unique<UnpackedArray>(std::move(array), description);
}

}  // namespace mno::io
