#pragma once
// Data that is larger than the machine's memory:
//
//   io::use_disk_memory({.folder = "/scratch", .resident = std::size_t(1) << 30});
//
// From then on a large field lies in a file in that folder and is used like any other. The file has no name,
// so nothing is left of it, whatever happens. The system reads and writes its pages as they are touched.
//
// Pages that were touched count as memory of this process. A helper gives them back once they come to more
// than `resident` bytes: what they hold stays in the file. Whoever knows what comes next says so
// (`read_ahead` of data/ensemble.hpp), and it is read while something else is computed.
#include <sys/mman.h>

#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <fstream>
#include <map>
#include <mutex>
#include <thread>

#include "mno/core/buffer.hpp"
#include "mno/io/safe_file.hpp"

namespace mno::io {

struct DiskMemoryOptions {
  std::filesystem::path folder{};               // empty: all data lies in memory
  std::size_t resident = std::size_t(1) << 30;  // bytes of files that are in memory, about
  std::size_t least = std::size_t(1) << 20;     // bytes of a field that lies in a file
};

/// The files that data lies in, of the whole process.
template <class = void> class BasicDiskMemory {
 public:
  static BasicDiskMemory& one() {
    static BasicDiskMemory& never_destroyed = *new BasicDiskMemory;  // fields may outlive everything else
    return never_destroyed;
  }

  /// Fields that are there already stay where they are.
  void use(DiskMemoryOptions options) {
    const std::lock_guard lock(mutex_);
    options_ = std::move(options);
    settings() = {options_.folder.empty() ? std::size_t(-1) : options_.least, take, give_back, will_need,
                  relieve};
  }
  DiskMemoryOptions options() {
    const std::lock_guard lock(mutex_);
    return options_;
  }
  /// All that lies in files now.
  std::size_t bytes() {
    const std::lock_guard lock(mutex_);
    std::size_t sum = 0;
    for (const auto& [begin, size] : mapped_) sum += size;
    return sum;
  }

 private:
  static mno::detail::LargeMemory& settings() { return mno::detail::large_memory(); }

  static void* take(std::size_t bytes) { return one().map(bytes); }
  static void give_back(void* begin) { one().unmap(begin); }
  static void will_need(const void* begin, std::size_t bytes) {
    const auto page = std::uintptr_t(::sysconf(_SC_PAGESIZE)), at = reinterpret_cast<std::uintptr_t>(begin),
               first = at / page * page;
    ::madvise(reinterpret_cast<void*>(first), at + bytes - first, MADV_WILLNEED);
  }

  static void relieve() {
    const std::lock_guard lock(one().mutex_);
    one().give_pages_back();
  }

  void* map(std::size_t bytes) {
    const std::lock_guard lock(mutex_);
    const Descriptor file = nameless_file();
    // All of it now: a disk that is full later would kill the process.
    const int error = ::posix_fallocate(file.get(), 0, off_t(bytes));
    if (error != 0)
      cannot_write("folder '" + options_.folder.string() + "'", "has no room for ", bytes,
                   " bytes of data: ", system_message(error));
    void* const begin = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file.get(), 0);
    if (begin == MAP_FAILED)
      cannot_write("folder '" + options_.folder.string() + "'", "cannot hold data: ", system_message(errno));
    mapped_[begin] = bytes;
    if (mapped_.size() == 1) start_helper();
    return begin;
  }
  void unmap(void* begin) {
    std::thread over;
    {
      const std::lock_guard lock(mutex_);
      const auto found = mapped_.find(begin);
      ::munmap(begin, found->second);
      mapped_.erase(found);
      if (mapped_.empty()) {
        ++helpers_over_;
        over = std::move(helper_);
        wake_.notify_all();
      }
    }
    if (over.joinable()) over.join();
  }
  Descriptor nameless_file() const {
#ifdef O_TMPFILE
    Descriptor file(::open(options_.folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
    if (file) return file;
#endif
    std::string name = (options_.folder / ".mno-data-XXXXXX").string();  // file systems without such files
    Descriptor named(::mkostemp(name.data(), O_CLOEXEC));
    if (!named)
      cannot_write("folder '" + options_.folder.string() + "'", "cannot hold data: ", system_message(errno));
    ::unlink(name.c_str());
    return named;
  }

  void start_helper() {
    helper_ = std::thread([this, number = helpers_over_] {
      std::unique_lock lock(mutex_);
      const auto over = [&] { return helpers_over_ > number; };  // the next one may be there already
      while (!wake_.wait_for(lock, std::chrono::milliseconds(5), over)) give_pages_back();
    });
  }
  /// Where there are too many. What they hold stays in the file.
  void give_pages_back() {
    if (resident_file_bytes() > options_.resident)
      for (const auto& [begin, size] : mapped_) ::madvise(begin, size, MADV_DONTNEED);
  }
  /// Of this process: pages of files that are in memory, programs and libraries among them.
  static std::size_t resident_file_bytes() {
    std::ifstream statm("/proc/self/statm");
    std::size_t all = 0, resident = 0, of_files = 0;
    statm >> all >> resident >> of_files;
    return of_files * std::size_t(::sysconf(_SC_PAGESIZE));
  }

  DiskMemoryOptions options_{};
  std::mutex mutex_{};
  std::condition_variable wake_{};
  std::map<void*, std::size_t> mapped_{};
  std::thread helper_{};  // while there is something to give back
  std::uint64_t helpers_over_ = 0;
};
using DiskMemory = BasicDiskMemory<>;

template <class Own = void> void use_disk_memory(DiskMemoryOptions options) {
  BasicDiskMemory<Own>::one().use(std::move(options));
}

}  // namespace mno::io
