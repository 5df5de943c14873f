#pragma once
// Draws of a condition in pairs: with its members, and with each other.
//
// A fair score of draws x_1 … x_S against members y_1 … y_M, with a distance ρ, is
//
//   (1/SM) Σ_{i,j} ρ(x_i, y_j) − 1/(2S(S−1)) Σ_{i≠j} ρ(x_i, x_j)
//
// Its expectation does not depend on S or M: every pair is one of independent fields. If ρ is of negative
// type, the law of the members has the smallest one.
//   C. A. T. Ferro, "Fair scores for ensemble forecasts", 2014.
//
// A draw x_i has M + S partners p_j: the members, and then the draws, itself among them with weight 0. A step
// may look at only a few of many members, and at the next ones in the next step: on average the score is the
// same.
#include <cmath>

#include "mno/core/host_device.hpp"
#include "mno/loss/need.hpp"

namespace mno::detail {

template <class T, int D> struct DrawPairs {
  DrawBlock<T, D> block;
  Target<T, D> target;

  /// M of the b-th condition of the block. Where members are not kept, the mean counts as the only one.
  MNO_HOST_DEVICE Index members(Index b) const {
    const Index all = target.members ? target.count(block.first + b) : 1;
    return block.members > 0 && block.members < all ? block.members : all;
  }
  MNO_HOST_DEVICE Index partners(Index b) const { return members(b) + block.draws; }
  MNO_HOST_DEVICE double entries() const { return double(block.value.points() * block.value.channels); }

  /// The weight of ρ(x_i, p_j) in the score, and that of its derivative in x_i: twice that for two draws,
  /// since the sum has each pair twice.
  MNO_HOST_DEVICE double weight(Index b, Index i, Index j) const {
    const double s = double(block.draws);
    const Index m = members(b);
    if (j < m) return 1 / (s * double(m));
    return j - m == i ? 0 : -0.5 / (s * (s - 1));
  }
  MNO_HOST_DEVICE double slope(Index b, Index i, Index j) const {
    return weight(b, i, j) * (j < members(b) ? 1 : 2);
  }

  /// The numbers of a field: at point p, channel c in data[p · pitch + c].
  struct Numbers {
    const T* data;
    Index pitch;
    MNO_HOST_DEVICE double operator()(Index p, Index c) const { return double(data[p * pitch + c]); }
  };
  MNO_HOST_DEVICE Numbers draw(Index b, Index i) const { return numbers(block.value, b * block.draws + i); }
  MNO_HOST_DEVICE Numbers partner(Index b, Index j) const {
    const Index m = members(b), sample = block.first + b;
    if (j >= m) return draw(b, j - m);
    if (!target.members) return numbers(target.mean, sample);
    const Index all = target.count(sample), turn = Index(target.step % std::uint64_t(all)) * block.members;
    return numbers(target.members, target.first_member(sample) + (turn + j) % all);
  }

 private:
  MNO_HOST_DEVICE static Numbers numbers(const View<const T, D>& fields, Index sample) {
    return {&fields(sample, 0, 0), fields.pitch};
  }
};

/// √(q + ε²), smooth where q = 0: there √q has no derivative. Like √q it is of negative type as a function of
/// a difference's square, so that a score of it has its smallest expectation at the truth.
MNO_HOST_DEVICE inline double smooth_root(double q, double epsilon) {
  return std::sqrt(q + epsilon * epsilon);
}

/// At least two draws, and members: all of them, or one that is the mean.
template <class T, int D>
void require_draws(const char* term, const DrawBlock<T, D>& block, const Target<T, D>& target) {
  require(block.draws >= 2, term, "draws", Text("at least two: one has no spread"), Text(block.draws));
  require(block.value.batch % block.draws == 0, term, "draws",
          Text("a multiple of ", block.draws, " fields, whole conditions"), Text(block.value.batch));
  require_mean(term, LawBlock<T, D>{block.first, block.value.samples(0, block.conditions()), {}, {}, {}},
               target);
  if (target.members || target.counts.empty()) return;
  for (Index b = 0; b < block.conditions(); ++b)
    require(target.count(block.first + b) == 1, term, "target.members",
            Text("the members themselves, as there are several"), Text("their mean"));
}

}  // namespace mno::detail
