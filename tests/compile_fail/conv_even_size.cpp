// expect: the Size of a Conv is odd, so that it has a middle
#include <mno/layer/conv.hpp>

#ifdef MNO_CONTROL
constexpr int size = 3;
#else
constexpr int size = 4;
#endif
constexpr auto parameters = mno::Conv<1, 1, 2, size>::parameters;
