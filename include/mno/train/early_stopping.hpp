#pragma once
// When a validation value no longer improves.
#include <limits>

#include "mno/core/grid.hpp"

namespace mno {

/// Plain data, so that a checkpoint can hold it. Smaller values are better.
struct EarlyStopping {
  Index patience = 20;   // evaluations without improvement before it stops
  double min_delta = 0;  // an improvement is a value below best − min_delta

  double best = std::numeric_limits<double>::infinity();
  Index best_evaluation = -1;  // counted from 0
  Index evaluations = 0;

  /// Takes the next value; true if it is the best so far. A NaN never counts as better.
  bool update(double value) {
    const Index evaluation = evaluations++;
    if (!(value < best - min_delta)) return false;
    best = value;
    best_evaluation = evaluation;
    return true;
  }
  bool stop() const { return evaluations - 1 - best_evaluation >= patience && evaluations > 0; }
};

}  // namespace mno
