#pragma once
// How Boost.Math computes here: in double itself, and what no number holds is infinite. By default it takes
// every double to long double and back, which doubles the time to compile and gives digits that are thrown
// away, and it throws where a result overflows.
//
// Functions that need it, or other heavy templates, stand behind `template <class = void>`: then a program
// that never calls them does not compile what they use.
#include <boost/math/policies/policy.hpp>

namespace mno::detail {

using InDouble =
    boost::math::policies::policy<boost::math::policies::promote_double<false>,
                                  boost::math::policies::overflow_error<boost::math::policies::ignore_error>>;

}  // namespace mno::detail
