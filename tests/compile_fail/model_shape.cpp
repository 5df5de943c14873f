// expect: a shape needs dimension, channels, rank, width, modes and depth as static constexpr int
#include <mno/model/model.hpp>

struct S {
  static constexpr int dimension = 1, channels = 1, rank = 4, width = 8, modes = 4;
#ifdef MNO_CONTROL
  static constexpr int depth = 1;
#endif
};
mno::Mno<S> model;
