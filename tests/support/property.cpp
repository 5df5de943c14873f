#include "property.hpp"

#include <rapidcheck.h>

namespace mno::testing {

bool for_any(const char* what, const std::function<void()>& property) { return rc::check(what, property); }
bool any_bool() { return *rc::gen::arbitrary<bool>(); }
std::uint64_t any_seed() { return *rc::gen::arbitrary<std::uint64_t>(); }
std::vector<Index> any_some_in(Index low, Index high) {
  return *rc::gen::nonEmpty(rc::gen::container<std::vector<Index>>(rc::gen::inRange<Index>(low, high)));
}

std::int64_t any_in_range(std::int64_t low, std::int64_t high) {
  return *rc::gen::inRange<std::int64_t>(low, high);
}
void hold(bool held, const char* expression, const char* file, int line) {
  if (!held)
    throw rc::detail::CaseResult(
        rc::detail::CaseResult::Type::Failure,
        std::string(file) + ":" + std::to_string(line) + ": " + expression + " is false.");
}

}  // namespace mno::testing
