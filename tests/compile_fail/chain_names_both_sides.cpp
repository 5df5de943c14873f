// expect: ChannelsMustAgree<mno::Pointwise<2, 5>, mno::Pointwise<4, 1>, 5, 4>
#include <mno/expression/chain.hpp>
#include <mno/layer/pointwise.hpp>

#ifdef MNO_CONTROL
constexpr int inputs = 5;
#else
constexpr int inputs = 4;
#endif
constexpr auto expression = mno::Pointwise<2, 5>{} >> mno::Pointwise<inputs, 1>{};
static_assert(expression.outputs == 1);
