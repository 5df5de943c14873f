#pragma once
// Writing a file so that a crash, a full disk or a lost power supply never costs what was there before.
//
// All bytes go to a temporary file in the same directory. commit() makes them durable (fsync), keeps the old
// file as NAME.previous, renames the temporary to NAME and makes the directory durable. At every moment NAME
// is the whole old file or the whole new one. A SafeFile that is destroyed before commit() leaves nothing.
//
// A killed process cannot remove its temporary. It holds a lock on it while it lives, so the next writer of
// the same NAME recognises temporaries without an owner and removes them.
#include <sys/file.h>

#include <filesystem>

#include "mno/io/file.hpp"

namespace mno::io {

/// A full disk or a read-only folder: the request itself was right.
class CannotWrite : public Error {
 public:
  using Error::Error;
};
template <class... Parts> [[noreturn]] void cannot_write(const std::string& name, const Parts&... parts) {
  throw CannotWrite(Text("mno: ", name, ": ", Text(parts...).str(), ".").str());
}

enum class Keep { previous, nothing };  // of the file that is replaced

class SafeFile {
 public:
  explicit SafeFile(std::filesystem::path path, Keep keep = Keep::previous)
      : path_(resolve(std::move(path))), keep_(keep) {
    struct stat status {};
    const bool replaces = ::lstat(path_.c_str(), &status) == 0;
    if (replaces && !S_ISREG(status.st_mode))
      refuse(file_name(path_), "expected a regular file to replace, found something else");
    remove_orphans();
    create(replaces ? status.st_mode & 0777 : 0666);  // what was private stays private
    buffer_.reserve(buffered);
  }
  SafeFile(const SafeFile&) = delete;
  SafeFile& operator=(const SafeFile&) = delete;
  ~SafeFile() { discard(); }

  const std::filesystem::path& path() const { return path_; }
  /// Where the bytes are until commit(), for libraries that write files themselves.
  const std::filesystem::path& temporary() const { return temporary_; }
  /// How many bytes have been written so far.
  std::uint64_t position() const { return flushed_ + buffer_.size(); }

  void write(std::span<const std::byte> bytes) {
    if (buffer_.size() + bytes.size() > buffered) flush();
    if (bytes.size() > buffered) {
      put(flushed_, bytes);
      flushed_ += bytes.size();
    } else {
      buffer_.insert(buffer_.end(), bytes.begin(), bytes.end());
    }
  }
  void write(std::string_view text) { write(bytes_of(text)); }

  /// Overwrites bytes that were written before: sizes and checksums that are known only afterwards.
  void patch(std::uint64_t offset, std::span<const std::byte> bytes) {
    require(within(offset, bytes.size(), position()), "io::SafeFile::patch", "offset",
            Text("a range within the ", position(), " bytes written"), Text(offset, " + ", bytes.size()));
    flush();
    put(offset, bytes);
  }

  /// Puts the new file in place of the old one.
  void commit() {
    flush();
    if (::fsync(descriptor_.get()) != 0) fail("make durable");
    if (keep_ == Keep::previous) keep_previous();
    if (::rename(temporary_.c_str(), path_.c_str()) != 0) fail("rename");
    temporary_.clear();  // it is NAME now
    make_directory_durable();
    descriptor_ = Descriptor();
  }

 private:
  static constexpr std::size_t buffered = std::size_t{1} << 16;

  /// A link is written through, not replaced.
  static std::filesystem::path resolve(std::filesystem::path path) {
    std::error_code ignored;
    if (!std::filesystem::is_symlink(path, ignored)) return path;
    auto target = std::filesystem::canonical(path, ignored);
    return ignored ? path : target;
  }

  std::filesystem::path directory() const {
    return path_.has_parent_path() ? path_.parent_path() : std::filesystem::path(".");
  }
  std::string prefix() const { return "." + path_.filename().string() + "."; }
  static constexpr std::string_view suffix = ".unfinished";

  /// After a failure nothing more can be written, so that what lacks a piece is never committed.
  [[noreturn]] void fail(const char* what) {
    const std::string message = system_message(errno), name = temporary_.string();
    discard();
    cannot_write(file_name(path_), "cannot ", what, " its temporary '", name, "': ", message,
                 "; the file itself is unchanged");
  }

