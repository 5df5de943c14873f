#pragma once
// Models against PyTorch: reads the files that generate.py wrote, and compares values and every gradient.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "mno/model/gradient.hpp"

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
    if (!(d <= difference)) difference = d;
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

  template <class T> void compare(const File& file, const std::string& array, std::span<const T> got) {
    const auto& expected = file[array].values;
    REQUIRE_MESSAGE(got.size() == expected.size(), file.name() << ": size of " << array);
    const double e = relative_error(got, expected);
    CHECK_MESSAGE(e <= tolerance<T>,
                  file.name() << " in " << scalar<T>() << ": " << array << " has relative error " << e);
    if (!(e <= error)) {
      error = e;
      where = file.name() + " " + array;
    }
  }
};

/// Sets the parameters by name; the file and the model must know the same leaves with the same shapes.
template <class M> void load(const File& file, M& model) {
  for (const NamedLeaf& leaf : M::leaves()) {
    const auto from = file.values<typename M::Scalar>("parameter/" + leaf.name);
    REQUIRE_MESSAGE(file["parameter/" + leaf.name].shape == leaf.shape, file.name()
                                                                            << ": shape of " << leaf.name);
    std::copy(from.begin(), from.end(), model.leaf(leaf.name).begin());
  }
  REQUIRE_MESSAGE(file.count("parameter/") == M::leaves().size(), file.name() << ": unknown parameters");
}

/// One file against one model in one scalar: predict, then the vjp in parameters and condition.
template <class E, class S, class T> void compare_in(const File& file, Worst& value, Worst& slope) {
  constexpr int D = S::dimension;
  using M = Model<E, S, T>;
  Domain<D> domain;
  std::copy_n(file["length"].values.begin(), D, domain.length.begin());
  M model(0, domain), gradient = model.zeros();
  load(file, model);
  if (file.has("stored")) model.store_known_fields(file.field<T, D>("stored", domain));

  const auto initial = file.field<T, D>("initial", domain);
  const auto times = file.values<T>("times");
  Field<T, D> known;
  Condition<T, D> condition{initial, times};
  if (file.has("known")) condition.known = known = file.field<T, D>("known", domain);

  Field<T, D> initial_bar(initial.batch(), initial.grid(), initial.channels()), known_bar;
  std::vector<T> times_bar(std::size_t(initial.batch()));
  ConditionBar<T, D> bar{initial_bar, times_bar};
  if constexpr (known_fields<S>() > 0)
    bar.known = known_bar = Field<T, D>(initial.batch(), initial.grid(), known_fields<S>());

  const auto mean_bar = file.field<T, D>("mean_bar", domain);
  const auto prediction = predict(model, condition);
  if constexpr (M::stochastic) {
    value.compare<T>(file, "mean", prediction.mean.span());
    value.compare<T>(file, "factor", prediction.factor.span());
    vjp(model, condition, mean_bar, file.field<T, D>("factor_bar", domain), gradient, default_device(), bar);
  } else {
    value.compare<T>(file, "mean", prediction.span());
    const auto linear = [&](const FieldBlock<T, D>& block) {
      const auto from = mean_bar.view().samples(block.first, block.value.batch);
      for (Index r = 0; r < from.rows(); ++r) std::copy_n(from.row(r), from.channels, block.value_bar.row(r));
      return 0.0;
    };
    value_and_gradient(model, condition, linear, gradient, default_device(), bar);
  }

  for (const NamedLeaf& leaf : M::leaves())
    slope.compare<T>(file, "gradient/" + leaf.name, std::as_const(gradient).leaf(leaf.name));
  slope.compare<T>(file, "gradient/initial", std::as_const(initial_bar).span());
  slope.compare<T>(file, "gradient/times", times_bar);
  if (bar.known) slope.compare<T>(file, "gradient/known", std::as_const(known_bar).span());
}

/// Several files against one operator, in double and in float.
template <class E, class S> void compare(std::initializer_list<const char*> names) {
  Worst value, slope, value_in_float, slope_in_float;
  for (const char* name : names) {
    const File file(name);
    compare_in<E, S, double>(file, value, slope);
    compare_in<E, S, float>(file, value_in_float, slope_in_float);
  }
  MESSAGE("largest relative errors: double "
          << value.error << " (" << value.where << "), " << slope.error << " (" << slope.where << "); float "
          << value_in_float.error << " (" << value_in_float.where << "), " << slope_in_float.error << " ("
          << slope_in_float.where << ")");
}

}  // namespace mno::reference
