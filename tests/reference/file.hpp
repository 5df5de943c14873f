#pragma once
// What PyTorch gave: reads the files that generate.py and expressions.py wrote, and compares arrays with
// them.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "mno/core/field.hpp"

namespace mno::reference {

struct Array {
  std::vector<Index> shape;
  std::vector<double> values;
};

/// The arrays of tests/reference/data/<name>.txt; the format is told in generate.py.
class File {
 public:
  explicit File(const std::string& name) : name_(name) {
    std::ifstream in(std::string(MNO_SOURCE_DIR) + "/tests/reference/data/" + name + ".txt");
    REQUIRE_MESSAGE(in.good(), "can't open the reference data of " << name);
    std::string array;
    std::getline(in, array);  // the line about the file
    for (std::size_t dimensions; in >> array >> dimensions;) {
      Array& a = arrays_[array];
      a.shape.resize(dimensions);
      Index size = 1;
      for (Index& n : a.shape) {
        in >> n;
        size *= n;
      }
      a.values.resize(std::size_t(size));
      for (double& value : a.values) in >> value;
      REQUIRE_MESSAGE(!in.fail(), name << ": " << array << " is cut short");
    }
    REQUIRE_MESSAGE(in.eof(), name << ": can't read on after " << array);
  }

  const std::string& name() const { return name_; }
  bool has(const std::string& array) const { return arrays_.count(array) > 0; }
  const Array& operator[](const std::string& array) const {
    REQUIRE_MESSAGE(has(array), name_ << ": no array " << array);
    return arrays_.at(array);
  }
  std::size_t count(const std::string& prefix) const {
    std::size_t n = 0;
    for (const auto& [name, array] : arrays_) n += name.starts_with(prefix);
    return n;
  }

  template <class T> std::vector<T> values(const std::string& array) const {
    const auto& from = (*this)[array].values;
    std::vector<T> to(from.size());
    std::transform(from.begin(), from.end(), to.begin(), [](double v) { return T(v); });
    return to;
  }

  /// An array (batch, grid…, channel) as a field.
  template <class T, int D> Field<T, D> field(const std::string& array, const Domain<D>& domain) const {
    const Array& a = (*this)[array];
    REQUIRE_MESSAGE(a.shape.size() == std::size_t(D + 2), name_ << ": " << array << " is no field");
    Grid<D> grid{{}, domain};
    std::copy_n(a.shape.begin() + 1, D, grid.points.begin());
    Field<T, D> f(a.shape.front(), grid, a.shape.back());
    std::transform(a.values.begin(), a.values.end(), f.data(), [](double v) { return T(v); });
    return f;
  }

 private:
  std::string name_;
  std::map<std::string, Array> arrays_;
};

/// max |got − expected| / max |expected|; where all that is expected is zero, max |got|. NaN stays NaN.
template <class T> double relative_error(std::span<const T> got, const std::vector<double>& expected) {
  double difference = 0, largest = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const double d = std::abs(double(got[i]) - expected[i]);
    if (std::isnan(d) || d > difference) difference = d;
    largest = std::max(largest, std::abs(expected[i]));
  }
  return largest > 0 ? difference / largest : difference;
}

template <class T> constexpr double tolerance = std::is_same_v<T, double> ? 1e-10 : 1e-4;
template <class T> std::string scalar() { return std::is_same_v<T, double> ? "double" : "float"; }

/// The largest error of many comparisons, and where it was.
struct Worst {
  double error = 0;
  std::string where = "nowhere";

  template <class T>
  void compare(const File& file, const std::string& array, std::span<const T> got,
               double most = tolerance<T>) {
    const auto& expected = file[array].values;
    REQUIRE_MESSAGE(got.size() == expected.size(), file.name() << ": size of " << array);
    const double e = relative_error(got, expected);
    CHECK_MESSAGE(e <= most, file.name()
                                 << " in " << scalar<T>() << ": " << array << " has relative error " << e);
    if (!(e <= error)) {
      error = e;
      where = file.name() + " " + array;
    }
  }
};

}  // namespace mno::reference
