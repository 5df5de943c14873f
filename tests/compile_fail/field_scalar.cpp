// expect: a field holds float or double
#include "mno/core/field.hpp"

#ifdef MNO_CONTROL
mno::Field<float, 1> field;
#else
mno::Field<int, 1> field;
#endif
