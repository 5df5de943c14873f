#include "mno/core/tensor.hpp"

#include <doctest/doctest.h>

using mno::Domain;
using mno::Field;
using mno::Index;

namespace {

/// A field in which every entry is different.
template <class T, int D> Field<T, D> counted(Index batch, mno::Grid<D> grid, Index channels) {
  Field<T, D> field(batch, grid, channels);
  for (std::size_t i = 0; i < field.size(); ++i) field.span()[i] = T(i);
  return field;
}

}  // namespace

TEST_CASE("a field as a tensor is the same memory") {
  auto field = counted<float, 2>(2, {{3, 4}, {}}, 5);
  auto t = mno::tensor(field);
  CHECK(t.data() == field.data());
  CHECK(t.dimension(0) == 2);
  CHECK(t.dimension(1) == 3);
  CHECK(t.dimension(2) == 4);
  CHECK(t.dimension(3) == 5);
  CHECK(t(1, 2, 3, 4) == field(1, 2 * 4 + 3, 4));
  t = t * 2.0f;
  CHECK(field(1, 0, 2) == 2 * (3 * 4 * 5 + 2));

  const auto& read_only = field;
  CHECK(mno::tensor(read_only).data() == field.data());
}

TEST_CASE("a tensor as a view is the same memory, and keeps the domain") {
  mno::Tensor<double, 2> t(2, 3, 4, 5);
  t.setZero();
  t(1, 2, 3, 4) = 7;
  const auto v = mno::view<double, 2>(t, Domain<2>{{1.0, 2.0}});
  CHECK(v.data == t.data());
  CHECK(v.batch == 2);
  CHECK(v.grid == mno::Grid<2>{{3, 4}, {{1.0, 2.0}}});
  CHECK(v.channels == 5);
  CHECK(v(1, 2 * 4 + 3, 4) == 7);
}

TEST_CASE("channel-first data comes in with its axes in place") {
  Eigen::Tensor<float, 4, Eigen::RowMajor> t(2, 3, 4, 5);  // (batch, channel, y, x)
  for (Index i = 0; i < t.size(); ++i) t.data()[i] = float(i);
  const auto field = mno::from_channel_first<float, 2>(t, Domain<2>{{3.0, 1.0}});
  CHECK(field.batch() == 2);
  CHECK(field.channels() == 3);
  CHECK(field.grid() == mno::Grid<2>{{4, 5}, {{3.0, 1.0}}});
  for (Index b = 0; b < 2; ++b)
    for (Index c = 0; c < 3; ++c)
      for (Index y = 0; y < 4; ++y)
        for (Index x = 0; x < 5; ++x) CHECK(field(b, y * 5 + x, c) == t(b, c, y, x));
}

TEST_CASE("channel-first and back changes nothing, in every dimension") {
  const auto check = [](const auto& field) {
    using F = std::decay_t<decltype(field)>;
    const auto t = mno::to_channel_first(field);
    CHECK(t.dimension(1) == field.channels());
    const auto back = mno::from_channel_first<typename F::Scalar, F::dimension>(t, field.grid().domain);
    CHECK(back.grid() == field.grid());
    REQUIRE(back.size() == field.size());
    CHECK(std::equal(back.span().begin(), back.span().end(), field.span().begin()));
  };
  check(counted<double, 1>(2, {{5}, {{2.0}}}, 3));
  check(counted<float, 2>(2, {{3, 4}, {{2.0, 1.0}}}, 5));
  check(counted<double, 3>(1, {{2, 3, 4}, {{2.0, 1.0, 3.0}}}, 2));
}
