#pragma once
// Reading a zip archive: its central directory, and its members as sources of bytes.
//   https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT
// Members are stored or deflated; zip64 sizes are understood. Everything that the directory claims is checked
// against the file before it is used: ranges, overlaps, and whether deflate could have packed so much into so
// few bytes.
#include <zlib.h>

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <vector>

#include "mno/io/bytes.hpp"
#include "mno/io/zip/member.hpp"

namespace mno::io {

/// The directory of an archive.
class Zip {
 public:
  explicit Zip(std::shared_ptr<Source> source) : source_(std::move(source)) {
    const Directory directory = locate();
    const Bytes bytes = source_->read(directory.offset, directory.size);
    std::size_t at = 0;
    for (std::uint64_t i = 0; i < directory.entries; ++i) members_.push_back(member(bytes, at));
    if (at != bytes.size()) refuse(name(), "found ", bytes.size() - at, " bytes too many in its directory");
    check_ranges(directory.offset);
    check_names();
  }

  const std::string& name() const { return source_->name(); }
  const std::vector<ZipEntry>& members() const { return members_; }
  const ZipEntry* find(std::string_view name) const {
    const auto found = std::ranges::find(members_, name, &ZipEntry::name);
    return found == members_.end() ? nullptr : &*found;
  }
  /// The uncompressed bytes of a member, as a source that outlives this object.
  std::shared_ptr<ZipMember> open(const ZipEntry& entry) const {
    return std::make_shared<ZipMember>(source_, entry);
  }

 private:
  struct Directory {
    std::uint64_t offset, size, entries;
  };
  static constexpr std::size_t end_size = 22, end64_size = 56, locator_size = 20, entry_size = 46;

  Directory locate() {
    // The end record is the last thing in the file but for a comment of at most 65535 bytes.
    const std::uint64_t whole = source_->size();
    const std::uint64_t tail = std::min<std::uint64_t>(whole, end_size + 0xFFFF);
    const Bytes last = source_->read(whole - tail, tail);
    std::size_t at = last.size() < end_size ? 0 : last.size() - end_size + 1;
    const auto is_end = [&](std::size_t i) {
      return load<std::uint32_t>(last, i) == 0x06054b50 &&
             i + end_size + load<std::uint16_t>(last, i + 20) == last.size();
    };
    while (at > 0 && !is_end(at - 1)) --at;
    if (at-- == 0) refuse(name(), "expected a zip archive, found no end of a central directory");

    const std::uint64_t end = whole - tail + at;
    Directory directory{load<std::uint32_t>(last, at + 16), load<std::uint32_t>(last, at + 12),
                        load<std::uint16_t>(last, at + 10)};
    bool one_disk = load<std::uint16_t>(last, at + 4) == 0 && load<std::uint16_t>(last, at + 6) == 0 &&
                    load<std::uint16_t>(last, at + 8) == directory.entries;
    const bool beyond =
        directory.offset == 0xFFFFFFFF || directory.size == 0xFFFFFFFF || directory.entries == 0xFFFF;
    std::uint64_t limit = end;
    if (beyond && end >= locator_size) {
      const Bytes locator = source_->read(end - locator_size, locator_size);
      if (load<std::uint32_t>(locator, 0) == 0x07064b50) {
        limit = load<std::uint64_t>(locator, 8);
        if (!within(limit, end64_size, end - locator_size))
          refuse(name(), "found a zip64 directory end at offset ", limit, ", outside of the file");
        const Bytes end64 = source_->read(limit, end64_size);
        if (load<std::uint32_t>(end64, 0) != 0x06064b50)
          refuse(name(), "found no zip64 directory end where it should be");
        one_disk = load<std::uint32_t>(end64, 16) == 0 && load<std::uint32_t>(end64, 20) == 0;
        directory = {load<std::uint64_t>(end64, 48), load<std::uint64_t>(end64, 40),
                     load<std::uint64_t>(end64, 32)};
      }
    }
    if (!one_disk) refuse(name(), "found a zip archive of several parts, expected one");
    if (!within(directory.offset, directory.size, limit) || directory.entries > directory.size / entry_size)
      refuse(name(), "found a directory that claims ", directory.entries, " members in ", directory.size,
             " bytes at offset ", directory.offset, " of ", limit);
    return directory;
  }

