// What holds for any input. Rapidcheck makes the inputs and shrinks those that fail; it is compiled once, in
// property.cpp, because its templates would cost every test seconds.
//
//   CHECK(for_any("any seed", [] {
//     const Index n = any_in<Index>(1, 9);
//     HOLDS(sum_of_first(n) == n * (n + 1) / 2);
//   }));
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <span>
#include <type_traits>
#include <vector>

#include "mno/core/grid.hpp"

namespace mno::testing {

/// Runs a property a hundred times. A failure prints the smallest inputs that fail, and the seed that repeats
/// it (RC_PARAMS="seed=…").
bool for_any(const char* what, const std::function<void()>& property);

// Inputs, inside a property.

std::int64_t any_in_range(std::int64_t low, std::int64_t high);
/// low ≤ value < high
template <class T> T any_in(T low, std::type_identity_t<T> high) {
  return T(any_in_range(std::int64_t(low), std::int64_t(high)));
}
bool any_bool();
std::uint64_t any_seed();
/// One or more numbers, low ≤ each < high
std::vector<Index> any_some_in(Index low, Index high);
template <class T> T one_of(std::span<const T> values) {
  return values[std::size_t(any_in<Index>(0, Index(values.size())))];
}
template <class T> T one_of(const std::vector<T>& values) { return one_of(std::span<const T>(values)); }
template <class T> T one_of(std::initializer_list<T> values) {
  return one_of(std::span<const T>(values.begin(), values.size()));
}

/// Ends the property if it is not held; HOLDS() calls it.
void hold(bool held, const char* expression, const char* file, int line);

}  // namespace mno::testing

/// Ends the property if the expression is false.
#define HOLDS(...) ::mno::testing::hold(static_cast<bool>(__VA_ARGS__), #__VA_ARGS__, __FILE__, __LINE__)
