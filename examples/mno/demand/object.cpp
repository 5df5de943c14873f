#include "object.hpp"

#include <dlfcn.h>

#include <charconv>
#include <mno/io/safe_file.hpp>
#include <mno/io/sha256.hpp>

namespace demand {

namespace {

namespace io = mno::io;
constexpr std::size_t size_digits = 16, hash_digits = 64;

/// All bytes of a regular file, or none.
std::optional<std::string> content(const io::Descriptor& file) {
  struct stat status {};
  if (::fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode)) return {};
  std::string bytes(std::size_t(status.st_size), '\0');
  for (std::size_t at = 0; at < bytes.size();) {
    const ssize_t n = ::pread(file.get(), bytes.data() + at, bytes.size() - at, off_t(at));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return {};
    at += std::size_t(n);
  }
  return bytes;
}

}  // namespace

void seal(const std::filesystem::path& object, const About& about) {
  const auto fail = [&](const char* what) {
    io::cannot_write(io::file_name(object), "cannot ", what, " it: ", io::system_message(errno));
  };
  const io::Descriptor file(::open(object.c_str(), O_RDWR | O_APPEND | O_CLOEXEC | O_NOFOLLOW));
  if (!file) fail("open");
  auto bytes = content(file);
  if (!bytes) fail("read");
  std::string lines;
  for (const auto& [name, value] : about) lines += name + "=" + value + "\n";
  char digits[size_digits + 1];
  std::snprintf(digits, sizeof digits, "%016zx", lines.size());
  std::string end = lines + digits;
  end += io::sha256(*bytes + end);
  for (std::string_view rest = end; !rest.empty();) {
    const ssize_t n = ::write(file.get(), rest.data(), rest.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) fail("write");
    rest.remove_prefix(std::size_t(n));
  }
  if (::fchmod(file.get(), 0500) != 0 || ::fsync(file.get()) != 0) fail("make durable");
}

std::optional<About> unsealed(const io::Descriptor& object) {
  const auto bytes = content(object);
  constexpr std::size_t end = size_digits + hash_digits;
  if (!bytes || bytes->size() < end) return {};
  const std::string_view all = *bytes, sealed = all.substr(0, all.size() - hash_digits);
  if (io::sha256(sealed) != all.substr(sealed.size())) return {};
  std::size_t size = 0;
  const std::string_view digits = sealed.substr(sealed.size() - size_digits);
  const auto parsed = std::from_chars(digits.begin(), digits.end(), size, 16);
  if (parsed.ptr != digits.end() || size > sealed.size() - size_digits) return {};
  About about;
  std::string_view lines = sealed.substr(sealed.size() - size_digits - size, size);
  while (!lines.empty()) {
    const std::size_t line = lines.find('\n'), equals = lines.find('=');
    if (line == lines.npos || equals > line) return {};
    about.emplace(lines.substr(0, equals), lines.substr(equals + 1, line - equals - 1));
    lines.remove_prefix(line + 1);
  }
  return about;
}

Loaded load(const io::Descriptor& object) {
  // By its descriptor, so that what is loaded is what was looked at. The loader knows libraries by their
  // names: the descriptor stays open, so that its number never names another one.
  const int kept = ::fcntl(object.get(), F_DUPFD_CLOEXEC, 3);
  if (kept < 0) return {nullptr, io::system_message(errno)};
  const std::string name = "/proc/self/fd/" + std::to_string(kept);
  void* const library = ::dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    const char* const why = ::dlerror();
    ::close(kept);
    return {nullptr, why ? why : "it cannot be loaded"};
  }
  const auto entry = reinterpret_cast<boundary::Entry>(::dlsym(library, boundary::entry_name));
  const boundary::Table* const table = entry ? entry() : nullptr;
  if (!table || table->version != boundary::version || table->size != sizeof(boundary::Table))
    return {nullptr, "it is made for another program"};
  return {table, {}};
}

}  // namespace demand
