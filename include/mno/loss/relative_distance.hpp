#pragma once
// Terms that compare the law with the ensemble, one sample at a time: a relative distance ‖x − y‖/‖y‖.
#include "mno/loss/entry.hpp"

namespace mno::detail {

/// The value of a term on one sample, and what its derivative is scaled by; weights are included.
struct SampleTerm {
  double value = 0, factor = 0;
};

/// Σ (x − y)² and Σ y² over some entries.
struct SquareSums {
  double difference = 0, reference = 0;
  MNO_HOST_DEVICE SquareSums& operator+=(const SquareSums& other) {
    difference += other.difference;
    reference += other.reference;
    return *this;
  }
};

/// weight ‖x − y‖ / (‖y‖ + tiny), ‖·‖ the root mean square over n entries. Its derivative in x is
///   weight (x − y) / (n ‖x − y‖ (‖y‖ + tiny)), and 0 where x = y everywhere
MNO_HOST_DEVICE inline SampleTerm relative_distance(const SquareSums& sums, double n, double tiny,
                                                    double weight) {
  const double distance = std::sqrt(sums.difference / n), size = std::sqrt(sums.reference / n) + tiny;
  return {weight * distance / size, distance == 0 ? 0.0 : weight / (n * distance * size)};
}

/// x − y and y at one entry, and which moment of the law x is.
struct Compared {
  double difference, reference;
};
enum class Moment { mean, variance };

/// term.compare(m, v, target) → Compared, with the law's moment Term::moment as x.
template <class Term>
concept RelativeLoss = requires(const Term& term, double x, const EntryTarget& e) {
  { term.compare(x, x, e) } -> std::same_as<Compared>;
};
/// At one entry of a law, whose samples are counted from 0.
template <RelativeLoss Term, class T, int D>
MNO_HOST_DEVICE Compared compare(const Term& term, const LawBlock<T, D>& law, const Target<T, D>& target,
                                 Index b, Index point, Index channel) {
  const Index row = b * law.mean.points() + point;
  return term.compare(double(law.mean.row(row)[channel]), variance_at(law, row, channel),
                      entry_target(target, law.first + b, point, channel));
}
MNO_HOST_DEVICE inline SquareSums squares(const Compared& at) {
  return {at.difference * at.difference, at.reference * at.reference};
}
/// x̄ += bar
template <RelativeLoss Term, class T, int D>
MNO_HOST_DEVICE void add_bar(const LawBlock<T, D>& law, Index row, Index channel, double bar) {
  if constexpr (Term::moment == Moment::mean)
    law.mean_bar.row(row)[channel] += T(bar);
  else
    add_variance_bar(law, row, channel, bar);
}

/// Σ_samples weight · (relative distance)
template <RelativeLoss Term, class T, int D>
double sum_distances(const Term& term, const LawBlock<T, D>& law, const Target<T, D>& target, double weight) {
  const Index points = law.mean.points(), channels = law.mean.channels;
  double total = 0;
  for (Index b = 0; b < law.mean.batch; ++b) {
    SquareSums sums;
    for (Index x = 0; x < points; ++x)
      for (Index c = 0; c < channels; ++c) sums += squares(compare(term, law, target, b, x, c));
    const SampleTerm sample = relative_distance(sums, double(points * channels), term.tiny, weight);
    total += sample.value;
    if (sample.factor == 0) continue;
    for (Index x = 0; x < points; ++x)
      for (Index c = 0; c < channels; ++c)
        add_bar<Term>(law, b * points + x, c, sample.factor * compare(term, law, target, b, x, c).difference);
  }
  return total;
}

}  // namespace mno::detail
