#include "worker.hpp"

int main(int argc, char** argv) try {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  if (arguments.size() != 4 || (arguments[0] != "make" && arguments[0] != "work")) {
    std::cerr << "Usage: compare_worker make SHAPE BATCH FILE | compare_worker work SHAPE THREADS FILE\n";
    return 2;
  }
  const std::string &shape = arguments[1], &file = arguments[3];
  const int number = std::stoi(arguments[2]);
  const bool square = shape.find('x') != std::string::npos;
  if (arguments[0] == "make")
    (square ? comparison::make<2> : comparison::make<1>)(shape, number, file);
  else
    (square ? comparison::work<2> : comparison::work<1>)(shape, number, file);
} catch (const std::exception& error) {
  std::cerr << error.what() << "\n";
  return 1;
}
