#pragma once
// The folder that keeps compiled operators: MNO_CACHE_DIR, $XDG_CACHE_HOME/mno or ~/.cache/mno.
//
// What is in it is run, so it must be ours alone: made with mode 0700, refused if it is a link, belongs to
// somebody else or can be written by others; so are the files in it.
//
//   KEY.so       a compiled operator (object.hpp), renamed here when it is whole
//   KEY.lock     held by who compiles KEY; it saves work, and no result depends on it
//   KEY.log      what the compiler said, where it failed
//   making-…     where somebody compiles; removed by the next one if its owner was killed
#include <chrono>
#include <filesystem>
#include <functional>
#include <mno/io/file.hpp>
#include <string>
#include <vector>

namespace demand {

class Folder {
 public:
  /// MNO_CACHE_DIR must be usable; where it is not set and the usual place is not, a temporary folder that
  /// goes with this object takes its place.
  static Folder open();
  explicit Folder(const std::filesystem::path& path);
  Folder(Folder&&) = default;
  ~Folder();

  const std::filesystem::path& path() const { return path_; }
  const std::string& why_temporary() const { return why_temporary_; }  // empty: it is not

  /// KEY.so, if it is there, a file, ours and writable by nobody else.
  mno::io::Descriptor object(const std::string& key) const;

  /// Waits for who compiles the same. Without locks on this file system it does not wait: two may compile.
  class Lock {
   public:
    Lock(const Folder& folder, const std::string& key, const std::function<bool()>& interrupted);
    Lock(const Lock&) = delete;
    ~Lock();

   private:
    const Folder& folder_;
    std::string name_;
    mno::io::Descriptor held_;
  };

  /// A folder to compile in, on the same file system, removed with this object.
  class Workshop {
   public:
    explicit Workshop(const Folder& folder);
    Workshop(const Workshop&) = delete;
    ~Workshop();
    const std::filesystem::path& path() const { return path_; }

   private:
    std::filesystem::path path_{};
    mno::io::Descriptor alive_{};  // a lock that says that its owner lives
  };

  /// Puts a whole and durable file in place as KEY.so.
  void publish(const std::filesystem::path& object, const std::string& key) const;
  /// Keeps what a compiler said, and gives its place.
  std::filesystem::path keep_log(const std::filesystem::path& log, const std::string& key) const;

  struct Kept {
    std::string key;
    std::uint64_t bytes;
    std::chrono::seconds age;
  };
  std::vector<Kept> list() const;  // the newest first
  /// Removes operators, logs and what killed processes left; what somebody compiles just now stays.
  void clear() const;

 private:
  void remove_orphans() const;
  [[noreturn]] void cannot_write(int error) const;

  std::filesystem::path path_;
  mno::io::Descriptor descriptor_;
  std::string why_temporary_{};
};

}  // namespace demand
