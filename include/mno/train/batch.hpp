#pragma once
// A batch of training conditions side by side, in memory that is taken once.
#include "mno/data/ensemble.hpp"

namespace mno {

template <class T, int D> class Batch {
 public:
  Batch(const Ensemble<T, D>& like, Index capacity) : capacity_(capacity) {
    const auto rows = [&](const Field<T, D>& field, Index each) {
      return field.size() == 0 ? Field<T, D>() : Field<T, D>(capacity * each, field.grid(), field.channels());
    };
    kept_ = like.members.size() > 0 ? like.members.batch() / like.size() : 0;
    conditions_ = {rows(like.initial, 1),
                   std::vector<T>(std::size_t(capacity)),
                   std::vector<Index>(std::size_t(capacity)),
                   std::vector<Index>(std::size_t(capacity)),
                   rows(like.mean, 1),
                   rows(like.variance, 1),
                   rows(like.covariance_factor, 1),
                   rows(like.members, std::max<Index>(kept_, 1)),
                   like.known.batch() == 1 ? like.known : rows(like.known, 1)};
  }

  Index capacity() const { return capacity_; }

  void gather(const Ensemble<T, D>& from, std::span<const Index> conditions) {
    count_ = Index(conditions.size());
    const auto copy = [&](const Field<T, D>& source, Field<T, D>& to, Index each) {
      if (source.size() == 0) return;
      const Index n = each * source.points() * source.channels();
      for (Index i = 0; i < count_; ++i)
        std::copy_n(source.data() + conditions[std::size_t(i)] * n, n, to.data() + i * n);
    };
    copy(from.initial, conditions_.initial, 1);
    copy(from.mean, conditions_.mean, 1);
    copy(from.variance, conditions_.variance, 1);
    copy(from.covariance_factor, conditions_.covariance_factor, 1);
    copy(from.members, conditions_.members, kept_);
    if (from.known.batch() != 1) copy(from.known, conditions_.known, 1);
    for (std::size_t i = 0; i < std::size_t(count_); ++i) {
      conditions_.times[i] = from.times[std::size_t(conditions[i])];
      conditions_.counts[i] = from.counts[std::size_t(conditions[i])];
    }
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
    const auto part = [&](const Field<T, D>& field, Index each) {
      return field.size() == 0 ? View<const T, D>() : field.view().samples(0, count_ * each);
    };
    return {part(conditions_.mean, 1),
            part(conditions_.variance, 1),
            {conditions_.counts.data(), std::size_t(count_)},
            part(conditions_.covariance_factor, 1),
            part(conditions_.members, kept_),
            part(conditions_.initial, 1)};
  }

 private:
  Index capacity_, count_ = 0, kept_ = 0;
  Ensemble<T, D> conditions_;
};

}  // namespace mno
