// train_step, forward and latency by dimension, grid, batch, width, modes, rank and threads. The shapes are
// listed in CMakeLists.txt; model_cases.hpp says what is measured of each.
//
//   model_benchmark --benchmark_filter='train_step/1d/width:48/modes:16/rank:16/points:64/batch:256'
#include "model_cases.hpp"
