#pragma once
// One line that is rewritten on a terminal, plain lines elsewhere; on standard error.
#include <mno/train/trainer.hpp>
#include <string>

namespace program {

class Progress {
 public:
  explicit Progress(bool silent = false);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  bool terminal() const { return terminal_; }
  /// Replaces the line, or adds one.
  void show(const std::string& line);
  /// Leaves the line where it is; what is printed next stands below it.
  void close();

 private:
  bool silent_, terminal_, open_ = false;
};

/// Epoch, losses, scores on validation, speed and time left.
std::string epoch_line(const mno::EpochReport& report);

/// Those scores that the data can tell.
std::string text_of(const mno::Scores& scores);

/// Three digits.
std::string short_number(double value);
/// 95 → "1:35", 3700 → "1:01:40".
std::string clock(double seconds);

}  // namespace program
