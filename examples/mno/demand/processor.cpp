#include "processor.hpp"

#include <sys/utsname.h>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace demand {

#if defined(__x86_64__)

namespace {

constexpr unsigned bit(int number) { return 1u << number; }

/// Which registers the system saves: 6 = SSE and AVX, 0xe6 = those of AVX-512 too.
unsigned saved_registers() {
  unsigned low = 0, high = 0;
  asm("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return low;
}

}  // namespace

std::string instruction_level() {
  unsigned a = 0, b = 0, c1 = 0, d = 0, b7 = 0, c = 0, extended = 0;
  if (!__get_cpuid(1, &a, &b, &c1, &d)) return "x86-64";
  __get_cpuid_count(7, 0, &a, &b7, &c, &d);
  __get_cpuid(0x80000001, &a, &b, &extended, &d);
  const auto all = [](unsigned word, unsigned bits) { return (word & bits) == bits; };
  // SSE3, SSSE3, CMPXCHG16B, SSE4.1, SSE4.2, POPCNT; LAHF
  if (!all(c1, bit(0) | bit(9) | bit(13) | bit(19) | bit(20) | bit(23)) || !all(extended, bit(0)))
    return "x86-64";
  // FMA, MOVBE, OSXSAVE, AVX, F16C; BMI1, AVX2, BMI2; LZCNT
  if (!all(c1, bit(12) | bit(22) | bit(27) | bit(28) | bit(29)) || !all(b7, bit(3) | bit(5) | bit(8)) ||
      !all(extended, bit(5)) || !all(saved_registers(), 6))
    return "x86-64-v2";
  // AVX-512 F, DQ, CD, BW, VL
  if (!all(b7, bit(16) | bit(17) | bit(28) | bit(30) | bit(31)) || !all(saved_registers(), 0xe6))
    return "x86-64-v3";
  return "x86-64-v4";
}

#else

std::string instruction_level() {
  struct utsname name {};
  return ::uname(&name) == 0 ? name.machine : "unknown";
}

#endif

std::vector<std::string> instruction_flags(const std::string& level) {
  if (!level.starts_with("x86-64")) return {};  // what every processor of the architecture has
  // Generic: g++ 12's own tuning for some processors makes Eigen's products slower.
  return {"-march=" + level, "-mtune=generic"};
}

}  // namespace demand
