#pragma once
// Writing a zip archive piece by piece: sizes and checksums are patched into a member's header when it ends.
#include <zlib.h>

#include <array>
#include <string>
#include <vector>

#include "mno/io/safe_file.hpp"
#include "mno/io/zip/member.hpp"
#include "mno/io/zip/records.hpp"

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
    require(!open_, "io::ZipWriter::begin", "name", Text("the end of member '", current_.name, "' first"),
            Text(name));
    require(!name.empty() && name.size() <= 0xFFFF, "io::ZipWriter::begin", "name", Text("1 to 65535 bytes"),
            Text(name.size()));
    for (const ZipEntry& entry : entries_)
      require(entry.name != name, "io::ZipWriter::begin", "name", Text("a name that is not taken"),
              Text(name));
    current_ = {name, compression == Compression::deflate, 0, 0, 0, file_.position()};
    if (current_.deflated) {
      stream_ = {};
      if (deflateInit2(&stream_, Z_DEFAULT_COMPRESSION, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY) !=
          Z_OK)
        refuse(file_name(file_.path()), "cannot be compressed: no memory");
    }
    open_ = true;
    file_.write(zip_local_header(current_));
  }

  void write(std::span<const std::byte> bytes) {
    require(open_, "io::ZipWriter::write", "bytes", Text("a member to write to"), Text("none"));
    if (bytes.empty()) return;  // crc32 starts anew on a null pointer
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
    require(open_, "io::ZipWriter::end", "member", Text("one that was begun"), Text("none"));
    if (current_.deflated) {
      deflate_piece({}, Z_FINISH);
      deflateEnd(&stream_);
    }
    open_ = false;
    file_.patch(current_.offset, zip_local_header(current_));
    entries_.push_back(current_);
  }

  /// Writes the directory and puts the archive in place.
  void commit() {
    require(!open_, "io::ZipWriter::commit", "member", Text("the end of every member"),
            Text("'", current_.name, "' open"));
    const std::uint64_t start = file_.position();
    for (const ZipEntry& entry : entries_) file_.write(zip_directory_entry(entry));
    file_.write(zip_directory_end(entries_.size(), start, file_.position() - start));
    file_.commit();
  }

 private:
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

  SafeFile file_;
  std::vector<ZipEntry> entries_;
  ZipEntry current_;
  bool open_ = false;
  z_stream stream_{};
};

}  // namespace mno::io
