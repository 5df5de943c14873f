#include "folder.hpp"

#include <sys/file.h>

#include <algorithm>
#include <cstdlib>
#include <mno/io/safe_file.hpp>
#include <thread>

#include "commands.hpp"

namespace demand {

namespace {

namespace fs = std::filesystem;
namespace io = mno::io;

constexpr std::string_view object_end = ".so", lock_end = ".lock", log_end = ".log", workshop = "making-";

std::string variable(const char* name) {
  const char* const value = std::getenv(name);
  return value ? value : "";
}

template <class... Parts> [[noreturn]] void refuse_folder(const fs::path& path, const Parts&... parts) {
  io::refuse("folder '" + path.string() + "'", parts...,
             "; MNO_CACHE_DIR may name another place for operators");
}

/// Nobody else can have put it there or can change it.
bool ours_alone(const struct stat& status) {
  return status.st_uid == ::geteuid() && (status.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

fs::path usual_place() {
  if (const std::string cache = variable("XDG_CACHE_HOME"); cache.starts_with("/"))
    return fs::path(cache) / "mno";
  if (const std::string home = variable("HOME"); home.starts_with("/"))
    return fs::path(home) / ".cache" / "mno";
  return {};
}

fs::path temporary_place() {
  std::string pattern = (fs::temp_directory_path() / "mno-XXXXXX").string();
  if (!::mkdtemp(pattern.data()))
    io::cannot_write("folder '" + pattern + "'", "cannot be made: ", io::system_message(errno));
  return pattern;
}

}  // namespace

Folder::Folder(const fs::path& path) : path_(fs::absolute(path).lexically_normal()) {
  if (!path_.has_filename()) path_ = path_.parent_path();
  std::error_code error;
  fs::create_directories(path_.parent_path(), error);
  if (::mkdir(path_.c_str(), 0700) != 0 && errno != EEXIST)
    refuse_folder(path_, "cannot be made: ", io::system_message(errno));
  descriptor_ = io::Descriptor(::open(path_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW));
  if (!descriptor_) {
    const bool link = errno == ELOOP || errno == ENOTDIR;
    refuse_folder(path_, link ? "expected a folder, found a link or something else"
                              : "cannot be opened: " + io::system_message(errno));
  }
  struct stat status {};
  if (::fstat(descriptor_.get(), &status) != 0 || !ours_alone(status))
    refuse_folder(path_, status.st_uid != ::geteuid()
                             ? "expected a folder of your own for operators, found one of another user"
                             : "expected a folder that nobody else can write to, found one that others can");
}

Folder Folder::open() {
  if (const std::string wish = variable("MNO_CACHE_DIR"); !wish.empty()) return Folder(wish);
  std::string why = "neither XDG_CACHE_HOME nor HOME says where";
  if (const fs::path place = usual_place(); !place.empty()) {
    try {
      Folder folder(place);
      if (::faccessat(folder.descriptor_.get(), ".", W_OK | X_OK, 0) == 0) return folder;
      why = "'" + place.string() + "' cannot be written to";
    } catch (const mno::Error& error) {
      why = error.what();
    }
  }
  Folder folder(temporary_place());
  folder.why_temporary_ = why;
  return folder;
}

Folder::~Folder() {
  if (!descriptor_ || why_temporary_.empty()) return;
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

io::Descriptor Folder::object(const std::string& key) const {
  io::Descriptor file(::openat(descriptor_.get(), (key + std::string(object_end)).c_str(),
                               O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  struct stat status {};
  if (file && ::fstat(file.get(), &status) == 0 && S_ISREG(status.st_mode) && ours_alone(status)) return file;
  return io::Descriptor();
}

Folder::Lock::Lock(const Folder& folder, const std::string& key, const std::function<bool()>& interrupted)
    : folder_(folder),
      name_(key + std::string(lock_end)),
      held_(::openat(folder.descriptor_.get(), name_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW,
                     0600)) {
  if (!held_) folder.cannot_write(errno);
  while (::flock(held_.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK && errno != EINTR) break;
    if (interrupted && interrupted()) throw Interrupted();
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
}
Folder::Lock::~Lock() {
  // While it is held. Who waits for this very file looks for KEY.so as soon as it has it.
  ::unlinkat(folder_.descriptor_.get(), name_.c_str(), 0);
}

void Folder::cannot_write(int error) const {
  io::cannot_write("folder '" + path_.string() + "'", "cannot be written to: ", io::system_message(error),
                   "; MNO_CACHE_DIR may name another place for operators");
}

Folder::Workshop::Workshop(const Folder& folder) {
  folder.remove_orphans();
  std::string pattern = (folder.path_ / (std::string(workshop) + "XXXXXX")).string();
  if (!::mkdtemp(pattern.data())) folder.cannot_write(errno);
  path_ = pattern;
  alive_ = io::Descriptor(::open(path_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (alive_) ::flock(alive_.get(), LOCK_EX | LOCK_NB);
}
Folder::Workshop::~Workshop() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

void Folder::remove_orphans() const {
  std::error_code error;
  for (fs::directory_iterator entry(path_, error), end; !error && entry != end; entry.increment(error)) {
    if (!entry->path().filename().string().starts_with(workshop)) continue;
    const io::Descriptor orphan(
        ::open(entry->path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW));
    struct stat status {};
    // A new one is not locked yet in its first moment.
    const bool old = orphan && ::fstat(orphan.get(), &status) == 0 && ::time(nullptr) - status.st_mtime > 2;
    if (!old || ::flock(orphan.get(), LOCK_EX | LOCK_NB) != 0) continue;
    std::error_code ignored;
    fs::remove_all(entry->path(), ignored);
  }
}

void Folder::publish(const fs::path& object, const std::string& key) const {
  if (::renameat(AT_FDCWD, object.c_str(), descriptor_.get(), (key + std::string(object_end)).c_str()) != 0)
    cannot_write(errno);
  ::fsync(descriptor_.get());  // a name that is lost in a power failure is one compilation more
}

fs::path Folder::keep_log(const fs::path& log, const std::string& key) const {
  const fs::path kept = path_ / (key + std::string(log_end));
  std::error_code error;
  fs::rename(log, kept, error);
  return error ? fs::path() : kept;
}

std::vector<Folder::Kept> Folder::list() const {
  std::vector<Kept> all;
  std::error_code error;
  for (fs::directory_iterator entry(path_, error), end; !error && entry != end; entry.increment(error)) {
    if (entry->path().extension() != object_end) continue;
    const std::string key = entry->path().stem().string();
    const io::Descriptor file = object(key);
    struct stat status {};
    if (!file || ::fstat(file.get(), &status) != 0) continue;
    all.push_back({key, std::uint64_t(status.st_size),
                   std::chrono::seconds(std::max<std::time_t>(0, ::time(nullptr) - status.st_mtime))});
  }
  std::ranges::sort(all, {}, [](const Kept& one) { return std::pair(one.age, one.key); });
  return all;
}

void Folder::clear() const {
  remove_orphans();
  std::error_code error;
  for (fs::directory_iterator entry(path_, error), end; !error && entry != end; entry.increment(error)) {
    const auto kind = entry->path().extension();
    std::error_code ignored;
    if (kind == object_end || kind == log_end) fs::remove(entry->path(), ignored);
  }
}

}  // namespace demand
