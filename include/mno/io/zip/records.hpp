#pragma once
// The records of a zip archive, as they are written. Dates are constant, so that the same data gives the same
// file.
#include <algorithm>

#include "mno/io/bytes.hpp"
#include "mno/io/zip/member.hpp"

namespace mno::io {

inline constexpr std::uint32_t zip_wide = 0xFFFFFFFF;  // "look at the zip64 field"
inline constexpr std::uint16_t zip_utf8_names = 1 << 11, zip_version = 45;
inline constexpr std::uint32_t zip_date = 0x00210000;  // 1980-01-01, the first that zip knows

/// What both headers of a member share.
inline void zip_common(Bytes& bytes, const ZipEntry& entry) {
  append(bytes, zip_version);
  append(bytes, zip_utf8_names);
  append(bytes, std::uint16_t(entry.deflated ? 8 : 0));
  append(bytes, zip_date);
  append(bytes, entry.crc);
}

/// Before a member: with room for zip64 sizes always, since they are known only afterwards.
inline Bytes zip_local_header(const ZipEntry& entry) {
  Bytes bytes;
  append(bytes, std::uint32_t(0x04034b50));
  zip_common(bytes, entry);
  append(bytes, zip_wide);
  append(bytes, zip_wide);
  append(bytes, std::uint16_t(entry.name.size()));
  append(bytes, std::uint16_t(20));
  append(bytes, entry.name);
  append(bytes, std::uint16_t(1));
  append(bytes, std::uint16_t(16));
  append(bytes, entry.size);
  append(bytes, entry.compressed);
  return bytes;
}

/// In the directory: zip64 sizes only where they are needed.
inline Bytes zip_directory_entry(const ZipEntry& entry) {
  const auto narrow = [](std::uint64_t n) { return n < zip_wide ? std::uint32_t(n) : zip_wide; };
  Bytes extra;
  for (std::uint64_t n : {entry.size, entry.compressed, entry.offset})
    if (n >= zip_wide) append(extra, n);
  Bytes bytes;
  append(bytes, std::uint32_t(0x02014b50));
  append(bytes, zip_version);
  zip_common(bytes, entry);
  append(bytes, narrow(entry.compressed));
  append(bytes, narrow(entry.size));
  append(bytes, std::uint16_t(entry.name.size()));
  append(bytes, std::uint16_t(extra.empty() ? 0 : extra.size() + 4));
  append(bytes, std::uint16_t(0));  // comment
  append(bytes, std::uint16_t(0));  // disk
  append(bytes, std::uint16_t(0));  // internal attributes
  append(bytes, std::uint32_t(0));  // external attributes
  append(bytes, narrow(entry.offset));
  append(bytes, entry.name);
  if (!extra.empty()) {
    append(bytes, std::uint16_t(1));
    append(bytes, std::uint16_t(extra.size()));
    bytes.insert(bytes.end(), extra.begin(), extra.end());
  }
  return bytes;
}

/// After the directory, which is `size` bytes from `start` on.
inline Bytes zip_directory_end(std::uint64_t count, std::uint64_t start, std::uint64_t size) {
  Bytes bytes;
  if (start >= zip_wide || size >= zip_wide || count >= 0xFFFF) {
    append(bytes, std::uint32_t(0x06064b50));
    append(bytes, std::uint64_t(44));  // bytes that follow in this record
    append(bytes, zip_version);
    append(bytes, zip_version);
    append(bytes, std::uint64_t(0));  // disks
    append(bytes, count);
    append(bytes, count);
    append(bytes, size);
    append(bytes, start);
    append(bytes, std::uint32_t(0x07064b50));
    append(bytes, std::uint32_t(0));
    append(bytes, start + size);
    append(bytes, std::uint32_t(1));
  }
  append(bytes, std::uint32_t(0x06054b50));
  append(bytes, std::uint32_t(0));  // disks
  append(bytes, std::uint16_t(std::min<std::uint64_t>(count, 0xFFFF)));
  append(bytes, std::uint16_t(std::min<std::uint64_t>(count, 0xFFFF)));
  append(bytes, std::uint32_t(std::min<std::uint64_t>(size, zip_wide)));
  append(bytes, std::uint32_t(std::min<std::uint64_t>(start, zip_wide)));
  append(bytes, std::uint16_t(0));  // comment
  return bytes;
}

}  // namespace mno::io
