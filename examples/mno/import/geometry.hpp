#pragma once
// Where the points and the frames stand: lengths, walls and times, by the command line, by what the layout
// says or by the data itself. Every choice comes with the words that say why.
#include "frames.hpp"

namespace program {

struct GeometryWishes {
  std::vector<double> length{};  // one for all axes, or one for each
  std::vector<std::string> bounded{}, periodic{};
  double step = 0;  // of time; 0: by the file
};

struct AxisFacts {
  std::string name{};
  mno::Index points = 0;  // that are kept
  double length = 1;
  bool bounded = false;
  std::string line{};  // what was found and why
};
std::vector<AxisFacts> find_axes(Frames& frames, const Reading& reading, const Arrays& arrays,
                                 const GeometryWishes& wishes);

/// Times of frames, which may differ between samples.
struct Times {
  std::map<std::vector<double>, std::size_t> rows{};  // different ones, with their numbers
  std::vector<std::size_t> of_sample{};               // which of them
  std::string line{};
};
/// Those of the next `samples`, which a file brings.
void add_times(Times& times, mno::Index samples, mno::Index frames, const Reading& reading,
               const Arrays& arrays, double step);

}  // namespace program
