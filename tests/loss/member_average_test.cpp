// Terms of members where samples have different numbers of them: each sample by itself, then the mean.
#include "mno/loss/member_average.hpp"

#include "mno/loss/crps.hpp"
#include "mno/loss/student_nll.hpp"
#include "oracle.hpp"
#include "property.hpp"

using namespace mno;
using namespace mno::testing;

namespace {

/// A law of all samples, and its value and cotangents sample by sample.
template <class Term> void check_by_sample(const Term& term, const std::vector<Index>& counts) {
  const Grid<1> grid{{5}};
  const Index samples = Index(counts.size());
  const std::vector<Index> offsets = member_offsets(counts);
  Field<double, 1> members(offsets.back(), grid, 2), mean(samples, grid, 2);
  randomise(members, 0.6, 0.3, 1);
  Block<double, 1> block(0, samples, grid, 2, 3, 2);
  Target<double, 1> target{.mean = std::as_const(mean).view(), .counts = counts};
  target.members = std::as_const(members).view();
  target.offsets = offsets;
  detail::check_target("test", target);
  const double value = term(block.law(), target, 0.4);

  double sum = 0;
  Block<double, 1> single(0, samples, grid, 2, 3, 2);
  for (Index s = 0; s < samples; ++s) {
    const LawBlock<double, 1> all = single.law();
    const LawBlock<double, 1> one{0, all.mean.samples(s, 1), all.factor.samples(s, 1),
                                  all.mean_bar.samples(s, 1), all.factor_bar.samples(s, 1)};
    const Target<double, 1> own{.mean = target.mean.samples(s, 1),
                                .counts = {&counts[std::size_t(s)], 1},
                                .members = target.members_of(s)};
    sum += term(one, own, 0.4);
  }
  HOLDS(std::abs(value - sum) <= 1e-12 * (1 + std::abs(sum)));
  HOLDS(std::ranges::equal(block.bars.span(), single.bars.span()));
}

}  // namespace

TEST_CASE("for all numbers of members a term of members is that of each sample") {
  CHECK(for_any("any counts", [] {
    const auto counts = any_some_in(1, 6);
    check_by_sample(Crps{}, counts);
    check_by_sample(StudentNll{}, counts);
  }));
}
