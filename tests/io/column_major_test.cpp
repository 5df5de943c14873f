#include "mno/io/column_major.hpp"

#include <doctest/doctest.h>

using namespace mno::io;

TEST_CASE("columns become rows: element (i, j, k) is the one that stands at i + n j + n m k") {
  const mno::Index n = 2, m = 3, l = 4;
  Array stored(Type::i32, {l, m, n});  // what stands one after the other, the slowest axis first
  for (std::size_t e = 0; e < stored.size(); ++e) stored.values<std::int32_t>()[e] = std::int32_t(e);
  const Array array = from_column_major(stored);
  REQUIRE(array.shape() == Extents{n, m, l});
  std::size_t e = 0;
  for (mno::Index i = 0; i < n; ++i)
    for (mno::Index j = 0; j < m; ++j)
      for (mno::Index k = 0; k < l; ++k) CHECK(array.values<std::int32_t>()[e++] == i + n * j + n * m * k);
}

TEST_CASE("arrays of one axis, without axes and without elements stay as they are") {
  const Array row = Array::of({3}, std::vector<double>{1, 2, 3});
  CHECK(from_column_major(row) == row);
  CHECK(from_column_major(Array(Type::f32, {})).shape().empty());
  CHECK(from_column_major(Array(Type::f32, {0, 3})).shape() == Extents{3, 0});
}
