#pragma once
// From a condition to the law of u_t, in one pass.
#include "mno/law/law.hpp"
#include "mno/model/input.hpp"
#include "mno/model/model.hpp"
#include "mno/model/refined.hpp"

namespace mno {

namespace detail {

/// m = u_0 + A. Where A is zero the mean is u_0 bit for bit (u_0 + 0 would turn −0 into +0).
template <class T, int D> struct MeanInto {
  View<const T, D> initial, drift;
  View<T, D> mean;
  MNO_HOST_DEVICE void operator()(Index r, Index c) const {
    const T u = initial.row(r)[c], a = drift.row(r)[c];
    mean.row(r)[c] = a == T(0) ? u : u + a;
  }
};

template <class T, int D>
void require_like(const char* function, const char* argument, View<const T, D> got, View<const T, D> like,
                  Index channels) {
  require(got.batch == like.batch && got.grid == like.grid && got.channels == channels, function, argument,
          Text(like.batch, " sample(s) of ", channels, " channel(s) on ", like.grid.str()),
          Text(got.batch, " of ", got.channels, " on ", got.grid.str()));
}

template <int D> void require_closed(const char* function, const Grid<D>& begin, const Grid<D>& end) {
  require(end == begin, function, "model",
          Text("an expression that ends on the grid it begins on, ", begin.str()),
          Text("one that ends on ", end.str()));
}

/// Do the arguments of a prediction fit the model? For every device.
template <class E, class S, class T>
void check_condition(const char* function, const Model<E, S, T>& model,
                     const Condition<T, S::dimension>& condition) {
  check_condition<S>(function, condition, model.domain(), model.stored_known_fields().size() > 0);
  require(condition.draws == 1 || Model<E, S, T>::gives_draws, function, "condition.draws",
          Text("1, as this model has no noise inside; a law is drawn from by `sample`"),
          Text(condition.draws));
  const auto grid = working_grid(condition.initial.grid, model.least_points());
  require_closed(function, grid, output_grid<E>(grid));
}
template <class E, class S, class T>
void check_places(const Condition<T, S::dimension>& condition, const Law<T, S::dimension>& law,
                  const Model<E, S, T>& model) {
  static_assert(Model<E, S, T>::stochastic,
                "mno: this operator gives a field, not a law: predict into a Field");
  check_condition("predict", model, condition);
  require_like<T, S::dimension>("predict", "law.mean", law.mean.view(), condition.initial, S::channels);
  require_like<T, S::dimension>("predict", "law.factor", law.factor.view(), condition.initial,
                                rank_of<S>() * S::channels);
  if constexpr (Model<E, S, T>::has_nugget)
    require_like<T, S::dimension>("predict", "law.nugget", law.nugget.view(), condition.initial, S::channels);
  else
    require(law.nugget.size() == 0, "predict", "law.nugget", Text("none, as the model has no nugget"),
            Text(law.nugget.batch(), " of ", law.nugget.channels(), " on ", law.nugget.grid().str()));
}
template <class E, class S, class T>
void check_places(const Condition<T, S::dimension>& condition, const Field<T, S::dimension>& field,
                  const Model<E, S, T>& model) {
  static_assert(!Model<E, S, T>::stochastic,
                "mno: this operator gives a law, not a field: predict into a Law");
  check_condition("predict", model, condition);
  View<const T, S::dimension> like = condition.initial;
  like.batch = condition.samples();
  require_like<T, S::dimension>("predict", "field", field.view(), like, S::channels);
}

/// Where a prediction goes; a field is a law without a factor. In the memory of a device.
template <class T, int D> struct Predicted { View<T, D> mean, factor{}, nugget{}; };
template <class T, int D> Predicted<T, D> places(Law<T, D>& law) {
  return {law.mean.view(), law.factor.view(), law.nugget.view()};
}
template <class T, int D> Predicted<T, D> places(Field<T, D>& field) { return {field.view()}; }

/// Everything but the model itself is in the memory of the device. `stored`: the model's known fields;
/// `prepared`: the weights with their matrices transposed, or null; `begin`: the sample of the batch that
/// the condition begins with.
template <class M, class T, int D, class Device>
void predict_on(const M& model, std::span<const T> weights, const PreparedWeights<T>* prepared,
                const Condition<T, D>& condition, const View<const T, D>& stored, Index begin,
                const Predicted<T, D>& to, Device& device) {
  using E = typename M::Expression;
  using S = typename M::ShapeType;
  using PassType = Pass<T, D, Device>;
  const Refined<T, D, Device> fine(condition, stored, model.least_points(), device);
  const Index size = samples_per_block(fine.grid().size(), Index(E::parameters));
  for_each_pass<T, D>(device, fine.batch(), size, [&](PassType& pass, Index first, Index count) {
    pass.recording = false;
    pass.prepared = prepared;
    fine.enter(pass, first, count);
    pass.first += begin;
    const View<T, D> x = model_input(model, fine.condition, model.domain().bounded, pass, first, count);
    const View<T, D> y = pass.keep_uninitialised(x, E::outputs);
    TraceOf<E, PassType> trace;
    forward_of<E, PassType>(weights, x, y, trace, pass, Write::set);
    const View<const T, D> seen = fine.at_given(y, pass);
    const View<T, D> mean = to.mean.samples(first, count);
    if constexpr (M::stochastic) {
      pass.for_each(mean, MeanInto<T, D>{condition.initial.samples(first, count), seen, mean});
      constexpr Index rank = rank_of<S>() * S::channels;
      pass.transfer(seen.slice(S::channels, rank), to.factor.samples(first, count), Write::set,
                    model.factor_scale());
      if constexpr (M::has_nugget)
        pass.transfer(seen.slice(S::channels + rank, S::channels), to.nugget.samples(first, count),
                      Write::set, model.factor_scale());
    } else {
      pass.transfer(seen, mean, Write::set);
    }
  });
}

/// The same with everything in the host's memory; every device specialises it.
template <class Device> struct HostPrediction;
template <> struct HostPrediction<Cpu> {
  template <class M, class T, int D>
  static void run(const M& model, const PreparedWeights<T>* prepared, const Condition<T, D>& condition,
                  const Predicted<T, D>& to, Cpu& device) {
    predict_on(model, model.values(), prepared, condition, model.stored_known_fields().view(), 0, to, device);
  }
};

}  // namespace detail

/// The law of u_t for every sample, or a field from a deterministic operator, into a Law or a Field that
/// exists already: after the first call nothing is allocated. On any device.
template <class E, class S, class T, class To, class Device = Cpu>
void predict_into(const Model<E, S, T>& model, const Condition<T, S::dimension>& condition, To& to,
                  Device& device = default_device()) {
  detail::check_places(condition, to, model);
  detail::HostPrediction<Device>::run(model, static_cast<const PreparedWeights<T>*>(nullptr), condition,
                                      detail::places(to), device);
}

/// A Law from a stochastic operator, a Field from one that gives fields, on any device. An operator with
/// noise inside gives condition.draws fields per condition: (condition·draws + draw, grid…, C).
template <class E, class S, class T, class Device = Cpu>
auto predict(const Model<E, S, T>& model, const Condition<T, S::dimension>& condition,
             Device& device = default_device()) {
  constexpr int D = S::dimension;
  detail::check_condition("predict", model, condition);
  const auto& u = condition.initial;
  if constexpr (Model<E, S, T>::stochastic) {
    Law<T, D> law(Field<T, D>(u.batch, u.grid, S::channels),
                  Field<T, D>(u.batch, u.grid, rank_of<S>() * S::channels));
    if constexpr (Model<E, S, T>::has_nugget) law.nugget = Field<T, D>(u.batch, u.grid, S::channels);
    predict_into(model, condition, law, device);
    return law;
  } else {
    Field<T, D> field(condition.samples(), u.grid, S::channels);
    predict_into(model, condition, field, device);
    return field;
  }
}

/// predict(model, u_0, t): one time for all samples.
template <class E, class S, class T, class Device = Cpu>
auto predict(const Model<E, S, T>& model, View<const T, S::dimension> initial, std::type_identity_t<T> time,
             Device& device = default_device()) {
  return predict(model, Condition<T, S::dimension>{initial, {&time, 1}}, device);
}
template <class E, class S, class T, class Device = Cpu>
auto predict(const Model<E, S, T>& model, const Field<T, S::dimension>& initial, std::type_identity_t<T> time,
             Device& device = default_device()) {
  return predict(model, initial.view(), time, device);
}

}  // namespace mno
