#pragma once
// One member of a zip archive as a source of bytes, stored or deflated.
//
// A stored member is read at any offset. A deflated one is inflated as far as it is asked for: reading on is
// cheap, reading back starts again from its beginning. Its checksum is compared whenever it has been read
// from its beginning to its end without gaps.
#include <zlib.h>

#include <algorithm>
#include <array>
#include <memory>
#include <string>

#include "mno/io/bytes.hpp"

namespace mno::io {

struct ZipEntry {
  std::string name;
  bool deflated = false;
  std::uint32_t crc = 0;
  std::uint64_t compressed = 0, size = 0;  // bytes in the archive, and what they stand for
  std::uint64_t offset = 0;                // of the local header
};

/// Raw deflate, piece by piece: what zlib calls an inflate stream.
class Inflater {
 public:
  Inflater(Source& source, std::uint64_t offset, std::uint64_t size, const std::string& name)
      : source_(source), name_(name), next_(offset), left_(size) {
    if (inflateInit2(&stream_, -MAX_WBITS) != Z_OK) refuse(name_, "cannot be inflated: no memory");
  }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;
  ~Inflater() { inflateEnd(&stream_); }

  /// Up to out.size() bytes; fewer only at the end of the stream.
  std::size_t read(std::span<std::byte> out) {
    std::size_t done = 0;
    while (done < out.size() && !ended_) {
      if (stream_.avail_in == 0) refill();
      const std::size_t piece = std::min<std::size_t>(out.size() - done, 1u << 30);
      stream_.next_out = reinterpret_cast<Bytef*>(out.data() + done);
      stream_.avail_out = uInt(piece);
      const bool starved = stream_.avail_in == 0;
      const int status = inflate(&stream_, Z_NO_FLUSH);
      done += piece - stream_.avail_out;
      ended_ = status == Z_STREAM_END;
      if (status == Z_MEM_ERROR) refuse(name_, "cannot be inflated: no memory");
      if (!ended_ && (status != Z_OK || (starved && stream_.avail_out == piece)))
        refuse(name_,
               "found bytes that are not deflate data: ", stream_.msg ? stream_.msg : "they end too early");
    }
    return done;
  }

 private:
  void refill() {
    const std::size_t n = std::size_t(std::min<std::uint64_t>(left_, input_.size()));
    source_.read(next_, std::span(input_).first(n));
    next_ += n;
    left_ -= n;
    stream_.next_in = reinterpret_cast<Bytef*>(input_.data());
    stream_.avail_in = uInt(n);
  }

  Source& source_;
  const std::string& name_;
  std::uint64_t next_, left_;
  bool ended_ = false;
  z_stream stream_{};
  std::array<std::byte, std::size_t{1} << 16> input_;
};

class ZipMember : public Source {
 public:
  static constexpr std::size_t header_size = 30;

  ZipMember(std::shared_ptr<Source> archive, ZipEntry entry)
      : Source(archive->name() + ", member " + shown(entry.name), entry.size),
        archive_(std::move(archive)),
        entry_(std::move(entry)) {
    const Bytes header = archive_->read(entry_.offset, header_size);
    const std::uint64_t name_size = load<std::uint16_t>(header, 26),
                        extra_size = load<std::uint16_t>(header, 28);
    if (load<std::uint32_t>(header, 0) != 0x04034b50)
      refuse(name(), "found no local header where the directory says");
    data_ = entry_.offset + header_size + name_size + extra_size;
    const Bytes local_name = archive_->read(entry_.offset + header_size, name_size);
    if (characters(local_name) != entry_.name || load<std::uint16_t>(header, 8) != (entry_.deflated ? 8 : 0))
      refuse(name(), "found a local header for ", shown(characters(local_name)),
             " that differs from the directory");
    if (!within(data_, entry_.compressed, archive_->size()))
      refuse(name(), "claims ", entry_.compressed, " bytes at offset ", data_, " of ", archive_->size());
    restart();
    finish();  // an empty member is at its end already
  }

  /// Reads all of it and compares the checksum.
  void verify() {
    restart();
    Bytes piece(std::size_t(std::min<std::uint64_t>(size(), 1 << 16)));
    for (std::uint64_t at = 0; at < size(); at += piece.size()) {
      piece.resize(std::size_t(std::min<std::uint64_t>(piece.size(), size() - at)));
      read(at, piece);
    }
  }

 private:
  void restart() {
    position_ = 0;
    summed_ = 0;
    crc_ = 0;
    if (entry_.deflated) inflater_ = std::make_unique<Inflater>(*archive_, data_, entry_.compressed, name());
  }

  void fetch(std::uint64_t offset, std::span<std::byte> out) override {
    if (entry_.deflated) {
      if (offset < position_) restart();
      std::array<std::byte, 4096> skipped;
      while (position_ < offset)
        inflate_into(std::span(skipped).first(
            std::size_t(std::min<std::uint64_t>(offset - position_, skipped.size()))));
      inflate_into(out);
    } else {
      archive_->read(data_ + offset, out);
      if (offset <= summed_ && offset + out.size() > summed_) sum(out.subspan(std::size_t(summed_ - offset)));
    }
    finish();
  }

  void inflate_into(std::span<std::byte> out) {
    if (inflater_->read(out) != out.size())
      refuse(name(), "expected ", size(), " bytes, found that it inflates to fewer");
    position_ += out.size();
    sum(out);
  }
  void sum(std::span<const std::byte> bytes) {
    if (bytes.empty()) return;  // crc32 starts anew on a null pointer
    crc_ = std::uint32_t(crc32_z(crc_, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
    summed_ += bytes.size();
  }
  void finish() {
    if (summed_ != size()) return;
    std::array<std::byte, 1> more;
    if (entry_.deflated && inflater_->read(more) != 0)
      refuse(name(), "expected ", size(), " bytes, found that it inflates to more");
    if (crc_ != entry_.crc)
      refuse(name(), "found a checksum that does not match its bytes: the file is damaged");
  }

  std::shared_ptr<Source> archive_;
  ZipEntry entry_;
  std::uint64_t data_ = 0;
  std::uint64_t position_ = 0;  // of the inflater
  std::uint64_t summed_ = 0;    // bytes from the beginning that crc_ has seen
  std::uint32_t crc_ = 0;
  std::unique_ptr<Inflater> inflater_;
};

}  // namespace mno::io
