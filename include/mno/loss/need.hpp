#pragma once
// What a term of a loss asks for before it begins: a sentence if the target or the law does not have it.
#include "mno/data/target.hpp"
#include "mno/law/block.hpp"

namespace mno::detail {

template <class T, int D>
void require_mean(const char* term, const LawBlock<T, D>& law, const Target<T, D>& target) {
  const auto &m = law.mean, &u = target.mean;
  require(
      u && u.grid == m.grid && u.channels == m.channels && law.first + m.batch <= u.batch, term,
      "target.mean",
      Text("at least ", law.first + m.batch, " sample(s) of ", m.channels, " channel(s) on ", m.grid.str()),
      Text(u.batch, " of ", u.channels, " on ", u.grid.str()));
}

template <class T, int D> void require_factor(const char* term, const LawBlock<T, D>& law) {
  require(bool(law.factor) && bool(law.factor_bar), term, "law", Text("a law with mean and factor"),
          Text("a field without a factor"));
}

/// At least `least` members, and their variance if there is more than one.
template <class T, int D>
void require_variance(const char* term, const LawBlock<T, D>& law, const Target<T, D>& target, Index least) {
  require_mean(term, law, target);
  require(!target.counts.empty(), term, "target.counts", Text("how many members a sample has"), Text("none"));
  bool several = false;
  for (Index b = 0; b < law.mean.batch; ++b) {
    const Index m = target.count(law.first + b);
    require(m >= least, term, "target.counts", Text("at least ", least, " member(s) per sample"), Text(m));
    several = several || m > 1;
  }
  require(!several || bool(target.variance), term, "target.variance",
          Text("the ensemble's variance, as there are several members"), Text("none"));
}

template <class T, int D>
void require_members(const char* term, const LawBlock<T, D>& law, const Target<T, D>& target) {
  require_mean(term, law, target);
  require(bool(target.members) && !target.counts.empty(), term, "target.members",
          Text("the members themselves: this term is no function of mean and variance"), Text("none"));
}

template <class T, int D>
void require_covariance_factor(const char* term, const LawBlock<T, D>& law, const Target<T, D>& target) {
  require_mean(term, law, target);
  require(bool(target.covariance_factor), term, "target.covariance_factor",
          Text("leading factors of the ensemble's covariance"), Text("none"));
}

}  // namespace mno::detail
