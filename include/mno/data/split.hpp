#pragma once
// Training, validation and test conditions: no initial field is in two of them.
#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "mno/core/error.hpp"
#include "mno/core/grid.hpp"
#include "mno/core/random.hpp"

namespace mno {

struct Split {
  std::vector<Index> train, validation, test;  // conditions, in their own order
};

/// Deals initial fields (origins) out at random, by the seed alone; conditions follow their origin.
inline Split split_by_origin(std::span<const Index> origins, double validation, double test,
                             std::uint64_t seed) {
  require(validation >= 0 && test >= 0 && validation + test < 1, "split_by_origin", "validation, test",
          Text("fractions of which something is left to train on"), Text(validation, " and ", test));
  std::vector<Index> distinct(origins.begin(), origins.end());
  std::sort(distinct.begin(), distinct.end());
  distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
  const auto n = distinct.size();
  Stream random(seed, 0, 0x73706C74);  // "splt"
  for (std::size_t i = n; i > 1; --i)
    std::swap(distinct[i - 1], distinct[std::size_t(random.uniform() * double(i))]);
  // A part that is asked for gets at least one origin, if there are enough for all.
  const auto part = [&](double fraction) {
    const auto rounded = std::size_t(fraction * double(n) + 0.5);
    return fraction > 0 && n >= 3 ? std::max<std::size_t>(1, rounded) : rounded;
  };
  const std::size_t tests = std::min(part(test), n - 1),
                    validations = std::min(part(validation), n - 1 - tests);
  std::vector<Index> in_test(distinct.begin(), distinct.begin() + Index(tests));
  std::vector<Index> in_validation(distinct.begin() + Index(tests),
                                   distinct.begin() + Index(tests + validations));
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
