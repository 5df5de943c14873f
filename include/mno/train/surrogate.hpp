#pragma once
// One object in the user's units: a model, its normaliser, its residual law, its warp, its shrinkage and its
// calibration as one value with one file.
//
//   auto [surrogate, report] = mno::fit<mno::PathMno<Shape>>(data);      // train/fit.hpp
//   const auto law = surrogate.predict(u0, 0.7f);                        // in the units of the data
//   const auto draws = surrogate.draws(u0, 0.7f, 100, /*seed=*/1);       // of a law, or of noise inside
//   surrogate.vjp(condition, law_bar, condition_bar);                    // back to u_0 and t
//   surrogate.calibrate(held_back, 0.9);
//   surrogate.save("model.safetensors");
//
// From the user's u to the model's own coordinates and back: x = (w⁻¹(u) − shift)/scale. A law keeps the warp
// w, so its mean, factor and nugget are those of z = w⁻¹(u).
#include <cstring>
#include <filesystem>
#include <optional>
#include <utility>

#include "mno/data/law_coordinates.hpp"
#include "mno/data/normaliser.hpp"
#include "mno/io/safetensors/model_file.hpp"
#include "mno/io/safetensors/references.hpp"
#include "mno/law/any_residual.hpp"
#include "mno/law/any_warp.hpp"
#include "mno/law/shrinkage.hpp"
#include "mno/metric/calibration.hpp"
#include "mno/metric/scorecard.hpp"
#include "mno/model/gradient.hpp"
#include "mno/model/predict.hpp"

