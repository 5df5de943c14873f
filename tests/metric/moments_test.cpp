// Moments by hand, from members, laws and predictions, in double for every scalar.
#include "mno/metric/moments.hpp"

#include <doctest/doctest.h>

#include "metric/support.hpp"

using namespace mno;
using namespace mno::testing;

TEST_CASE("members are fields flattened to x·C + c, a column each, also from a slice of channels") {
  Field<float, 1> fields(3, {{2}, {}}, 3);
  for (std::size_t i = 0; i < fields.size(); ++i) fields.data()[i] = float(i);
  const metric::Members all = metric::members(fields);
  CHECK(all.rows() == 6);
  CHECK(all.cols() == 3);
  CHECK(all(4, 2) == 16);  // member 2, point 1, channel 1
  const metric::Members slice = metric::members(View<const float, 1>(fields).slice(1, 2));
  CHECK(slice.rows() == 4);
  CHECK(slice(2, 1) == 10);  // member 1, point 1, the first channel of the slice
}

TEST_CASE("members of one condition are those in the order (condition, member)") {
  Field<double, 1> fields(6, {{1}, {}}, 1);
  for (std::size_t i = 0; i < 6; ++i) fields.data()[i] = double(i);
  CHECK(metric::members(View<const double, 1>(fields), 1, 3) == Eigen::RowVector3d(3, 4, 5));
  CHECK(
      sentence([&] { metric::members(View<const double, 1>(fields), 2, 3); }) ==
      "mno::metric::members: argument 'condition': expected fewer than 2 conditions of 3, got condition 2.");
}

TEST_CASE("mean and variance by hand, the variance divided by M - 1") {
  const metric::Members u = (metric::Members(2, 3) << 1, 2, 6, 5, 5, 5).finished();
  const metric::Moments m = metric::moments(u);
  CHECK(m.mean == Eigen::Vector2d(3, 5));
  CHECK(m.variance == Eigen::Vector2d(7, 0));
  CHECK(m.count == 3);
}

TEST_CASE("a large offset of float members costs the variance no digits beyond the storage's") {
  Field<float, 1> fields(2, {{1}, {}}, 1);
  fields(0, 0, 0) = 8388607.0f;
  fields(1, 0, 0) = 8388609.0f;
  CHECK(metric::moments(metric::members(fields)).variance[0] == 2);
}

TEST_CASE("a law's moments are its mean and variance field") {
  const auto law = random_law<float, 2>(3, {{4, 3}, {}}, 2, 5, 1);
  const auto v = variance(law);
  for (Index s = 0; s < 3; ++s) {
    const metric::Moments m = metric::moments(law, s);
    CHECK(m.mean == flat(law.mean, s).cast<double>());
    CHECK((m.variance - flat(v, s).cast<double>()).norm() < 1e-5 * m.variance.norm());
    CHECK(m.count == 0);
  }
}

TEST_CASE("a prediction is a point mass") {
  const metric::Moments m = metric::point_mass(Eigen::Vector2d(1, 2));
  CHECK(m.mean == Eigen::Vector2d(1, 2));
  CHECK(m.variance == Eigen::Vector2d(0, 0));
}

TEST_CASE("one member has no variance, and a sample that is not there no moments") {
  CHECK(sentence([] { metric::moments(metric::Members::Zero(4, 1)); }) ==
        "mno::metric::moments: argument 'ensemble': expected at least two members, for a variance, got 1.");
  CHECK(sentence([] {
          metric::moments(random_law<double, 1>(2, {{3}, {}}, 1, 1, 1), 2);
        }) == "mno::metric::moments: argument 'sample': expected an index below the law's batch, 2, got 2.");
}
