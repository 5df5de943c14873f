#pragma once
// The files of a folder of shards, each opened when it is needed. One is open at a time, so memory does not
// grow with their number, but for the entries of the manifest.
//
// A shard that is missing, or has other bytes than the manifest says, is refused by name. Bytes are hashed
// once; again only if the file has been written to since.
#include <sys/stat.h>

#include <functional>
#include <map>
#include <optional>

#include "mno/io/array_file.hpp"
#include "mno/io/shards/writer.hpp"

namespace mno::io {

/// Opens a shard, whatever its format.
using OpenShard = std::function<std::unique_ptr<ArrayFile>(const std::filesystem::path&)>;

namespace detail {

/// The shards of a folder. One of them is open.
template <class = void> class ShardFolder {
 public:
  ShardFolder(std::filesystem::path folder, OpenShard open)
      : folder_(std::move(folder)), open_(std::move(open)) {
    const std::filesystem::path manifest = folder_ / manifest_name;
    if (!look(manifest))
      refuse(folder_name(folder_), "expected its manifest '", manifest_name,
             "', found none: it is no data, or whoever wrote it was interrupted");
    File file(manifest);
    if (file.size() > most_manifest_bytes)
      refuse(file.name(), "expected at most ", most_manifest_bytes, " bytes, found ", file.size());
    const Bytes text = file.read(0, file.size());
    shards_ = parse_manifest(characters(text), file.name());
    hashed_.resize(shards_.size());
  }

  std::string name() const { return folder_name(folder_); }
  std::size_t size() const { return shards_.size(); }
  const Shard& operator[](std::size_t shard) const { return shards_[shard]; }
  std::string name_of(std::size_t shard) const { return file_name(path(shard)); }

  const ArrayFile& file(std::size_t shard) {
    if (file_ && opened_ == shard) return *file_;
    arrays_.clear();
    file_.reset();
    check_bytes(shard);
    file_ = open_(path(shard));
    opened_ = shard;
    return *file_;
  }
  StoredArray& array(std::size_t shard, const std::string& array) {
    const ArrayFile& from = file(shard);
    auto found = arrays_.find(array);
    if (found == arrays_.end()) found = arrays_.emplace(array, from.open(array)).first;
    return *found->second;
  }

 private:
  /// Which bytes a path stood for: another file, or a file that was written to, differs in one of these.
  struct Stamp {
    dev_t device;
    ino_t number;
    off_t size;
    std::int64_t seconds, nanoseconds;  // of the last change
    bool operator==(const Stamp&) const = default;
  };

  std::filesystem::path path(std::size_t shard) const { return folder_ / shards_[shard].file; }

  /// Nothing if there is no file. A link is refused: it may lead out of the folder.
  static std::optional<Stamp> look(const std::filesystem::path& path) {
    struct stat status {};
    if (::lstat(path.c_str(), &status) != 0) {
      if (errno == ENOENT || errno == ENOTDIR) return {};
      refuse(file_name(path), "cannot be examined: ", system_message(errno));
    }
    if (!S_ISREG(status.st_mode))
      refuse(file_name(path), "expected a regular file, found ",
             S_ISLNK(status.st_mode) ? "a link" : "something else");
    return Stamp{status.st_dev, status.st_ino, status.st_size, std::int64_t(status.st_ctim.tv_sec),
                 std::int64_t(status.st_ctim.tv_nsec)};
  }

  void check_bytes(std::size_t shard) {
    const auto stamp = look(path(shard));
    if (!stamp) refuse(name_of(shard), "is missing, and '", manifest_name, "' names it");
    if (hashed_[shard] == stamp) return;
    File source(path(shard));
    const std::string found = sha256(source);
    if (found != shards_[shard].sha256)
      refuse(name_of(shard), "expected bytes with the SHA-256 ", shards_[shard].sha256, " that '",
             manifest_name, "' says, found ", found, ": it is damaged, or another file");
    hashed_[shard] = stamp;
  }

  std::filesystem::path folder_;
  OpenShard open_;
  std::vector<Shard> shards_;
  std::vector<std::optional<Stamp>> hashed_;  // (shard)
  std::size_t opened_ = 0;
  std::unique_ptr<ArrayFile> file_;
  std::map<std::string, std::unique_ptr<StoredArray>> arrays_;  // of the shard that is open
};

}  // namespace detail

}  // namespace mno::io