  void create(mode_t mode) {
    std::uint32_t number = 0;
    if (::getentropy(&number, sizeof number) != 0) number = 0;  // there are several attempts
    for (int attempt = 0; attempt < 100; ++attempt) {
      temporary_ = directory() / (prefix() + std::to_string(::getpid()) + "-" + std::to_string(number++) +
                                  std::string(suffix));
      descriptor_ = Descriptor(::open(temporary_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode));
      if (!descriptor_ && errno == EEXIST) continue;
      if (!descriptor_) {
        const int error = errno;
        const auto name = std::exchange(temporary_, {});
        cannot_write(file_name(path_), "cannot create its temporary '", name.string(),
                     "': ", system_message(error));
      }
      const bool locked = ::flock(descriptor_.get(), LOCK_EX | LOCK_NB) == 0;
      if (!locked && errno != EWOULDBLOCK) return;  // a file system without locks: orphans stay
      // Before the lock was held, another writer may have taken the file for an orphan.
      struct stat status {};
      if (locked && ::fstat(descriptor_.get(), &status) == 0 && status.st_nlink == 1) return;
      discard();
    }
    cannot_write(file_name(path_), "cannot create a temporary beside it: every name that was tried is taken");
  }

  void remove_orphans() const {
    std::error_code error;
    for (std::filesystem::directory_iterator entry(directory(), error), end; !error && entry != end;
         entry.increment(error)) {
      const std::string name = entry->path().filename().string();
      if (!name.starts_with(prefix()) || !name.ends_with(suffix)) continue;
      Descriptor orphan(::open(entry->path().c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
      if (orphan && ::flock(orphan.get(), LOCK_EX | LOCK_NB) == 0) ::unlink(entry->path().c_str());
    }
  }

  void flush() {
    put(flushed_, buffer_);
    flushed_ += buffer_.size();
    buffer_.clear();
  }
  void put(std::uint64_t offset, std::span<const std::byte> bytes) {
    require(bool(descriptor_), "io::SafeFile::write", "this",
            Text("a file that is neither committed nor failed"), Text("'", path_.string(), "'"));
    while (!bytes.empty()) {
      const ssize_t n = ::pwrite(descriptor_.get(), bytes.data(), bytes.size(), off_t(offset));
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) fail("write");
      offset += std::uint64_t(n);
      bytes = bytes.subspan(std::size_t(n));
    }
  }

  /// A second link to the old file, so that NAME is never absent, not even for a moment.
  void keep_previous() {
    std::filesystem::path previous = path_;
    previous += ".previous";
    if (::access(path_.c_str(), F_OK) != 0) return;
    if (::unlink(previous.c_str()) != 0 && errno != ENOENT) fail("remove the older '.previous' of");
    if (::link(path_.c_str(), previous.c_str()) == 0 || errno == EEXIST) return;
    // A file system without links: copy, so that NAME still stays in place.
    std::error_code error;
    std::filesystem::copy_file(path_, previous, std::filesystem::copy_options::overwrite_existing, error);
    if (error) {
      errno = error.value();
      fail("keep the old file beside");
    }
  }

  void make_directory_durable() const {
    Descriptor folder(::open(directory().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!folder || (::fsync(folder.get()) != 0 && errno != EINVAL))  // EINVAL: nothing to do here
      cannot_write(file_name(path_),
                   "is written, but may not outlive a power failure, because its directory ",
                   "cannot be made durable: ", system_message(errno));
  }

  void discard() noexcept {
    if (!temporary_.empty()) ::unlink(temporary_.c_str());
    temporary_.clear();
    descriptor_ = Descriptor();
  }

  std::filesystem::path path_, temporary_;
  Keep keep_;
  Descriptor descriptor_;
  Bytes buffer_;
  std::uint64_t flushed_ = 0;
};

/// The whole of a file at once.
inline void write_file(const std::filesystem::path& path, std::span<const std::byte> bytes,
                       Keep keep = Keep::previous) {
  SafeFile file(path, keep);
  file.write(bytes);
  file.commit();
}

}  // namespace mno::io
