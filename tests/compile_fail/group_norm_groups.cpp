// expect: the channels of a GroupNorm are a multiple of its groups
#include <mno/layer/group_norm.hpp>

#ifdef MNO_CONTROL
constexpr int groups = 4;
#else
constexpr int groups = 5;
#endif
constexpr auto parameters = mno::GroupNorm<12, groups>::parameters;
