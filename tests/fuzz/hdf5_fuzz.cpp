#include <pthread.h>
#include <sanitizer/common_interface_defs.h>

#include "fuzz.hpp"
#include "mno/io/hdf5.hpp"

// The library may crash in the process that reads; a finding is what reaches this one. So that process
// reports nothing, and has no files to write reports to.
static const int quiet = pthread_atfork(nullptr, nullptr, [] {
  __sanitizer_set_death_callback(nullptr);
  const rlimit none{1, 1};  // descriptor 0 is taken; poll refuses a limit of 0
  setrlimit(RLIMIT_NOFILE, &none);
});

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  always(quiet == 0);
  return load_or_refuse([&] {
    const mno::io::Hdf5Reader file(as_file(data, size), std::chrono::seconds(5));
    for (const auto& name : file.names())
      load_or_refuse([&] {
        const mno::io::Hdf5Dataset dataset = file.open(name);
        always(dataset.layout().bytes() <= 1032 * size);
        dataset.read();
      });
  });
}
