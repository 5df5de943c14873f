#include "memory_cases.hpp"

namespace {
using memory_cases::add;
using Square = memory_cases::Goal<2>;
const bool registered =
    add<Square>(64, 32, 1) && add<Square>(64, 32, 2) && add<Square>(128, 8, 1) && add<Square>(512, 1, 1);
}  // namespace
