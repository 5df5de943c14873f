#include "mno/core/buffer.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <type_traits>
#include <utility>

using mno::Buffer;

TEST_CASE_TEMPLATE("a new buffer is aligned and all zero", T, float, double, std::int64_t) {
  for (std::size_t size : {1u, 3u, 63u, 1000u}) {
    Buffer<T> dirty(size);  // leaves something else than zeros where the next one may be allocated
    for (T& x : dirty.span()) x = T(7);
    dirty = Buffer<T>();
    const Buffer<T> buffer(size);
    CHECK(reinterpret_cast<std::uintptr_t>(buffer.data()) % mno::alignment == 0);
    CHECK(buffer.size() == size);
    bool zero = true;
    for (T x : buffer.span()) zero = zero && x == T(0);
    CHECK(zero);
  }
}

TEST_CASE("an empty buffer owns nothing and can be copied") {
  const Buffer<float> empty, sized(0);
  CHECK(empty.data() == nullptr);
  CHECK(sized.data() == nullptr);
  Buffer<float> copy = empty;
  CHECK(copy.size() == 0);
  copy = Buffer<float>(3);
  copy = sized;
  CHECK(copy.size() == 0);
  CHECK(copy.data() == nullptr);
}

TEST_CASE("a copy has its own values") {
  Buffer<double> a(3);
  a.span()[1] = 5;
  Buffer<double> b = a;
  CHECK(b.data() != a.data());
  CHECK(b.span()[1] == 5);
  b.span()[1] = 6;
  CHECK(a.span()[1] == 5);
  a = b;
  CHECK(a.span()[1] == 6);
  CHECK(a.data() != b.data());
  auto& self = a;
  a = self;
  CHECK(a.span()[1] == 6);
}

TEST_CASE("a move takes the data and leaves an empty buffer") {
  static_assert(std::is_nothrow_move_constructible_v<Buffer<float>>);
  Buffer<float> a(3);
  const float* data = a.data();
  Buffer<float> b = std::move(a);
  CHECK(b.data() == data);
  CHECK(a.size() == 0);  // NOLINT(bugprone-use-after-move): empty after a move is what is promised
  CHECK(a.data() == nullptr);
  a = std::move(b);
  CHECK(a.data() == data);
}

TEST_CASE("a size whose bytes cannot be counted is refused, not wrapped round") {
  CHECK_THROWS_AS(Buffer<double>(std::size_t(-1) / 4), std::bad_alloc);
}
