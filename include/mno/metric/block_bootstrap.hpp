#pragma once
// The difference of two scores on the same conditions of a record in time, with an interval. Neighbouring
// conditions are alike, so whole blocks of them (months, weeks) are drawn with replacement, a great many
// times, and the interval holds 95 % of the differences that come out.
//
//   d_i = S_i − R_i,   d* = Σ_{blocks drawn} Σ_{i in block} d_i / Σ_{blocks drawn} (conditions in block)
//
// If 0 lies outside, the better score is hardly an accident of the period. The interval is made for many
// blocks: with ten it is too narrow by about a tenth.
//   B. Efron, R. Tibshirani, "An introduction to the bootstrap", 1993, chapters 8 and 13.
#include <algorithm>
#include <cmath>
#include <map>
#include <span>
#include <vector>

#include "mno/core/error.hpp"
#include "mno/core/grid.hpp"
#include "mno/core/random.hpp"

namespace mno::metric {

struct Difference {
  double value = 0;             // mean S − mean R: below 0 where S is better
  double lower = 0, upper = 0;  // of the 95 % interval
  Index blocks = 0;

  bool less() const { return upper < 0; }
  bool greater() const { return lower > 0; }
};

/// One score of each per condition; `blocks` says which block of time a condition is in.
template <class = void>
Difference block_bootstrap(std::span<const double> scores, std::span<const double> others,
                           std::span<const Index> blocks, std::uint64_t seed = 0, Index draws = 4000) {
  const std::size_t n = scores.size();
  require(n >= 1 && others.size() == n && blocks.size() == n, "metric::block_bootstrap", "scores",
          Text("as many scores of both, and a block of each"),
          Text(n, ", ", others.size(), " and ", blocks.size(), " blocks"));
  struct Block {
    double sum = 0, count = 0;
  };
  std::map<Index, Block> by_name;
  for (std::size_t i = 0; i < n; ++i) {
    Block& block = by_name[blocks[i]];
    block.sum += scores[i] - others[i];
    ++block.count;
  }
  std::vector<Block> all;
  Block whole;
  for (const auto& [name, block] : by_name) {
    all.push_back(block);
    whole.sum += block.sum;
    whole.count += block.count;
  }
  require(all.size() >= 2 && draws >= 100, "metric::block_bootstrap", "blocks",
          Text("at least two blocks, and 100 draws of them"), Text(all.size(), " and ", draws));
  Stream random(seed);
  std::vector<double> drawn(std::size_t(draws), 0.0);
  for (double& one : drawn) {
    Block sum;
    for (std::size_t b = 0; b < all.size(); ++b) {
      const Block& block = all[std::min(std::size_t(random.uniform() * double(all.size())), all.size() - 1)];
      sum.sum += block.sum;
      sum.count += block.count;
    }
    one = sum.sum / sum.count;
  }
  std::ranges::sort(drawn);
  const auto quantile = [&](double p) { return drawn[std::size_t(p * double(draws - 1))]; };
  return {whole.sum / whole.count, quantile(0.025), quantile(0.975), Index(all.size())};
}

}  // namespace mno::metric
