#pragma once
// Coordinates of order one: u ↦ (u − shift)/scale per channel, fitted on training data, stored with the
// model, undone on prediction. Data of a warped law go to its own coordinates before
// (law/coordinates.hpp), so that shift and scale act below the warp, which the law keeps.
#include <cmath>
#include <vector>

#include "mno/data/ensemble.hpp"
#include "mno/law/law.hpp"

namespace mno {

struct Normaliser {
  std::vector<double> shift, scale;  // (channel)

  static Normaliser identity(Index channels) {
    return {std::vector<double>(std::size_t(channels), 0.0), std::vector<double>(std::size_t(channels), 1.0)};
  }

  /// One mean and one standard deviation of u_T per channel, over conditions, points and members.
  template <class T, int D> static Normaliser fit(const Ensemble<T, D>& data) {
    Normaliser result = identity(data.channels());
    const double n = double(data.size() * data.mean.points());
    for (Index c = 0; c < data.channels(); ++c) {
      double mean = 0, square = 0;
      for (Index e = 0; e < data.size(); ++e)
        for (Index p = 0; p < data.mean.points(); ++p) mean += double(data.mean(e, p, c)) / n;
      for (Index e = 0; e < data.size(); ++e) {
        const double m = double(data.counts[std::size_t(e)]);
        for (Index p = 0; p < data.mean.points(); ++p)
          square += (std::pow(double(data.mean(e, p, c)) - mean, 2) +
                     double(data.variance(e, p, c)) * (m - 1) / m) /
                    n;
      }
      require(std::isfinite(square) && square > 0, "Normaliser::fit", "data",
              Text("a channel ", c, " that varies"), Text("variance ", square));
      result.shift[std::size_t(c)] = mean;
      result.scale[std::size_t(c)] = std::sqrt(square);
    }
    return result;
  }

  // u ↦ (u − shift)/scale for fields of values; spreads (factors) are divided by the scale, variances by its
  // square.
  template <class T, int D> void apply(Field<T, D>& values) const {
    each(values, [](double u, double a, double s) { return (u - a) / s; });
  }
  template <class T, int D> void undo(Field<T, D>& values) const {
    each(values, [](double u, double a, double s) { return u * s + a; });
  }
  template <class T, int D> void apply_to_spread(Field<T, D>& values) const {
    each(values, [](double b, double, double s) { return b / s; });
  }
  template <class T, int D> void undo_on_spread(Field<T, D>& values) const {
    each(values, [](double b, double, double s) { return b * s; });
  }
  template <class T, int D> void apply_to_variance(Field<T, D>& values) const {
    each(values, [](double v, double, double s) { return v / (s * s); });
  }

  template <class T, int D> void apply(Ensemble<T, D>& data) const {
    apply(data.initial);
    apply(data.mean);
    apply_to_variance(data.variance);
    apply_to_spread(data.covariance_factor);
    apply(data.members);
  }
  template <class T, int D, class R, class W> void undo(Law<T, D, R, W>& law) const {
    undo(law.mean);
    undo_on_spread(law.factor);
    undo_on_spread(law.nugget);
  }

 private:
  /// Channel j·C + c belongs to channel c of u.
  template <class T, int D, class F> void each(Field<T, D>& field, F f) const {
    const Index channels = Index(shift.size());
    require(field.size() == 0 || field.channels() % channels == 0, "Normaliser", "field",
            Text("a multiple of ", channels, " channel(s)"), Text(field.channels()));
    for (std::size_t i = 0; i < field.size(); ++i) {
      const auto c = std::size_t(Index(i) % field.channels() % channels);
      field.data()[i] = T(f(double(field.data()[i]), shift[c], scale[c]));
    }
  }
};

}  // namespace mno
