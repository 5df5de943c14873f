// expect: a grid has 1, 2 or 3 dimensions
#include "mno/core/grid.hpp"

#ifdef MNO_CONTROL
mno::Grid<3> grid;
#else
mno::Grid<4> grid;
#endif
