#pragma once
// A file with given bytes that only this process and its children see, for libraries that read from a path.
#include <pthread.h>
#include <sanitizer/common_interface_defs.h>
#include <sys/mman.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "fuzz.hpp"
#include "mno/io/file.hpp"

class FileOf {
 public:
  explicit FileOf(std::span<const std::byte> bytes) : descriptor_(memfd_create("fuzz", 0)) {
    always(bool(descriptor_) &&
           write(descriptor_.get(), bytes.data(), bytes.size()) == ssize_t(bytes.size()));
  }
  std::filesystem::path path() const { return "/proc/self/fd/" + std::to_string(descriptor_.get()); }

 private:
  mno::io::Descriptor descriptor_;
};

/// A library may crash in the process that reads; a finding is what reaches this one. So that process reports
/// nothing, and stands in a folder where no report can be written.
inline void isolate_findings() {
  always(pthread_atfork(nullptr, nullptr, [] {
           __sanitizer_set_death_callback(nullptr);
           always(chdir("/proc") == 0);
         }) == 0);
}
