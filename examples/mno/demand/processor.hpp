#pragma once
// The instructions that operators are compiled for: a named level, never "native", so that machines that
// share a cache and differ in their processors do not share operators.
#include <string>
#include <vector>

namespace demand {

/// "x86-64-v2", "x86-64-v3" or "x86-64-v4" by what the processor and the system have; elsewhere the name of
/// the architecture.
std::string instruction_level();

/// The compiler's flags for it.
std::vector<std::string> instruction_flags(const std::string& level);

}  // namespace demand
