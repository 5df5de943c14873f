#include "progress.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdio>

namespace program {

Progress::Progress(bool silent) : silent_(silent), terminal_(::isatty(STDERR_FILENO) == 1) {}
Progress::~Progress() { close(); }

void Progress::show(const std::string& line) {
  if (silent_) return;
  if (terminal_)
    std::fprintf(stderr, "\r%s\x1b[K", line.c_str());
  else
    std::fprintf(stderr, "%s\n", line.c_str());
  std::fflush(stderr);
  open_ = terminal_;
}

void Progress::close() {
  if (open_) std::fputc('\n', stderr);
  open_ = false;
}

std::string short_number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g", value);
  return text;
}

std::string text_of(const mno::Scores& scores) {
  std::string out = "mean RMSE " + short_number(scores.mean_rmse);
  if (scores.several)
    out += ", variance RMSE " + short_number(scores.variance_rmse) + ", W2g " + short_number(scores.w2g);
  if (scores.draws) out += ", CRPS " + short_number(scores.crps);
  return out;
}

std::string epoch_line(const mno::EpochReport& report) {
  std::string out = "epoch " + std::to_string(report.epoch) + "/" + std::to_string(report.epochs) +
                    "  loss " + short_number(report.loss);
  if (report.validation) out += "  validation: " + text_of(*report.validation);
  return out + "  " + short_number(report.conditions_per_second) + " conditions/s  " +
         clock(report.seconds_left) + " left";
}

std::string clock(double seconds) {
  const long all = long(std::clamp(seconds, 0.0, 1e9) + 0.5);
  char text[40];
  if (all >= 3600)
    std::snprintf(text, sizeof text, "%ld:%02ld:%02ld", all / 3600, all / 60 % 60, all % 60);
  else
    std::snprintf(text, sizeof text, "%ld:%02ld", all / 60, all % 60);
  return text;
}

}  // namespace program
