#include "memory_cases.hpp"

namespace {
using memory_cases::add;
using Line = memory_cases::Goal<1>;
const bool registered = add<Line>(64, 256, 1) && add<Line>(64, 256, 2) && add<Line>(256, 256, 1) &&
                        add<Line>(256, 256, 2) && add<Line>(64, 4096, 1) && add<Line>(4096, 16, 1) &&
                        add<Line>(65536, 1, 1);
}  // namespace
