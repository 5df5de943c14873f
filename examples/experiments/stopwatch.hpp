#pragma once
// How long a training took, in the file MODEL.seconds: a line for every run, since a training may be
// interrupted and resumed. A run that is killed leaves no line.
#include <chrono>
#include <filesystem>
#include <fstream>

namespace experiment {

class Stopwatch {
 public:
  /// Writes its line when it is destroyed; a training that begins anew replaces the earlier lines.
  Stopwatch(const std::filesystem::path& model, bool resume)
      : file_(model.string() + ".seconds"), resume_(resume) {}
  ~Stopwatch() {
    std::ofstream out(file_, resume_ ? std::ios::app : std::ios::trunc);
    out << std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count() << "\n";
  }
  Stopwatch(const Stopwatch&) = delete;

 private:
  std::filesystem::path file_;
  bool resume_;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

inline double seconds_of(const std::filesystem::path& model) {
  std::ifstream in(model.string() + ".seconds");
  double all = 0;
  for (double one; in >> one;) all += one;
  return all;
}

}  // namespace experiment
