// expect: a >> b needs as many output channels of a as b has input channels
#include <mno/expression/chain.hpp>
#include <mno/layer/pointwise.hpp>

#ifdef MNO_CONTROL
constexpr int inputs = 3;
#else
constexpr int inputs = 4;
#endif
constexpr auto expression = mno::Pointwise<2, 3>{} >> mno::Pointwise<inputs, 1>{};
static_assert(expression.outputs == 1);
