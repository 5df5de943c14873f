#pragma once
// Prediction of one model behind the boundary, and the table of what an operator is and can do.
#include <mno/train/surrogate.hpp>

#include "guarded.hpp"

namespace demand {

/// Does a model that gives draws know their law? Then closed_form(model) is a model that gives it.
template <class M>
concept KnowsLaw = M::gives_draws && requires(const M& model) {
  closed_form(model);
};
/// What gives the law of a model's draws: nothing, or a surrogate of its own.
template <class M> struct LawOfDraws {
  static constexpr int rows = M::stochastic ? mno::rank_of<typename M::ShapeType>() : 0;
  explicit LawOfDraws(const mno::Surrogate<M>&) {}
};
template <KnowsLaw M> struct LawOfDraws<M> {
  using Closed = decltype(closed_form(std::declval<const M&>()));
  static constexpr int rows = Closed::ShapeType::rank;
  mno::Surrogate<Closed> surrogate;
  explicit LawOfDraws(const mno::Surrogate<M>& draws)
      : surrogate(closed_form(draws.model()), draws.normaliser(), draws.residual(), draws.warp()) {}
};

/// A surrogate with what the boundary refers to.
template <class M> struct LoadedModel {
  mno::Surrogate<M> surrogate;
  LawOfDraws<M> law;
  mutable mno::Cpu device;
  std::array<boundary::Axis, M::dimension> axes;
  std::string residual, warp;

  LoadedModel(mno::Surrogate<M> from, int threads)
      : surrogate(std::move(from)),
        law(surrogate),
        device(threads),
        axes(axes_of<M::dimension>({{}, surrogate.model().domain()})),
        residual(surrogate.residual().text()),
        warp(surrogate.warp().text()) {}
};

template <class M> struct PredictionOf {
  static constexpr int D = M::dimension;

  static boundary::Status load(const char* file, std::int32_t threads, boundary::Predictor* predictor,
                               boundary::Message error) noexcept {
    return guarded(error, [&] {
      auto* loaded = new LoadedModel<M>(mno::Surrogate<M>::load(file), threads);
      const mno::Normaliser& normaliser = loaded->surrogate.normaliser();
      *predictor = {loaded,
                    loaded->axes.data(),
                    normaliser.shift.data(),
                    normaliser.scale.data(),
                    loaded->residual.c_str(),
                    loaded->warp.c_str(),
                    has_nugget(loaded->surrogate)};
    });
  }
  static void unload(boundary::Predictor* predictor) noexcept {
    delete static_cast<LoadedModel<M>*>(predictor->model);
    *predictor = {};
  }
  static std::uint64_t memory(const boundary::Predictor* predictor) noexcept {
    return static_cast<const LoadedModel<M>*>(predictor->model)->device.memory();
  }
  static boundary::Status predict(const boundary::Predictor* predictor, const boundary::Condition* given,
                                  std::int32_t own, boundary::Law* law, boundary::Message error) noexcept {
    return guarded(error, [&] {
      const auto& loaded = *static_cast<const LoadedModel<M>*>(predictor->model);
      const mno::Condition<float, D> condition = condition_of(*given);
      if constexpr (KnowsLaw<M>)
        if (law->factor) return put(loaded.law.surrogate, condition, own, loaded.device, *law);
      put(loaded.surrogate, condition, own, loaded.device, *law);
    });
  }
  static boundary::Status vjp(const boundary::Predictor* predictor, const boundary::Condition* given,
                              const boundary::LawBar* law_bar, const boundary::ConditionBar* bar,
                              boundary::Message error) noexcept {
    return guarded(error, [&] {
      const auto& loaded = *static_cast<const LoadedModel<M>*>(predictor->model);
      const mno::Condition<float, D> condition = condition_of(*given);
      constexpr mno::Index channels = M::ShapeType::channels;
      const mno::View<const float, D>& u = condition.initial;
      const auto cotangent = [&](const float* from, mno::Index count) {
        mno::Field<float, D> field(u.batch, u.grid, count);
        if (from) std::copy_n(from, field.size(), field.data());
        return field;
      };
      const mno::View<float, D> initial{bar->initial, u.batch, u.grid, channels, channels};
      const std::span<float> times(bar->times, std::size_t(u.batch));
      std::fill_n(initial.data, u.batch * u.points() * channels, 0.0f);
      std::fill(times.begin(), times.end(), 0.0f);
      if constexpr (M::stochastic)
        loaded.surrogate.vjp(condition,
                             mno::Law<float, D>(cotangent(law_bar->mean, channels),
                                                cotangent(law_bar->factor, LawOfDraws<M>::rows * channels),
                                                cotangent(law_bar->nugget, channels)),
                             {initial, times, {}}, loaded.device);
      else
        loaded.surrogate.vjp(condition, cotangent(law_bar->mean, channels), {initial, times, {}},
                             loaded.device);
    });
  }

 private:
  /// Shrinkage makes a nugget where a model has none.
  static bool has_nugget(const mno::Surrogate<M>& surrogate) {
    return M::has_nugget || (M::stochastic && surrogate.shrinkage() > 0);
  }
  static mno::Condition<float, D> condition_of(const boundary::Condition& given) {
    mno::Condition<float, D> condition{view_of<D>(given.initial, grid_of<D>(given.axes)),
                                       {given.times, given.time_count}};
    condition.draws = mno::Index(given.draws);
    condition.noise = given.noise;
    if (given.known.data) condition.known = view_of<D>(given.known, grid_of<D>(given.known_axes));
    return condition;
  }
  template <class Surrogate>
  static void put(const Surrogate& surrogate, const mno::Condition<float, D>& condition, std::int32_t own,
                  mno::Cpu& device, const boundary::Law& to) {
    if (own)
      put(surrogate.own_prediction(condition, device), to);
    else
      put(surrogate.predict(condition, device), to);
  }
  static void copy(const mno::Field<float, D>& from, float* to) { std::copy_n(from.data(), from.size(), to); }
  static void put(const mno::Field<float, D>& field, const boundary::Law& to) { copy(field, to.mean); }
  template <class R, class W> static void put(const mno::Law<float, D, R, W>& law, const boundary::Law& to) {
    copy(law.mean, to.mean);
    copy(law.factor, to.factor);
    if (to.nugget) copy(law.nugget, to.nugget);
  }
};

inline void use_planner_lock([[maybe_unused]] boundary::PlannerLock lock) noexcept {
#ifdef MNO_HAS_FFTW
  mno::fftw_planner().share(lock.lock, lock.unlock);
#endif
}

/// Of an operator that gives draws there is none.
template <class M> constexpr auto vjp_of() -> decltype(boundary::Table::vjp) {
  if constexpr (M::gives_draws)
    return nullptr;
  else
    return &PredictionOf<M>::vjp;
}

template <class M>
const boundary::Table* table_of(const char* kind,
                                boundary::Status (*train)(const boundary::Training*,
                                                          boundary::TrainingReport*,
                                                          boundary::Message) noexcept) noexcept {
  using S = typename M::ShapeType;
  static const std::string shape = mno::io::shape_text<S>(),
                           expression = mno::expression_text<typename M::Expression>();
  static const boundary::Table table{boundary::version,
                                     sizeof(boundary::Table),
                                     kind,
                                     shape.c_str(),
                                     expression.c_str(),
                                     S::dimension,
                                     S::channels,
                                     S::rank,
                                     S::width,
                                     S::modes,
                                     S::depth,
                                     mno::known_fields<S>(),
                                     M::stochastic,
                                     M::gives_draws,
                                     LawOfDraws<M>::rows,
                                     M::parameters,
                                     &use_planner_lock,
                                     train,
                                     &PredictionOf<M>::load,
                                     &PredictionOf<M>::unload,
                                     &PredictionOf<M>::predict,
                                     vjp_of<M>(),
                                     &PredictionOf<M>::memory};
  return &table;
}

}  // namespace demand