namespace mno {

namespace detail {

/// Residual law, warp, shrinkage and calibration as the text in a file, and back.
inline io::LawText law_text(const AnyResidual& residual, const AnyWarp& warp,
                            const std::optional<metric::Calibration>& calibration = {},
                            double shrinkage = 0) {
  io::LawText text;
  text.residual = residual.text();
  if (!warp.identity()) text.warp = warp.text();
  if (calibration) text.calibration = calibration->text();
  if (shrinkage > 0) text.shrinkage = Choice{"to_diagonal", {shrinkage}}.text();
  return text;
}
inline double shrinkage_of(const io::LawText& text) {
  if (text.shrinkage == io::LawText{}.shrinkage) return 0;
  const auto choice = Choice::parse("Surrogate", text.shrinkage);
  require(choice.is("to_diagonal", 1) && choice.numbers[0] > 0 && choice.numbers[0] < 1, "Surrogate",
          "shrinkage", Text("'to_diagonal SHARE', a share between 0 and 1"), Text("'", text.shrinkage, "'"));
  return choice.numbers[0];
}
inline AnyWarp warp_of(const io::LawText& text) {
  return text.warp == io::LawText{}.warp ? AnyWarp() : AnyWarp::parse(text.warp);
}
inline std::optional<metric::Calibration> calibration_of(const io::LawText& text) {
  if (text.calibration == io::LawText{}.calibration) return {};
  return metric::Calibration::parse(text.calibration);
}

/// The same bits: −0 and +0 differ, a NaN equals itself.
template <class T> bool same_bits(T a, T b) { return std::memcmp(&a, &b, sizeof a) == 0; }

}  // namespace detail

template <class M> class Surrogate {
 public:
  using T = typename M::Scalar;
  static constexpr int D = M::dimension;
  using OwnLaw = Law<T, D, AnyResidual>;
  /// A law, or fields: one of every condition, or Condition::draws of an operator with noise inside.
  using Prediction = std::conditional_t<M::stochastic, Law<T, D, AnyResidual, AnyWarp>, Field<T, D>>;
  using OwnPrediction = std::conditional_t<M::stochastic, OwnLaw, Field<T, D>>;

  Surrogate(M model, Normaliser normaliser, AnyResidual residual = {}, AnyWarp warp = {},
            io::Metadata about = {})
      : model_(std::move(model)),
        normaliser_(std::move(normaliser)),
        residual_(std::move(residual)),
        warp_(std::move(warp)),
        about_(std::move(about)) {
    constexpr std::size_t channels = M::ShapeType::channels;
    require(normaliser_.shift.size() == channels && normaliser_.scale.size() == channels, "Surrogate",
            "normaliser", Text("a shift and a scale for each of ", channels, " channel(s)"),
            Text(normaliser_.shift.size(), " and ", normaliser_.scale.size()));
    warp_.require_channels(Index(channels));
  }

  const M& model() const { return model_; }
  const Normaliser& normaliser() const { return normaliser_; }
  const AnyResidual& residual() const { return residual_; }
  const AnyWarp& warp() const { return warp_; }
  const std::optional<metric::Calibration>& calibration() const { return calibration_; }
  /// The share of the factor's variance that predicted laws have on the diagonal.
  double shrinkage() const { return shrinkage_; }
  void set_shrinkage(double share) requires(M::stochastic) {
    require(share >= 0 && share < 1, "Surrogate::set_shrinkage", "share", Text("a share from 0 to below 1"),
            Text(share));
    shrinkage_ = share;
  }
  /// The references that predictions have to beat, in the model's own coordinates; `fit` sets them.
  const std::optional<metric::References<T, D>>& references() const { return references_; }
  void set_references(std::optional<metric::References<T, D>> references) {
    references_ = std::move(references);
  }
  const io::Metadata& about() const { return about_; }  // further entries of the file

  /// The law of u_t given u_0, both in the user's units, on any device. Where the model adds nothing to u_0,
  /// as at t = 0, the mean is u_0 bit for bit, or w⁻¹(u_0) of a warped law; so is every draw.
  template <class Device = Cpu>
  Prediction predict(const Condition<T, D>& condition, Device& device = default_device()) const {
    Field<T, D> z = copy_of(condition.initial);
    to_law_coordinates(z, warp_);
    Field<T, D> x = z;
    normaliser_.apply(x);
    Condition<T, D> own = condition;
    own.initial = std::as_const(x).view();
    OwnPrediction prediction = own_prediction(own, device);
    if constexpr (M::stochastic) {
      const Field<T, D> mean = prediction.mean;
      normaliser_.undo(prediction);
      put_back(mean, x, z.view(), prediction.mean);
      return with_warp(std::move(prediction), warp_);
    } else {
      const Field<T, D> field = prediction;
      normaliser_.undo(prediction);
      to_user_units(prediction, warp_);
      put_back(field, x, condition.initial, prediction);
      return prediction;
    }
  }
  /// One time for all samples.
  template <class Device = Cpu>
  Prediction predict(const Field<T, D>& initial, std::type_identity_t<T> time,
                     Device& device = default_device()) const {
    return predict(Condition<T, D>{initial.view(), {&time, 1}}, device);
  }

  /// The vector–Jacobian product of `predict`: it takes the cotangents of m, B and η, in coordinates z, and
  /// adds those of u_0 (in the user's units), t and known fields to `bar`. The nugget's may be left out.
  void vjp(const Condition<T, D>& condition, Law<T, D> law_bar, const ConditionBar<T, D>& bar,
           Cpu& device = default_device()) const requires(M::stochastic) {
    constexpr Index channels = M::ShapeType::channels, rank = rank_of<typename M::ShapeType>() * channels;
    const auto& u = condition.initial;
    detail::require_like<T, D>("Surrogate::vjp", "law_bar.mean", law_bar.mean.view(), u, channels);
    detail::require_like<T, D>("Surrogate::vjp", "law_bar.factor", law_bar.factor.view(), u, rank);
    if (M::has_nugget && !law_bar.has_nugget()) law_bar.nugget = Field<T, D>(u.batch, u.grid, channels);
    pulled_back(condition, bar, [&](const Condition<T, D>& own, const ConditionBar<T, D>& own_bar) {
      normaliser_.undo_on_spread(law_bar.mean);
      normaliser_.undo_on_spread(law_bar.factor);
      normaliser_.undo_on_spread(law_bar.nugget);
      if (calibration_) law_bar = metric::widened(std::move(law_bar), calibration_->factor);
      if (shrinkage_ > 0) shrunk_vjp(mno::predict(model_, own, device), shrinkage_, law_bar);
      Field<T, D> spread(u.batch, u.grid, M::Expression::outputs - channels);  // B̄ and η̄
      for (Index r = 0; r < u.batch * u.points(); ++r) {
        T* to = std::copy_n(law_bar.factor.data() + r * rank, rank, spread.data() + r * spread.channels());
        if (M::has_nugget) std::copy_n(law_bar.nugget.data() + r * channels, channels, to);
      }
      M gradient = model_.zeros();
      mno::vjp(model_, own, law_bar.mean, spread, gradient, device, own_bar);
    });
  }
  /// The same of an operator that gives one field.
  void vjp(const Condition<T, D>& condition, Field<T, D> field_bar, const ConditionBar<T, D>& bar,
           Cpu& device = default_device()) const requires(!M::stochastic && !M::gives_draws) {
    detail::require_like<T, D>("Surrogate::vjp", "field_bar", field_bar.view(), condition.initial,
                               M::ShapeType::channels);
    pulled_back(condition, bar, [&](const Condition<T, D>& own, const ConditionBar<T, D>& own_bar) {
      if (!warp_.identity()) {  // u = w(z)
        Field<T, D> z = mno::predict(model_, own, device);
        normaliser_.undo(z);
        times_slope(z, field_bar);
      }
      normaliser_.undo_on_spread(field_bar);
      M gradient = model_.zeros();
      mno::vjp(model_, own, field_bar, gradient, device, own_bar);
    });
  }

  /// `count` draws of u_t for every condition, in the user's units: (condition·count + draw, grid…, C). Draw
  /// j of condition i depends on (seed, i, j) and that condition only.
  template <class Device = Cpu>
  Field<T, D> draws(const Condition<T, D>& condition, Index count, std::uint64_t seed,
                    Device& device = default_device()) const {
    static_assert(M::stochastic || M::gives_draws,
                  "mno: this operator gives one field and no law: there is nothing to draw from");
    if constexpr (M::stochastic)
      return sample(predict(condition, device), count, seed);
    else
      return predict(visited(condition, count, seed), device);
  }
  template <class Device = Cpu>
  Field<T, D> draws(const Field<T, D>& initial, std::type_identity_t<T> time, Index count, std::uint64_t seed,
                    Device& device = default_device()) const {
    return draws(Condition<T, D>{initial.view(), {&time, 1}}, count, seed, device);
  }

  /// u ↦ x of a field of values, in place.
  void to_own_coordinates(Field<T, D>& values) const {
    to_law_coordinates(values, warp_);
    normaliser_.apply(values);
  }
  /// x ↦ u.
  void from_own_coordinates(Field<T, D>& values) const {
    normaliser_.undo(values);
    to_user_units(values, warp_);
  }
  /// The law of x_t given x_0, in the model's own coordinates, where scores of different data compare.
  template <class Device = Cpu>
  OwnPrediction own_prediction(const Condition<T, D>& condition, Device& device = default_device()) const {
    if constexpr (M::stochastic) {
      OwnLaw law = shrunk(with_residual(mno::predict(model_, condition, device), residual_), shrinkage_);
      return calibration_ ? metric::widened(std::move(law), calibration_->factor) : law;
    } else {
      return mno::predict(model_, condition, device);
    }
  }

  /// Conformal: from now on the law's interval at `level` covers that fraction of a new condition's members
  /// and points, with probability `confidence` over conditions. The data is in the user's units, keeps its
  /// members, and was not trained on; the guarantee assumes conditions of different initial fields.
  template <class Device = Cpu>
  void calibrate(const Ensemble<T, D>& data, double level, double confidence = 0.9,
                 Device& device = default_device()) requires(M::stochastic) {
    require(data.members.size() > 0, "Surrogate::calibrate", "data",
            Text("an ensemble that keeps its members: make_ensemble(counts, …, {.members = true})"),
            Text("statistics"));
    const auto before = std::exchange(calibration_, std::nullopt);
    try {
      metric::Calibrator calibrator(level, confidence);
      const auto law = unwarped(predict(data.condition(), device));
      for (Index s = 0; s < data.size(); ++s) {
        Field<T, D> z = copy_of(data.members_of(s));
        to_law_coordinates(z, warp_);
        calibrator.add(law, s, metric::members(z));
      }
      calibration_ = calibrator.value();
    } catch (...) {
      calibration_ = before;
      throw;
    }
  }
  void set_calibration(std::optional<metric::Calibration> calibration) { calibration_ = calibration; }

  /// Every score beside its floor, in the user's units.
  template <class Device = Cpu>
  std::vector<metric::ScoreRow> scorecard(const Ensemble<T, D>& data,
                                          const metric::ScorecardOptions& options = {},
                                          Device& device = default_device()) const {
    if constexpr (M::gives_draws) {
      const Index count = options.draws_for(data);
      return metric::scorecard(draws(data.condition(), count, options.seed, device), count, data, options);
    } else {
      return metric::scorecard(predict(data.condition(), device), data, options);
    }
  }

  void save(const std::filesystem::path& path, io::Keep keep = io::Keep::previous) const {
    std::vector<io::NamedArray> arrays;
    io::Metadata about = about_;
    std::erase_if(about, [](const auto& entry) { return entry.first.starts_with("reference."); });
    io::describe_model(model_, normaliser_, arrays, about,
                       detail::law_text(residual_, warp_, calibration_, shrinkage_));
    if (references_) io::append_references(*references_, arrays, about);
    io::write_safetensors(path, std::move(arrays), about, keep);
  }
  /// A file of `save` or `io::write_model`, or a checkpoint. A residual law, a warp or a calibration that is
  /// not known is refused.
  static Surrogate load(const std::filesystem::path& path) {
    const io::SafetensorsReader file(path);
    auto loaded = io::read_model<M>(file, [](const std::string& name, const io::LawText& law) {
      try {
        AnyResidual::parse(law.residual);
        detail::warp_of(law).require_channels(M::ShapeType::channels);
        detail::calibration_of(law);
        detail::shrinkage_of(law);
      } catch (const Error& error) {
        io::refuse(name, "expected a law that this library knows, found ", law.str(), " (", error.what(),
                   ")");
      }
    });
    Surrogate result(std::move(loaded.model), std::move(loaded.normaliser),
                     AnyResidual::parse(loaded.law.residual), detail::warp_of(loaded.law),
                     std::move(loaded.metadata));
    result.calibration_ = detail::calibration_of(loaded.law);
    result.shrinkage_ = detail::shrinkage_of(loaded.law);
    result.references_ = io::read_references<T, D>(file, M::ShapeType::channels, result.model_.domain());
    return result;
  }

 private:
  /// The condition with `count` draws and this noise, for an operator with noise inside.
  static Condition<T, D> visited(Condition<T, D> condition, Index count, std::uint64_t seed) {
    condition.draws = count;
    condition.noise = seed;
    return condition;
  }
  /// Calls back(own, own_bar) with the condition in the model's own coordinates and a place for its
  /// cotangents; ū_0 += x̄/(scale · w'(z)).
  template <class Back>
  void pulled_back(const Condition<T, D>& condition, const ConditionBar<T, D>& bar, Back&& back) const {
    Field<T, D> z = copy_of(condition.initial);
    to_law_coordinates(z, warp_);
    Field<T, D> x = z;
    normaliser_.apply(x);
    Condition<T, D> own = condition;
    own.initial = std::as_const(x).view();
    ConditionBar<T, D> own_bar = bar;
    Field<T, D> xbar;
    if (bar.initial) {
      xbar = Field<T, D>(x.batch(), x.grid(), x.channels());
      own_bar.initial = xbar.view();
    }
    back(own, own_bar);
    if (!bar.initial) return;
    normaliser_.apply_to_spread(xbar);
    for (Index r = 0; r < x.batch() * x.points(); ++r)
      for (Index c = 0; c < x.channels(); ++c) {
        const Index i = r * x.channels() + c;
        bar.initial.row(r)[c] += T(double(xbar.data()[i]) / warp_.slope(double(z.data()[i]), c));
      }
  }
  /// values · w'(z)
  void times_slope(const Field<T, D>& z, Field<T, D>& values) const {
    for (std::size_t i = 0; i < z.size(); ++i)
      values.data()[i] =
          T(double(values.data()[i]) * warp_.slope(double(z.data()[i]), Index(i) % z.channels()));
  }
  /// Where the model left x unchanged, puts into `to` the values that x was made of, bit for bit.
  static void put_back(const Field<T, D>& predicted, const Field<T, D>& x, View<const T, D> given,
                       Field<T, D>& to) {
    const Index channels = x.channels(), rows = x.batch() * x.points(), each = to.batch() / x.batch();
    for (Index r = 0; r < rows * each; ++r) {
      const Index from = r / (x.points() * each) * x.points() + r % x.points();  // of the same condition
      for (Index c = 0; c < channels; ++c)
        if (detail::same_bits(predicted.data()[r * channels + c], x.data()[from * channels + c]))
          to.data()[r * channels + c] = given.row(from)[c];
    }
  }
  static Field<T, D> copy_of(View<const T, D> view) {
    Field<T, D> copy(view.batch, view.grid, view.channels);
    const Index points = view.points();
    for (Index b = 0; b < view.batch; ++b)
      for (Index p = 0; p < points; ++p)
        for (Index c = 0; c < view.channels; ++c) copy(b, p, c) = view(b, p, c);
    return copy;
  }

  M model_;
  Normaliser normaliser_;
  AnyResidual residual_;
  AnyWarp warp_;
  io::Metadata about_;
  double shrinkage_ = 0;
  std::optional<metric::Calibration> calibration_{};
  std::optional<metric::References<T, D>> references_{};
};

}  // namespace mno
