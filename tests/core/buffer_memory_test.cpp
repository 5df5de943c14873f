// test program: memory
// Memory that is freed is found again: it has a program of its own, since what others allocate before
// matters.
#include <doctest/doctest.h>

#include <array>
#include <cstdio>
#include <cstring>
#include <iostream>
#include <vector>

#include "mno/core/buffer.hpp"

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define MNO_TEST_KEEPS_FREED_MEMORY 1  // as the sanitisers do, on purpose
#endif
#endif
#ifndef MNO_TEST_KEEPS_FREED_MEMORY
#define MNO_TEST_KEEPS_FREED_MEMORY 0
#endif

TEST_CASE("a file that is read in blocks takes the memory of a few blocks") {
  if (MNO_TEST_KEEPS_FREED_MEMORY) {
    std::cout << "skipped: the sanitiser keeps freed memory" << std::endl;
    std::_Exit(77);
  }
  const auto resident = [] {  // bytes
    long pages = 0, ignored = 0;
    if (std::FILE* file = std::fopen("/proc/self/statm", "r")) {
      if (std::fscanf(file, "%ld %ld", &ignored, &pages) != 2) pages = 0;
      std::fclose(file);
    }
    return pages * 4096;
  };
  const std::size_t size = std::size_t{16} << 20;
  std::array<mno::Buffer<std::byte>, 2> kept;
  const long before = resident();
  for (std::size_t i = 0; i < 20; ++i) {
    mno::Buffer<std::byte> block(size);
    {
      const std::vector<std::byte> answer(size);
      std::memcpy(block.data(), answer.data(), size);
    }
    kept[i % 2] = std::move(block);
  }
  CHECK(resident() - before < 8 * long(size));
}
