// expect: repeat<n>(a) and tied<n>(a) need as many output channels of a as input channels
#include <mno/expression/repeat.hpp>
#include <mno/layer/pointwise.hpp>

#ifdef MNO_CONTROL
constexpr int outputs = 2;
#else
constexpr int outputs = 3;
#endif
constexpr auto expression = mno::repeat<3>(mno::Pointwise<2, outputs>{});
static_assert(expression.times == 3);
