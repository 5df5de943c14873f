#pragma once
// What the scores of draws have in common: one condition with draws and members by hand, and expectations.
#include "oracle.hpp"

namespace mno::testing {

/// A term of draws on one condition: its value, and what it leaves as cotangent.
template <class Term> struct OneCondition {
  double value;
  std::vector<double> bar;

  OneCondition(const Term& term, const std::vector<double>& draws, const std::vector<double>& members,
               Index entries = 1, double scale = 1)
      : bar(draws.size(), 0.0) {
    const Grid<1> grid{{entries}};
    const auto view = [&]<class T>(T* data, std::size_t size) {
      return View<T, 1>{data, Index(size) / entries, grid, 1, 1};
    };
    const Index count = Index(members.size()) / entries;
    const std::vector<double> unused(std::size_t(entries), 0.0);
    const Target<double, 1> target{.mean = view(unused.data(), unused.size()),
                                   .counts = {&count, 1},
                                   .members = view(members.data(), members.size())};
    value = term(DrawBlock<double, 1>{0, Index(draws.size()) / entries, view(draws.data(), draws.size()),
                                      view(bar.data(), bar.size())},
                 target, scale);
  }
};

/// The mean of a score over many conditions with S draws from N(0.3, 0.8²) against `members` members from
/// N(0, 1), of two entries each, and the deviation of that mean.
template <class Term> std::pair<double, double> expectation(const Term& term, Index draws, Index members) {
  constexpr Index conditions = 20000, entries = 2;
  Field<double, 1> x(conditions * draws, {{entries}}, 1), y(conditions * members, {{entries}}, 1),
      bars(conditions * draws, {{entries}}, 1), mean(conditions, {{entries}}, 1);
  randomise(x, 0.8, 0.3, std::uint64_t(draws));
  randomise(y, 1, 0, std::uint64_t(100 + members));
  Target<double, 1> target{.mean = mean.view(), .counts = {&members, 1}, .members = y.view()};
  double sum = 0, squares = 0;
  for (Index i = 0; i < conditions; ++i) {
    const double value = term(DrawBlock<double, 1>{i, draws, x.view().samples(i * draws, draws),
                                                   bars.view().samples(i * draws, draws)},
                              target, 1.0);
    sum += value;
    squares += value * value;
  }
  const double average = sum / conditions;
  return {average, std::sqrt((squares / conditions - average * average) / conditions)};
}

}  // namespace mno::testing
