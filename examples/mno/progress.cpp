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
