// expect: the expression must give C channels (a field), C + r*C (drift and factor) or
#include <mno/model/model.hpp>

struct S {
  static constexpr int dimension = 1, channels = 1, rank = 4, width = 8, modes = 4, depth = 1;
};
#ifdef MNO_CONTROL
constexpr int outputs = 5;
#else
constexpr int outputs = 7;
#endif
const auto model = mno::make_model<S>(mno::Lift<S>{} >> mno::Pointwise<8, outputs>{});
