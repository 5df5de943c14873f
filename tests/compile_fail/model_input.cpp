// expect: the expression's input must have the channels of [u_0, t, known fields, coordinates] of the shape
#include <mno/model/model.hpp>

struct S {
  static constexpr int dimension = 1, channels = 1, rank = 4, width = 8, modes = 4, depth = 1;
};
#ifdef MNO_CONTROL
constexpr int inputs = 2;
#else
constexpr int inputs = 1;
#endif
const auto model = mno::make_model<S>(mno::Pointwise<inputs, 5>{});
