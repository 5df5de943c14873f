// expect: this Conv was made for fields of another dimension
#include <mno/expression/oracle.hpp>
#include <mno/layer/conv.hpp>

#ifdef MNO_CONTROL
constexpr int dimension = 2;
#else
constexpr int dimension = 1;
#endif
const auto grid = mno::output_grid<mno::Conv<1, 1, dimension, 3, mno::Circular, 2>>(mno::Grid<2>{{4, 4}});
