#pragma once
// How a side of a comparison is asked: a process that holds one model and one batch, prints "ready", and does
// what it is told on its standard input, so that other sides can run in between.
//
//   check FILE          loss, gradient, mean and variance of the batch, written to FILE; PyTorch's side
//   answers
//                       how far its own are from those
//   steps N             N training steps; answers with the loss before the first and after the last
//   memory              answers with the peak and the present resident memory in KiB
//   TASK SECONDS CLOCK  the task again and again for that long; answers with the milliseconds of each time,
//   of
//                       which the clock is `wall`, or `cpu` for the processor time of all threads
#include <fstream>
#include <functional>
#include <iostream>
#include <sstream>
#include <string>

#include "timing.hpp"

namespace comparison {

inline long status(const std::string& key) {
  std::ifstream file("/proc/self/status");
  std::string word;
  long value = -1;
  while (file >> word)
    if (word == key) file >> value;
  return value;
}

/// A worker has check(file), loss(), step(), and task(name): what to repeat, or nothing if it knows no such
/// task.
template <class W> void answer_commands(W& worker) {
  std::cout << "ready" << std::endl;
  std::string line;
  while (std::getline(std::cin, line)) {
    std::istringstream text(line);
    std::string command;
    text >> command;
    if (command == "check") {
      std::string file;
      text >> file;
      worker.check(file);
      std::cout << "ok" << std::endl;
    } else if (command == "steps") {
      int steps = 0;
      text >> steps;
      const double first = worker.loss();
      for (int i = 0; i < steps; ++i) worker.step();
      std::cout.precision(9);
      std::cout << first << ' ' << worker.loss() << std::endl;
    } else if (command == "memory") {
      std::cout << status("VmHWM:") << ' ' << status("VmRSS:") << std::endl;
    } else if (const std::function<void()> call = worker.task(command)) {
      double seconds = 0;
      std::string clock;
      text >> seconds >> clock;
      std::cout << times_of(seconds, clock == "cpu", call) << std::endl;
    } else {
      std::cout << "unknown command " << command << std::endl;
    }
  }
}

}  // namespace comparison
