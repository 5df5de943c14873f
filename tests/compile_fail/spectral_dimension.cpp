// expect: this SpectralConv was made for fields of another dimension
#include <mno/expression/oracle.hpp>
#include <mno/layer/spectral.hpp>

#ifdef MNO_CONTROL
constexpr int dimension = 2;
#else
constexpr int dimension = 1;
#endif
const auto report = mno::check_gradients<mno::SpectralConv<1, 1, dimension, 2>, 2>(mno::Grid<2>{{4, 4}});
