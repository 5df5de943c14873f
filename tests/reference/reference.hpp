#pragma once
// Models against PyTorch: values and every gradient against the files that generate.py wrote.
#include <utility>

#include "file.hpp"
#include "mno/model/gradient.hpp"

namespace mno::reference {

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
