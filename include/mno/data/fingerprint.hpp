#pragma once
// A number that identifies data, so that a resumed run can check that it has the data it began with.
#include <cstddef>
#include <cstdint>
#include <string>

#include "mno/data/ensemble.hpp"

namespace mno {

/// FNV-1a over everything that training looks at.
class Fingerprint {
 public:
  template <class T> void add(std::span<const T> values) {
    for (const std::byte b : std::as_bytes(values)) state_ = (state_ ^ std::uint64_t(b)) * 0x100000001B3;
  }
  template <class T, int D> void add(const Ensemble<T, D>& data) {
    for (const auto* field : {&data.initial, &data.mean, &data.variance, &data.known}) add(field->span());
    add(std::span<const T>(data.times));
    add(data.covariance_factor.span());
    if (data.size() > 0 && data.grid().domain.has_walls())
      add(std::span<const bool>(data.grid().domain.bounded));
  }
  std::uint64_t value() const { return state_; }
  std::string str() const { return std::to_string(state_); }

 private:
  std::uint64_t state_ = 0xCBF29CE484222325;
};

}  // namespace mno
