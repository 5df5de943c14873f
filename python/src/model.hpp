#pragma once
// Training and prediction by the operators that are compiled on demand, as the program mno has them.
#include <from_data.hpp>
#include <kind_list.hpp>
#include <mno/law/empirical.hpp>
#include <mutex>
#include <operators.hpp>

#include "law.hpp"
#include "ranks.hpp"
#include "session.hpp"

namespace package {

/// All operators of this process. Headers are beside this library, where the package is installed.
demand::Operators& operators();

/// A model file that is loaded. It may be asked from several threads: one after the other is answered.
class Model {
 public:
  Model(const std::string& file, int threads, nb::callable say) : operator_(found(file, std::move(say))) {
    const nb::gil_scoped_release released;
    demand::in_dimension(operator_, [&](const auto& one) { predictor_ = one.load(file, threads); });
  }

  demand::ShapeNumbers shape() const { return operator_.shape(); }
  std::size_t parameters() const { return operator_.parameters(); }
  bool stochastic() const { return operator_.stochastic(); }
  bool gives_law() const {
    return std::visit([](const auto& one) { return one->gives_law() || !one->gives_draws(); }, predictor_);
  }
  std::string warp() const {
    return std::visit([](const auto& one) { return one->warp().text(); }, predictor_);
  }
  std::vector<double> length() const {
    return std::visit(
        [](const auto& one) {
          const auto& all = one->domain().length;
          return std::vector<double>(all.begin(), all.end());
        },
        predictor_);
  }

  AnyLaw predict(const Floats& u0, const Floats& t, const std::optional<Floats>& fields) {
    const nb::gil_scoped_release released;
    const std::lock_guard lock(mutex_);
    return std::visit(
        [&]<int D>(const std::unique_ptr<demand::Predictor<D>>& one) {
          const Asked<D> asked(*one, shape(), u0, t, fields);
          return AnyLaw(one->predict(asked.condition));
        },
        predictor_);
  }
  /// The adjoint of predict: cotangents of mean, factor and nugget in the law's coordinates, (sample,
  /// channel, x…) each, in; those of u_0 and t out.
  std::pair<Result, Result> vjp(const Floats& u0, const Floats& t, const std::optional<Floats>& fields,
                                const Floats& mean_bar, const Floats& factor_bar,
                                const std::optional<Floats>& nugget_bar) {
    struct Bars {
      Values initial;
      std::vector<float> times;
    };
    Bars bars = [&] {
      const nb::gil_scoped_release released;
      const std::lock_guard lock(mutex_);
      return std::visit(
          [&]<int D>(const std::unique_ptr<demand::Predictor<D>>& one) {
            const Asked<D> asked(*one, shape(), u0, t, fields);
            const auto bar = [&](const char* name, const Floats& given) {
              return field_of<D>("vjp", name, given, one->domain());
            };
            auto [initial, times] = one->vjp(
                asked.condition,
                mno::Law<float, D>(bar("mean_bar", mean_bar), bar("factor_bar", factor_bar),
                                   nugget_bar ? bar("nugget_bar", *nugget_bar) : mno::Field<float, D>()));
            return Bars{Values(initial), std::move(times)};
          },
          predictor_);
    }();
    const std::size_t samples = bars.times.size();
    return {std::move(bars.initial).array(), array_of(std::move(bars.times), {samples})};
  }
  /// (sample·draw, channel, x…), of a law or of noise inside.
  Result draws(const Floats& u0, const Floats& t, const std::optional<Floats>& fields, Index count,
               std::uint64_t seed) {
    const auto drawn = [&] {
      const nb::gil_scoped_release released;
      const std::lock_guard lock(mutex_);
      return std::visit(
          [&]<int D>(const std::unique_ptr<demand::Predictor<D>>& one) {
            Asked<D> asked(*one, shape(), u0, t, fields);
            mno::require(count >= 1, "draws", "n", mno::Text("at least one draw"), mno::Text(count));
            mno::require(one->stochastic() || one->gives_draws(), "draws", "operator",
                         mno::Text("one with a law or with noise inside"),
                         mno::Text("one that gives a field: it has no spread"));
            if (!one->gives_draws()) return Values(mno::sample(one->predict(asked.condition), count, seed));
            asked.condition.draws = count;
            asked.condition.noise = seed;
            return Values(one->draws(asked.condition));
          },
          predictor_);
    };
    return drawn().array();
  }

 private:
  /// A condition with the fields that it refers to.
  template <int D> struct Asked {
    mno::Field<float, D> initial, known;
    mno::Condition<float, D> condition{};

    Asked(const demand::Predictor<D>& one, const demand::ShapeNumbers& shape, const Floats& u0,
          const Floats& t, const std::optional<Floats>& fields)
        : initial(field_of<D>("predict", "u0", u0, one.domain())) {
      require_finite<D>("predict", "u0", initial);
      mno::require(initial.channels() == shape.channels, "predict", "u0",
                   mno::Text("the model's ", shape.channels, " channel(s)"), mno::Text(initial.channels()));
      const Index times = Index(t.size());
      mno::require(t.ndim() == 1 && (times == 1 || times == initial.batch()), "predict", "t",
                   mno::Text("one time, or one for each of ", initial.batch(), " samples"),
                   mno::Text(io::to_string(shape_of(t))));
      if (fields) {
        known = field_of<D>("predict", "fields", *fields, one.domain());
        require_finite<D>("predict", "fields", known);
        condition.known = std::as_const(known).view();
      }
      condition.initial = std::as_const(initial).view();
      condition.times = {t.data(), t.size()};
    }
    Asked(const Asked&) = delete;
  };

  static demand::Operator found(const std::string& file, nb::callable say) {
    Session session(std::move(say));
    const nb::gil_scoped_release released;
    return operators().of_model(file);
  }

  demand::Operator operator_;
  std::mutex mutex_{};
  std::variant<std::unique_ptr<demand::Predictor<1>>, std::unique_ptr<demand::Predictor<2>>,
               std::unique_ptr<demand::Predictor<3>>>
      predictor_{};
};

/// Trains on arrays u0, uT, t and what may stand beside them, and writes the model file. `together`: None, or
/// ranks (ranks.hpp) that all call it alike; the data of the first one counts, and it writes the files.
nb::dict fit(const std::map<std::string, Given>& data,
             const std::optional<std::map<std::string, Given>>& validation, const nb::dict& options,
             const std::string& model, const std::string& checkpoint, nb::callable say,
             nb::callable after_epoch, const nb::object& together);

}  // namespace package
