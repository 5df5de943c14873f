#pragma once
// What pointwise metrics look at: one initial condition at a time, its fields flattened to n = points·C
// entries (x·C + c) and taken to double whatever the scalar.
//
//   ū = (1/M) Σ_j u_j,   s² = (1/(M−1)) Σ_j (u_j − ū)²
//
// A law, a deterministic prediction and an ensemble all have moments, so every metric of moments serves all
// three.
#include <Eigen/Core>
#include <cmath>
#include <utility>

#include "mno/core/in_double.hpp"
#include "mno/law/moments.hpp"

namespace mno::metric {

/// The members or draws of one condition: n × M, a field per column.
using Members = Eigen::MatrixXd;

template <class T, int D> Members members(View<const T, D> fields) {
  require(bool(fields) && fields.batch >= 1, "metric::members", "fields", Text("at least one field"),
          Text(fields.batch));
  const Index points = fields.points(), channels = fields.channels;
  Members result(points * channels, fields.batch);
  for (Index j = 0; j < fields.batch; ++j)
    for (Index x = 0; x < points; ++x)
      for (Index c = 0; c < channels; ++c) result(x * channels + c, j) = double(fields(j, x, c));
  return result;
}
template <class T, int D> Members members(const Field<T, D>& fields) { return members(fields.view()); }

/// The members of one condition, from all in the order (condition, member) with `count` each.
template <class T, int D> Members members(View<const T, D> all, Index condition, Index count) {
  require(count >= 1 && condition >= 0 && (condition + 1) * count <= all.batch, "metric::members",
          "condition", Text("fewer than ", count >= 1 ? all.batch / count : 0, " conditions of ", count),
          Text("condition ", condition));
  return members(all.samples(condition * count, count));
}

/// Mean and variance of every entry.
struct Moments {
  Eigen::VectorXd mean;      // n
  Eigen::VectorXd variance;  // n
  Index count = 0;           // members that they were estimated from; 0 if they are a law's own

  Index size() const { return mean.size(); }
};

/// Of an ensemble, with the variance divided by M − 1.
template <class Own = void> Moments moments(const Members& members) {
  const mno::detail::MatrixIn<Own>& ensemble = members;
  const Index m = ensemble.cols();
  require(m >= 2, "metric::moments", "ensemble", Text("at least two members, for a variance"), Text(m));
  using Vector = mno::detail::VectorIn<Own>;
  Vector mean = ensemble.rowwise().mean(), squares = Vector::Zero(ensemble.rows());
  for (Index j = 0; j < m; ++j) squares += (ensemble.col(j) - mean).cwiseAbs2();
  squares /= double(m - 1);
  return {std::move(mean), std::move(squares), m};
}

/// Of one sample of a law, in the user's units: m and Σ_k B_k² + η² if it has no warp.
template <class T, int D, class R, class W> Moments moments(const Law<T, D, R, W>& law, Index sample) {
  mno::detail::require_sample("metric::moments", law, sample);
  Moments result{Eigen::VectorXd(law.size()), Eigen::VectorXd(law.size()), 0};
  for (Index i = 0; i < law.size(); ++i) {
    const MeanAndVariance u = mno::detail::entry_moments(law, sample * law.size() + i);
    result.mean[i] = u.mean;
    result.variance[i] = u.variance;
  }
  return result;
}

/// Of a deterministic prediction: no variance.
inline Moments point_mass(Eigen::VectorXd prediction) {
  const Index n = prediction.size();
  return {std::move(prediction), Eigen::VectorXd::Zero(n), 0};
}

namespace detail {

inline void require_entries(const char* metric, const char* argument, Index expected, Index got) {
  require(expected >= 1 && got == expected, metric, argument, Text(expected, " entries as the model has"),
          Text(got));
}
inline void require_finite(const char* metric, const char* argument, const Members& values) {
  bool finite = true;
  for (Index i = 0; i < values.size(); ++i) finite = finite && std::isfinite(values.data()[i]);
  require(finite, metric, argument, Text("finite values"), Text("a NaN or an infinity"));
}

/// Σ/n, of entries or of conditions.
struct Average {
  double sum = 0;
  Index count = 0;

  void add(double value, Index terms = 1) {
    sum += value;
    count += terms;
  }
  double value(const char* metric) const {
    require(count >= 1, metric, "add", Text("at least one condition before the value is asked for"),
            Text("none"));
    return sum / double(count);
  }
};

}  // namespace detail
}  // namespace mno::metric
