#pragma once
// The shapes of these tests, where their numbers do not matter. Each has one type, so that the tests of this
// folder, which are one program, compile its models once.
namespace mno_test {

struct Line {
  static constexpr int dimension = 1, channels = 2, rank = 3, width = 6, modes = 4, depth = 2, projection = 5;
};
struct SplitLine : Line {
  static constexpr bool shared_backbone = false;
};
struct OneChannel {
  static constexpr int dimension = 1, channels = 1, rank = 4, width = 24, modes = 4, depth = 2,
                       projection = 8;
};
struct Plane {
  static constexpr int dimension = 2, channels = 1, rank = 4, width = 4, modes = 3, depth = 2, projection = 5;
};
struct TwoChannelPlane {
  static constexpr int dimension = 2, channels = 2, rank = 3, width = 5, modes = 3, depth = 2, projection = 7;
};

}  // namespace mno_test
