#pragma once
// The operator on a line that tests train where its size does not matter. It has one type, so that the tests
// of a folder, which are one program, compile its training once.
namespace mno_test {

struct Line {
  static constexpr int dimension = 1, channels = 1, rank = 2, width = 8, modes = 3, depth = 1, projection = 8;
};

}  // namespace mno_test
