#pragma once
// A batch of training conditions side by side, in memory that is taken once.
#include "mno/data/ensemble.hpp"

namespace mno {

template <class T, int D> class Batch {
 public:
  Batch(const Ensemble<T, D>& like, Index capacity) : capacity_(capacity) {
    const auto rows = [](const Field<T, D>& field, Index batch) {
      return field.size() == 0 ? Field<T, D>() : Field<T, D>(batch, field.grid(), field.channels());
    };
    conditions_ = {rows(like.initial, capacity),
                   std::vector<T>(std::size_t(capacity)),
                   std::vector<Index>(std::size_t(capacity)),
                   std::vector<Index>(std::size_t(capacity)),
                   rows(like.mean, capacity),
                   rows(like.variance, capacity),
                   rows(like.covariance_factor, capacity),
                   rows(like.members, most_members(like.counts, capacity)),
                   like.known.batch() == 1 ? like.known : rows(like.known, capacity),
                   std::vector<Index>(std::size_t(capacity) + 1)};
  }

  Index capacity() const { return capacity_; }

  void gather(const Ensemble<T, D>& from, std::span<const Index> conditions) {
    count_ = Index(conditions.size());
    copy_conditions(from.initial, conditions, conditions_.initial);
    copy_conditions(from.mean, conditions, conditions_.mean);
    copy_conditions(from.variance, conditions, conditions_.variance);
    copy_conditions(from.covariance_factor, conditions, conditions_.covariance_factor);
    if (from.known.batch() != 1) copy_conditions(from.known, conditions, conditions_.known);
    for (std::size_t i = 0; i < std::size_t(count_); ++i) {
      conditions_.times[i] = from.times[std::size_t(conditions[i])];
      conditions_.counts[i] = from.counts[std::size_t(conditions[i])];
    }
    if (from.members.size() > 0)
      gather_members<T, D>(from, conditions, counts(),
                           std::span(conditions_.offsets).first(std::size_t(count_) + 1),
                           conditions_.members.data());
  }

  Condition<T, D> condition() const {
    Condition<T, D> c{std::as_const(conditions_.initial).view().samples(0, count_),
                      {conditions_.times.data(), std::size_t(count_)}};
    if (conditions_.known.size() > 0)
      c.known = conditions_.known.batch() == 1 ? conditions_.known.view()
                                               : conditions_.known.view().samples(0, count_);
    return c;
  }
  Target<T, D> target() const {
    const auto part = [&](const Field<T, D>& field, Index rows) {
      return field.size() == 0 ? View<const T, D>() : field.view().samples(0, rows);
    };
    Target<T, D> target{part(conditions_.mean, count_),
                        part(conditions_.variance, count_),
                        counts(),
                        part(conditions_.covariance_factor, count_),
                        {},
                        part(conditions_.initial, count_)};
    if (conditions_.members.size() > 0) {
      target.offsets = std::span(conditions_.offsets).first(std::size_t(count_) + 1);
      target.members = part(conditions_.members, target.offsets.back());
    }
    return target;
  }

 private:
  std::span<const Index> counts() const { return {conditions_.counts.data(), std::size_t(count_)}; }

  Index capacity_, count_ = 0;
  Ensemble<T, D> conditions_;
};

}  // namespace mno
