#pragma once
// The baselines that a law has to beat on measured data: cheap means, each with the covariance of its
// residuals.
//
//   climatology           no anomaly
//   persistence           u_0
//   damped persistence    a(place, channel) u_0, by least squares
//   linear                W u_0, by least squares with a penalty λ‖W‖² that is chosen on validation
//
// Conditions with the same known field belong to one place, such as a circle of latitude. Data without known
// fields has one place.
#include <Eigen/Cholesky>
#include <limits>
#include <mno/metric/residual_covariance.hpp>
#include <set>

namespace experiment::measured {

using mno::Index;
using Data = mno::Ensemble<float, 1>;
using Field = mno::Field<float, 1>;
using Law = mno::Law<float, 1>;
using Variances = std::vector<double>;  // (channel)

/// Which place a condition belongs to, counted in the order of their first known field.
class Places {
 public:
  explicit Places(const Data& data) {
    for (Index s = 0; s < data.size(); ++s) values_.insert(value(data, s));
  }
  Index count() const { return Index(values_.size()); }
  Index of(const Data& data, Index condition) const {
    return Index(std::distance(values_.begin(), values_.find(value(data, condition))));
  }
  /// The known field of each.
  std::vector<double> values() const { return {values_.begin(), values_.end()}; }

 private:
  static float value(const Data& data, Index condition) {
    return data.known.batch() == data.size() ? data.known(condition, 0, 0) : 0;
  }
  std::set<float> values_{};
};

/// Means of the three parts of the data, by one method.
struct Means {
  Field train, validation, test;
};

inline Variances mean_square(const Field& means, const Data& data) {
  Variances result(std::size_t(data.channels()), 0.0);
  for (std::size_t i = 0; i < means.size(); ++i) {
    const double error = double(means.data()[i]) - double(data.mean.data()[i]);
    result[i % result.size()] += error * error * double(result.size()) / double(means.size());
  }
  return result;
}

inline Field damped(const Data& data, const Places& places, const Eigen::MatrixXd& coefficients) {
  Field means = data.initial;
  for (Index s = 0; s < data.size(); ++s)
    for (Index p = 0; p < means.points(); ++p)
      for (Index c = 0; c < means.channels(); ++c)
        means(s, p, c) *= float(coefficients(places.of(data, s), c));
  return means;
}
/// a = Σ u_0 u / Σ u_0² of every place and channel.
inline Eigen::MatrixXd damping(const Data& data, const Places& places) {
  Eigen::MatrixXd both = Eigen::MatrixXd::Zero(places.count(), data.channels()), square = both;
  for (Index s = 0; s < data.size(); ++s)
    for (Index p = 0; p < data.initial.points(); ++p)
      for (Index c = 0; c < data.channels(); ++c) {
        const double u0 = double(data.initial(s, p, c)), u = double(data.mean(s, p, c));
        both(places.of(data, s), c) += u0 * u;
        square(places.of(data, s), c) += u0 * u0;
      }
  return both.cwiseQuotient(square);
}

using Matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
inline Eigen::Map<const Matrix> rows(const Field& field) {  // (condition, entry)
  return {field.data(), field.batch(), Index(field.size()) / field.batch()};
}
inline Field linear(const Data& data, const Eigen::MatrixXd& weights) {
  Field means(data.size(), data.grid(), data.channels());
  Eigen::Map<Matrix>(means.data(), data.size(), weights.cols()) = rows(data.initial) * weights.cast<float>();
  return means;
}
/// W = (XᵀX + λI)⁻¹XᵀY, with the λ that leaves least on validation.
inline Eigen::MatrixXd linear_weights(const Data& train, const Data& validation) {
  const Eigen::MatrixXd x = rows(train.initial).cast<double>(), y = rows(train.mean).cast<double>();
  const Eigen::MatrixXd square = x.transpose() * x, both = x.transpose() * y;
  Eigen::MatrixXd best;
  double least = std::numeric_limits<double>::infinity();
  for (const double penalty : {1e-4, 1e-3, 1e-2, 1e-1, 1.0, 10.0}) {
    const Eigen::MatrixXd penalised =
        square + penalty * double(x.rows()) * Eigen::MatrixXd::Identity(x.cols(), x.cols());
    const Eigen::MatrixXd weights = penalised.ldlt().solve(both);
    double left = 0;
    for (const double one : mean_square(linear(validation, weights), validation)) left += one;
    if (left < least) {
      least = left;
      best = weights;
    }
  }
  return best;
}

/// The covariance of residuals, of all places together or of each by itself. Its form comes from training
/// residuals. Its size, per channel, comes from validation, because training residuals are too small.
class Spread {
 public:
  Spread(const Means& means, const Data& train, const Data& validation, const Places& places, Index rank,
         bool by_place)
      : places_(places), by_place_(by_place) {
    const Index count = by_place ? places.count() : 1, n = Index(train.mean.size()) / train.size();
    std::vector<mno::metric::Residuals<float, 1>> residuals(std::size_t(count),
                                                            {train.grid(), train.channels()});
    std::vector<Variances> squares(std::size_t(count), Variances(std::size_t(train.channels()), 0.0));
    std::vector<double> entries(std::size_t(count), 0.0);  // of one channel
    for (Index s = 0; s < train.size(); ++s) {
      const auto at = std::size_t(place(train, s));
      residuals[at].add(means.train, s, mno::metric::members(train.members_of(s)));
      for (Index i = 0; i < n; ++i)
        squares[at][std::size_t(i % train.channels())] +=
            std::pow(double(means.train.data()[s * n + i]) - double(train.mean.data()[s * n + i]), 2);
      entries[at] += double(n / train.channels());
    }
    const Variances seen = mean_square(means.train, train),
                    others = mean_square(means.validation, validation);
    for (std::size_t at = 0; at < residuals.size(); ++at) {
      Variances size = squares[at];
      for (std::size_t c = 0; c < size.size(); ++c) size[c] *= others[c] / (seen[c] * entries[at]);
      covariances_.push_back(residuals[at].covariance(rank, size));
    }
  }
  Law around(const Field& means, const Data& data) const {
    const auto& first = covariances_.front();
    Field factor(means.batch(), means.grid(), first.factor.channels()),
        nugget(means.batch(), means.grid(), means.channels());
    for (Index s = 0; s < means.batch(); ++s) {
      const auto& own = covariances_[std::size_t(place(data, s))];
      std::copy_n(own.factor.data(), own.factor.size(), factor.data() + s * Index(own.factor.size()));
      std::copy_n(own.nugget.data(), own.nugget.size(), nugget.data() + s * Index(own.nugget.size()));
    }
    return {means, std::move(factor), std::move(nugget)};
  }

 private:
  Index place(const Data& data, Index condition) const { return by_place_ ? places_.of(data, condition) : 0; }

  const Places& places_;
  bool by_place_;
  std::vector<mno::metric::FixedCovariance<float, 1>> covariances_{};
};

}  // namespace experiment::measured
