#pragma once
// How a training run went, epoch by epoch: MODEL.history.jsonl, one line of JSON per epoch, written as it
// goes. Where several lengths were tried, it has the lines of all of them: `epochs` tells runs apart.
#include <filesystem>
#include <fstream>
#include <mno/train/trainer.hpp>
#include <vector>

#include "report/parts.hpp"

namespace program {

std::filesystem::path history_of(const std::filesystem::path& model);

/// Begins a new file, or goes on with the one that is there: epochs that are run again replace their lines.
class HistoryWriter {
 public:
  HistoryWriter(std::filesystem::path file, bool resume) : file_(std::move(file)), resume_(resume) {}
  void add(const mno::EpochReport& report);

 private:
  void begin(mno::Index first_epoch, mno::Index epochs);

  std::filesystem::path file_;
  bool resume_;
  std::ofstream out_{};
};

/// The curves of the run that a model came from; none if it has no history.
std::vector<mno::report::Curve> curves_of(const std::filesystem::path& model);

}  // namespace program
