// expect: a + b needs the same number of output channels on both sides
#include <mno/expression/sum.hpp>
#include <mno/layer/pointwise.hpp>

#ifdef MNO_CONTROL
constexpr int outputs = 3;
#else
constexpr int outputs = 4;
#endif
constexpr auto expression = mno::Pointwise<2, 3>{} + mno::Pointwise<2, outputs>{};
static_assert(expression.outputs == 3);
