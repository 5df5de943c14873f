#pragma once
// Every way a small file is damaged: cut at every byte, every byte turned over, many at random. Each variant
// must load or be refused with an Error.
#include <doctest/doctest.h>

#include <random>

#include "mno/io/bytes.hpp"

struct Damage {
  int loaded = 0, refused = 0;
};

template <class Load> Damage damage(const mno::io::Bytes& good, Load&& load) {
  Damage seen;
  const auto attempt = [&](const mno::io::Bytes& file) {
    try {
      load(file);
      ++seen.loaded;
    } catch (const mno::Error&) {
      ++seen.refused;
    }  // anything else ends the test
  };
  attempt(good);
  CHECK(seen.loaded == 1);
  for (std::size_t n = 0; n < good.size(); ++n)
    attempt(mno::io::Bytes(good.begin(), good.begin() + std::ptrdiff_t(n)));
  CHECK(seen.loaded == 1);  // whatever is cut off is missed
  for (std::size_t at = 0; at < good.size(); ++at)
    for (unsigned flip : {0xffu, 0x01u, 0x80u}) {
      mno::io::Bytes file = good;
      file[at] ^= std::byte(flip);
      attempt(file);
    }
  std::mt19937 random(20240229);
  for (int trial = 0; trial < 5000; ++trial) {
    mno::io::Bytes file = good;
    for (unsigned flips = 1 + random() % 8; flips > 0; --flips)
      file[random() % file.size()] = std::byte(random() & 0xff);
    attempt(file);
  }
  return seen;
}
