#pragma once
// What every fuzzer shares: a file either loads or is refused with an Error. Anything else is a finding.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "mno/io/bytes.hpp"

inline std::span<const std::byte> as_file(const std::uint8_t* data, std::size_t size) {
  return std::as_bytes(std::span(data, size));
}

template <class Load> int load_or_refuse(Load&& load) {
  try {
    load();
  } catch (const mno::Error&) {
  }
  return 0;
}

/// A property that holds for everything that loads.
inline void always(bool holds) {
  if (!holds) __builtin_trap();
}
