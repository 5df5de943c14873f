#pragma once
// Reading a file, whole or in ranges.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <memory>
#include <string>
#include <system_error>

#include "mno/io/bytes.hpp"

namespace mno::io {

inline std::string file_name(const std::filesystem::path& path) { return "file '" + path.string() + "'"; }
/// What the system says about an errno.
inline std::string system_message(int error) { return std::generic_category().message(error); }

/// A descriptor that closes itself.
class Descriptor {
 public:
  explicit Descriptor(int value = -1) : value_(value) {}
  Descriptor(Descriptor&& other) noexcept : value_(std::exchange(other.value_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(value_, other.value_);
    return *this;
  }
  ~Descriptor() {
    if (value_ >= 0) ::close(value_);
  }
  int get() const { return value_; }
  explicit operator bool() const { return value_ >= 0; }

 private:
  int value_;
};

/// A file that is open for reading. Ranges may be read from several threads at once.
class File : public Source {
 public:
  explicit File(const std::filesystem::path& path) : File(path, open(path)) {}

 private:
  struct Opened {
    Descriptor descriptor;
    std::uint64_t size;
  };
  File(const std::filesystem::path& path, Opened opened)
      : Source(file_name(path), opened.size), descriptor_(std::move(opened.descriptor)) {}

  static Opened open(const std::filesystem::path& path) {
    // Without O_NONBLOCK, opening a pipe would block for ever; below it is refused.
    Descriptor descriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    if (!descriptor) refuse(file_name(path), "cannot be opened: ", system_message(errno));
    struct stat status {};
    if (::fstat(descriptor.get(), &status) != 0)
      refuse(file_name(path), "cannot be examined: ", system_message(errno));
    if (!S_ISREG(status.st_mode)) refuse(file_name(path), "expected a regular file, found something else");
    return {std::move(descriptor), std::uint64_t(status.st_size)};
  }

  void fetch(std::uint64_t offset, std::span<std::byte> out) override {
    while (!out.empty()) {
      const ssize_t n = ::pread(descriptor_.get(), out.data(), out.size(), off_t(offset));
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) refuse(name(), "cannot be read at offset ", offset, ": ", system_message(errno));
      if (n == 0)
        refuse(name(), "ends at offset ", offset, ", but had ", size(), " bytes when it was opened");
      offset += std::uint64_t(n);
      out = out.subspan(std::size_t(n));
    }
  }

  Descriptor descriptor_;
};

inline std::shared_ptr<Source> open_file(const std::filesystem::path& path) {
  return std::make_shared<File>(path);
}
inline Bytes read_file(const std::filesystem::path& path) {
  File file(path);
  return file.read(0, file.size());
}

}  // namespace mno::io
