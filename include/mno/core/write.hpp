#pragma once
// What happens to the numbers that stand in the output before: the result is added to them, or replaces them.

namespace mno {

enum class Write { add, set };

}  // namespace mno
