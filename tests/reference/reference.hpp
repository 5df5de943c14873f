#pragma once
// Models against PyTorch: values and every gradient against the files that generate.py wrote.
#include <utility>

#include "file.hpp"
#include "mno/model/gradient.hpp"

namespace mno::reference {

/// Sets the parameters by name; the file and the model must know the same leaves with the same shapes.
template <class T>
void load(const File& file, const std::vector<NamedLeaf>& leaves, std::span<T> parameters) {
  for (const NamedLeaf& leaf : leaves) {
    const auto from = file.values<T>("parameter/" + leaf.name);
    REQUIRE_MESSAGE(file["parameter/" + leaf.name].shape == leaf.shape, file.name()
                                                                            << ": shape of " << leaf.name);
    std::copy(from.begin(), from.end(), parameters.begin() + Index(leaf.offset));
  }
  REQUIRE_MESSAGE(file.count("parameter/") == leaves.size(), file.name() << ": unknown parameters");
}

/// What a file says of the condition, and places for its cotangents. With Worst, all that depends on a
/// model's expression stays in compare_in.
template <class T, int D> struct Given {
  Given(const File& file, Index known_fields) {
    std::copy_n(file["length"].values.begin(), D, domain.length.begin());
    initial = file.field<T, D>("initial", domain);
    times = file.values<T>("times");
    mean_bar = file.field<T, D>("mean_bar", domain);
    if (file.has("factor_bar")) factor_bar = file.field<T, D>("factor_bar", domain);
    if (file.has("stored")) stored = file.field<T, D>("stored", domain);
    condition = {initial, times};
    if (file.has("known")) condition.known = known = file.field<T, D>("known", domain);
    initial_bar = Field<T, D>(initial.batch(), initial.grid(), initial.channels());
    times_bar.resize(std::size_t(initial.batch()));
    bar = {initial_bar, times_bar};
    if (known_fields > 0) bar.known = known_bar = Field<T, D>(initial.batch(), initial.grid(), known_fields);
  }
  void compare(const File& file, const std::vector<NamedLeaf>& leaves, std::span<const T> gradient,
               Worst& slope) const {
    for (const NamedLeaf& leaf : leaves)
      slope.compare<T>(file, "gradient/" + leaf.name, gradient.subspan(leaf.offset, leaf.size()));
    slope.compare<T>(file, "gradient/initial", initial_bar.span());
    slope.compare<T>(file, "gradient/times", times_bar);
    if (bar.known) slope.compare<T>(file, "gradient/known", known_bar.span());
  }
  Domain<D> domain;
  Field<T, D> initial, known, stored, mean_bar, factor_bar, initial_bar, known_bar;
  std::vector<T> times, times_bar;
  Condition<T, D> condition;
  ConditionBar<T, D> bar;
};

/// One file against one model in one scalar: predict, then the vjp in parameters and condition.
template <class E, class S, class T> void compare_in(const File& file, Worst& value, Worst& slope) {
  constexpr int D = S::dimension;
  using M = Model<E, S, T>;
  Given<T, D> given(file, known_fields<S>());
  M model(0, given.domain), gradient = model.zeros();
  const auto leaves = M::leaves();
  load(file, leaves, model.values());
  if (file.has("stored")) model.store_known_fields(given.stored);

  const auto prediction = predict(model, given.condition);
  if constexpr (M::stochastic) {
    value.compare<T>(file, "mean", prediction.mean.span());
    value.compare<T>(file, "factor", prediction.factor.span());
    vjp(model, given.condition, given.mean_bar, given.factor_bar, gradient, default_device(), given.bar);
  } else {
    value.compare<T>(file, "mean", prediction.span());
    const auto linear = [&](const FieldBlock<T, D>& block) {
      const auto from = given.mean_bar.view().samples(block.first, block.value.batch);
      for (Index r = 0; r < from.rows(); ++r) std::copy_n(from.row(r), from.channels, block.value_bar.row(r));
      return 0.0;
    };
    value_and_gradient(model, given.condition, linear, gradient, default_device(), given.bar);
  }
  given.compare(file, leaves, std::as_const(gradient).values(), slope);
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
