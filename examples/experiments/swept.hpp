#pragma once
// What `mno experiment sweep` has measured, read from its recorded rows: for every method, the optimiser that
// was best on validation, and how long a step of its training takes.
#include <mno/train/adamw.hpp>
#include <optional>

#include "report/parts.hpp"

namespace experiment {

class Swept {
 public:
  /// A file of `mno report --rows`; no name: nothing was measured, and every method is trained as usual.
  explicit Swept(std::filesystem::path file = {});

  bool empty() const { return rows_.empty(); }
  /// With the learning rate of the least CRPS on validation; as given where nothing was measured.
  mno::AdamWOptions best(const std::string& method, mno::AdamWOptions usual) const;
  /// The steps that a method makes in the time that `mno` takes for so many.
  mno::Index in_time_of_mno(const std::string& method, mno::Index steps) const;

 private:
  std::vector<const mno::report::Row*> of(const std::string& method, const std::string& metric) const;
  double seconds_per_step(const std::string& method) const;

  std::filesystem::path file_;
  std::vector<mno::report::Row> rows_{};
};

}  // namespace experiment