  ZipEntry member(std::span<const std::byte> bytes, std::size_t& at) const {
    if (!within(at, entry_size, bytes.size()) || load<std::uint32_t>(bytes, at) != 0x02014b50)
      refuse(name(), "found no member at byte ", at, " of its directory");
    const std::size_t name_size = load<std::uint16_t>(bytes, at + 28),
                      extra_size = load<std::uint16_t>(bytes, at + 30),
                      size = entry_size + name_size + extra_size + load<std::uint16_t>(bytes, at + 32);
    if (!within(at, size, bytes.size())) refuse(name(), "found a member that leaves its directory");
    ZipEntry entry;
    entry.name = characters(bytes.subspan(at + entry_size, name_size));
    const auto flags = load<std::uint16_t>(bytes, at + 8), method = load<std::uint16_t>(bytes, at + 10);
    entry.crc = load<std::uint32_t>(bytes, at + 16);
    entry.compressed = load<std::uint32_t>(bytes, at + 20);
    entry.size = load<std::uint32_t>(bytes, at + 24);
    entry.offset = load<std::uint32_t>(bytes, at + 42);
    widen(entry, bytes.subspan(at + entry_size + name_size, extra_size));
    if (flags & 0x41) refuse(name(), "found member ", shown(entry.name), " encrypted");
    if (method != 0 && method != 8)
      refuse(name(), "found member ", shown(entry.name), " compressed by method ", method,
             "; accepted are 0 (stored) and 8 (deflate)");
    entry.deflated = method == 8;
    check_size(entry);
    at += size;
    return entry;
  }

  /// Sizes beyond 32 bits stand in the zip64 extra field, in this order, each only if it is needed.
  void widen(ZipEntry& entry, std::span<const std::byte> extra) const {
    std::array<std::uint64_t*, 3> wide{&entry.size, &entry.compressed, &entry.offset};
    if (std::ranges::none_of(wide, [](auto* n) { return *n == 0xFFFFFFFF; })) return;
    while (extra.size() >= 4) {
      const auto id = load<std::uint16_t>(extra, 0), size = load<std::uint16_t>(extra, 2);
      if (!within(4, size, extra.size())) break;
      auto field = extra.subspan(4, size);
      extra = extra.subspan(4 + std::size_t(size));
      if (id != 1) continue;
      for (std::uint64_t* n : wide) {
        if (*n != 0xFFFFFFFF) continue;
        if (field.size() < 8) refuse(name(), "found member ", shown(entry.name), " without its zip64 sizes");
        *n = load<std::uint64_t>(field, 0);
        field = field.subspan(8);
      }
      return;
    }
  }

  void check_size(const ZipEntry& entry) const {
    constexpr std::uint64_t most = 1032;  // deflate makes at most 258 bytes of two bits
    const auto bound = entry.deflated ? checked_product(entry.compressed, most) : entry.compressed;
    const bool fits = entry.deflated ? !bound || entry.size <= *bound : entry.size == entry.compressed;
    if (!fits)
      refuse(name(), "found member ", shown(entry.name), " that claims ", entry.size, " bytes in ",
             entry.compressed, entry.deflated ? " deflated ones" : " stored ones");
  }

  /// Members lie one after the other before the directory.
  void check_ranges(std::uint64_t directory) const {
    std::vector<const ZipEntry*> order;
    for (const ZipEntry& entry : members_) order.push_back(&entry);
    std::ranges::sort(order, {}, &ZipEntry::offset);
    for (std::size_t i = 0; i < order.size(); ++i) {
      const std::uint64_t limit = i + 1 < order.size() ? order[i + 1]->offset : directory;
      const auto size = checked_sum(ZipMember::header_size + order[i]->name.size(), order[i]->compressed);
      if (limit > directory || !size || !within(order[i]->offset, *size, limit))
        refuse(name(), "found member ", shown(order[i]->name), " that claims ", order[i]->compressed,
               " bytes at offset ", order[i]->offset, ", but what follows starts at ", limit);
    }
  }

  void check_names() const {
    std::vector<std::string_view> names;
    for (const ZipEntry& entry : members_) names.push_back(entry.name);
    std::ranges::sort(names);
    const auto twice = std::ranges::adjacent_find(names);
    if (twice != names.end()) refuse(name(), "found member ", shown(*twice), " twice");
  }

  std::shared_ptr<Source> source_;
  std::vector<ZipEntry> members_;
};

}  // namespace mno::io
