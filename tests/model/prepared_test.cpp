// A prepared model gives the bits that the model gives.
#include "mno/model/prepared.hpp"

#include <doctest/doctest.h>

#include <cstring>

#include "model/shapes.hpp"

using namespace mno;
using namespace mno_test;

namespace {

template <class M> void same_as_model(Grid<M::dimension> grid, Index batch) {
  using T = typename M::Scalar;
  using S = typename M::ShapeType;
  constexpr int D = M::dimension;
  M model(3);
  model.set_factor_scale(T(0.3));
  Field<T, D> u(batch, grid, S::channels);
  Stream random(1);
  for (T& value : u.span()) value = T(random.normal());
  const T t = T(0.4);
  const Condition<T, D> condition{std::as_const(u).view(), {&t, 1}};
  const Prepared prepared(model);
  const auto same = [](std::span<const T> a, std::span<const T> b) {
    return std::memcmp(a.data(), b.data(), a.size_bytes()) == 0;
  };
  const auto expected = predict(model, condition);
  model.values()[0] += 1;  // no longer the prepared one's matter
  if constexpr (M::stochastic) {
    Law<T, D> law(Field<T, D>(batch, grid, S::channels), Field<T, D>(batch, grid, S::rank * S::channels));
    predict_into(prepared, condition, law);
    CHECK(same(law.mean.span(), expected.mean.span()));
    CHECK(same(law.factor.span(), expected.factor.span()));
  } else {
    Field<T, D> field(batch, grid, S::channels);
    predict_into(prepared, condition, field);
    CHECK(same(field.span(), expected.span()));
  }
}
}  // namespace

TEST_CASE("laws and fields, one sample and many, lines and planes") {
  for (const Index batch : {1, 40}) {
    same_as_model<Mno<OneChannel, float>>({{64}}, batch);
    same_as_model<Mno<OneChannel, double>>({{30}}, batch);
    same_as_model<Fno<OneChannel, float>>({{64}}, batch);
    same_as_model<Mno<TwoChannelPlane, float>>({{8, 9}}, batch);
  }
}

TEST_CASE("a prepared model checks its condition as a model does") {
  const Prepared prepared(Mno<OneChannel, float>(1));
  const Field<float, 1> u(2, {{16}}, 2);
  const float t = 1;
  Law<float, 1> law(Field<float, 1>(2, {{16}}, 1), Field<float, 1>(2, {{16}}, 4));
  CHECK_THROWS_WITH_AS(predict_into(prepared, {u.view(), {&t, 1}}, law),
                       "mno::predict: argument 'initial': expected 1 channel(s), got 2.", Error);
}
