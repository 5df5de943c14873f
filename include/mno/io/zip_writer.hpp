#pragma once
// Writing a zip archive piece by piece: sizes and checksums are patched into a member's header when it ends.
// Every local header has room for zip64 sizes, since nobody knows them before; dates are constant, so that
// the same data gives the same file.
#include <zlib.h>

#include <array>
#include <string>
#include <vector>

#include "mno/io/safe_file.hpp"
#include "mno/io/zip_member.hpp"

namespace mno::io {

enum class Compression { none, deflate };

class ZipWriter {
 public:
  explicit ZipWriter(const std::filesystem::path& path, Keep keep = Keep::previous) : file_(path, keep) {}
  ZipWriter(const ZipWriter&) = delete;
  ZipWriter& operator=(const ZipWriter&) = delete;
  ~ZipWriter() {
    if (open_ && current_.deflated) deflateEnd(&stream_);
  }

  void begin(const std::string& name, Compression compression) {
    require(!open_, "io::ZipWriter::begin", "name", text("the end of member '", current_.name, "' first"),
            text(name));
    require(!name.empty() && name.size() <= 0xFFFF, "io::ZipWriter::begin", "name", text("1 to 65535 bytes"),
            text(name.size()));
    for (const ZipEntry& entry : entries_)
      require(entry.name != name, "io::ZipWriter::begin", "name", text("a name that is not taken"),
              text(name));
    current_ = {name, compression == Compression::deflate, 0, 0, 0, file_.position()};
    if (current_.deflated) {
      stream_ = {};
      if (deflateInit2(&stream_, Z_DEFAULT_COMPRESSION, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY) !=
          Z_OK)
        refuse(file_name(file_.path()), "cannot be compressed: no memory");
    }
    open_ = true;
    file_.write(local_header(current_));
  }

  void write(std::span<const std::byte> bytes) {
    require(open_, "io::ZipWriter::write", "bytes", text("a member to write to"), text("none"));
    current_.crc =
        std::uint32_t(crc32_z(current_.crc, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
    current_.size += bytes.size();
    if (!current_.deflated) {
      file_.write(bytes);
      current_.compressed += bytes.size();
      return;
    }
    while (!bytes.empty()) {
      const auto piece = bytes.first(std::min<std::size_t>(bytes.size(), 1u << 30));
      deflate_piece(piece, Z_NO_FLUSH);
      bytes = bytes.subspan(piece.size());
    }
  }

  void end() {
    require(open_, "io::ZipWriter::end", "member", text("one that was begun"), text("none"));
    if (current_.deflated) {
      deflate_piece({}, Z_FINISH);
      deflateEnd(&stream_);
    }
    open_ = false;
    file_.patch(current_.offset, local_header(current_));
    entries_.push_back(current_);
  }

  /// Writes the directory and puts the archive in place.
  void commit() {
    require(!open_, "io::ZipWriter::commit", "member", text("the end of every member"),
            text("'", current_.name, "' open"));
    const std::uint64_t start = file_.position();
    for (const ZipEntry& entry : entries_) file_.write(directory_entry(entry));
    file_.write(directory_end(start, file_.position() - start));
    file_.commit();
  }

 private:
  static constexpr std::uint32_t wide = 0xFFFFFFFF;  // "look at the zip64 field"
  static constexpr std::uint16_t utf8_names = 1 << 11, version = 45;
  static constexpr std::uint32_t date = 0x00210000;  // 1980-01-01, the first that zip knows

  void deflate_piece(std::span<const std::byte> bytes, int flush) {
    std::array<std::byte, std::size_t{1} << 16> out;
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(bytes.data()));
    stream_.avail_in = uInt(bytes.size());
    do {
      stream_.next_out = reinterpret_cast<Bytef*>(out.data());
      stream_.avail_out = uInt(out.size());
      deflate(&stream_, flush);
      const std::size_t n = out.size() - stream_.avail_out;
      file_.write(std::span(out).first(n));
      current_.compressed += n;
    } while (stream_.avail_out == 0);
  }

  static void common(Bytes& bytes, const ZipEntry& entry) {
    append(bytes, version);
    append(bytes, utf8_names);
    append(bytes, std::uint16_t(entry.deflated ? 8 : 0));
    append(bytes, date);
    append(bytes, entry.crc);
  }
  static Bytes local_header(const ZipEntry& entry) {
    Bytes bytes;
    append(bytes, std::uint32_t(0x04034b50));
    common(bytes, entry);
    append(bytes, wide);
    append(bytes, wide);
    append(bytes, std::uint16_t(entry.name.size()));
    append(bytes, std::uint16_t(20));
    append(bytes, entry.name);
    append(bytes, std::uint16_t(1));
    append(bytes, std::uint16_t(16));
    append(bytes, entry.size);
    append(bytes, entry.compressed);
    return bytes;
  }
  static Bytes directory_entry(const ZipEntry& entry) {
    const auto narrow = [](std::uint64_t n) { return n < wide ? std::uint32_t(n) : wide; };
    Bytes extra;
    for (std::uint64_t n : {entry.size, entry.compressed, entry.offset})
      if (n >= wide) append(extra, n);
    Bytes bytes;
    append(bytes, std::uint32_t(0x02014b50));
    append(bytes, version);
    common(bytes, entry);
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
  Bytes directory_end(std::uint64_t start, std::uint64_t size) const {
    Bytes bytes;
    const std::uint64_t count = entries_.size();
    if (start >= wide || size >= wide || count >= 0xFFFF) {
      append(bytes, std::uint32_t(0x06064b50));
      append(bytes, std::uint64_t(44));  // bytes that follow in this record
      append(bytes, version);
      append(bytes, version);
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
    append(bytes, std::uint32_t(std::min<std::uint64_t>(size, wide)));
    append(bytes, std::uint32_t(std::min<std::uint64_t>(start, wide)));
    append(bytes, std::uint16_t(0));  // comment
    return bytes;
  }

  SafeFile file_;
  std::vector<ZipEntry> entries_;
  ZipEntry current_;
  bool open_ = false;
  z_stream stream_{};
};

}  // namespace mno::io
