#pragma once
// Training, validation and test entries: no initial condition is in two of them.
#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "mno/core/error.hpp"
#include "mno/core/grid.hpp"
#include "mno/core/random.hpp"

namespace mno {

struct Split {
  std::vector<Index> train, validation, test;  // entries, in their own order
};

/// Deals initial conditions (origins) out at random, by the seed alone; entries follow their origin.
inline Split split_by_origin(std::span<const Index> origins, double validation, double test,
                             std::uint64_t seed) {
  require(validation >= 0 && test >= 0 && validation + test < 1, "split_by_origin", "validation, test",
          text("fractions of which something is left to train on"), text(validation, " and ", test));
  std::vector<Index> conditions(origins.begin(), origins.end());
  std::sort(conditions.begin(), conditions.end());
  conditions.erase(std::unique(conditions.begin(), conditions.end()), conditions.end());
  const auto n = conditions.size();
  Stream random(seed, 0, 0x73706C74);  // "splt"
  for (std::size_t i = n; i > 1; --i)
    std::swap(conditions[i - 1], conditions[std::size_t(random.uniform() * double(i))]);
  // A part that is asked for gets at least one condition, if there are enough for all.
  const auto part = [&](double fraction) {
    const auto rounded = std::size_t(fraction * double(n) + 0.5);
    return fraction > 0 && n >= 3 ? std::max<std::size_t>(1, rounded) : rounded;
  };
  const std::size_t tests = std::min(part(test), n - 1),
                    validations = std::min(part(validation), n - 1 - tests);
  std::vector<Index> in_test(conditions.begin(), conditions.begin() + Index(tests));
  std::vector<Index> in_validation(conditions.begin() + Index(tests),
                                   conditions.begin() + Index(tests + validations));
  std::sort(in_test.begin(), in_test.end());
  std::sort(in_validation.begin(), in_validation.end());
  Split result;
  for (std::size_t e = 0; e < origins.size(); ++e) {
    if (std::binary_search(in_test.begin(), in_test.end(), origins[e]))
      result.test.push_back(Index(e));
    else if (std::binary_search(in_validation.begin(), in_validation.end(), origins[e]))
      result.validation.push_back(Index(e));
    else
      result.train.push_back(Index(e));
  }
  return result;
}

}  // namespace mno
