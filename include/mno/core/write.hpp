#pragma once
// What happens to the numbers already in the output: the result is added to them, or replaces them.

namespace mno {

enum class Write { add, set };

}  // namespace mno
