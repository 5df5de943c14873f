#pragma once
// LZF, the filter that h5py calls "lzf" (number 32000): Debian's plugin for it does not load, since it lacks
// a library of its own, and the format is small. A byte c begins either
//
//   c < 32:   c + 1 bytes as they are, or
//   c ≥ 32:   a repetition: (c >> 5) + 2 bytes of the output so far, or 9 + the next byte of them, from
//             ((c & 31) << 8) + next byte + 1 before the end on
#include <hdf5.h>

#include <cstring>
#include <optional>

#include "mno/io/bytes.hpp"

namespace mno::io::detail {

inline constexpr H5Z_filter_t lzf_filter = 32000;

/// The unpacked bytes, or nothing if they are damaged. Three packed bytes give at most 264.
inline std::optional<Bytes> lzf_unpacked(std::span<const std::byte> packed) {
  Bytes out;
  std::size_t at = 0;
  const auto next = [&]() -> std::optional<unsigned> {
    if (at == packed.size()) return std::nullopt;
    return std::to_integer<unsigned>(packed[at++]);
  };
  while (at < packed.size()) {
    const unsigned control = *next();
    if (control < 32) {
      if (!within(at, control + 1, packed.size())) return std::nullopt;
      out.insert(out.end(), packed.begin() + std::ptrdiff_t(at),
                 packed.begin() + std::ptrdiff_t(at + control + 1));
      at += control + 1;
      continue;
    }
    std::size_t length = (control >> 5) + 2;
    if (length == 9) {
      const auto more = next();
      if (!more) return std::nullopt;
      length += *more;
    }
    const auto low = next();
    if (!low) return std::nullopt;
    const std::size_t back = ((control & 31u) << 8) + *low + 1;
    if (back > out.size()) return std::nullopt;
    for (std::size_t i = 0; i < length; ++i) out.push_back(out[out.size() - back]);  // it may overlap itself
  }
  return out;
}

/// As the library calls it; 0 is a failure.
inline std::size_t lzf_call(unsigned flags, std::size_t, const unsigned*, std::size_t size, std::size_t* room,
                            void** buffer) {
  if (!(flags & H5Z_FLAG_REVERSE)) return 0;  // this only reads
  const auto out = lzf_unpacked({static_cast<const std::byte*>(*buffer), size});
  if (!out || out->empty()) return 0;
  void* mine = H5allocate_memory(out->size(), false);
  if (!mine) return 0;
  std::memcpy(mine, out->data(), out->size());
  H5free_memory(*buffer);
  *buffer = mine;
  *room = out->size();
  return out->size();
}

/// Lets the library read what is packed by LZF, and load no filter from elsewhere.
inline void register_lzf() {
  static const H5Z_class2_t filter{H5Z_CLASS_T_VERS, lzf_filter, 0, 1, "lzf", nullptr, nullptr, lzf_call};
  H5PLset_loading_state(0);
  H5Zregister(&filter);
}

}  // namespace mno::io::detail
