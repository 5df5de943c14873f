// expect: concat(a, b) needs the same number of input channels in every part
#include <mno/expression/concat.hpp>
#include <mno/layer/pointwise.hpp>

#ifdef MNO_CONTROL
constexpr int inputs = 2;
#else
constexpr int inputs = 4;
#endif
constexpr auto expression = mno::concat(mno::Pointwise<2, 3>{}, mno::Pointwise<inputs, 3>{});
static_assert(expression.outputs == 6);
