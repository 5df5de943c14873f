#pragma once
// Ensembles in a file of any format: what is read is what was written, and what does not fit is refused with
// a sentence before it is read. A format has File, which opens one, and write(path, named arrays).
#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <utility>

#include "allocation_cap.hpp"
#include "mno/core/random.hpp"
#include "mno/io/ensemble_reader.hpp"
#include "scratch.hpp"

namespace ensemble_cases {

using namespace mno;
using namespace mno::io;
using Named = std::vector<std::pair<std::string, Array>>;

/// Numbers of no pattern that members of a file share.
inline std::vector<float> values(Index count, std::uint64_t seed) {
  Stream random(seed);
  std::vector<float> all;
  for (Index i = 0; i < count; ++i) all.push_back(float(random.normal()));
  return all;
}

struct Content {
  Array u0 = Array::of({3, 2, 4, 5}, values(3 * 2 * 4 * 5, 1));
  Array uT = Array::of({3, 6, 2, 4, 5}, values(3 * 6 * 2 * 4 * 5, 2));
  Array t = Array::of({3}, std::vector<double>{0.1, 0.2, 0.3});
  Named more{};

  Named arrays() const {
    Named all{{"u0", u0}, {"uT", uT}, {"t", t}};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }
};

template <class Format> std::string refused(const Named& arrays) {
  const Scratch folder;
  Format::write(folder / "data", arrays);
  allocation::largest = 0;
  const std::string sentence =
      refusal([&] { typename Format::File(folder / "data").template read<float, 2>(); });
  CHECK(allocation::largest < (1u << 20));
  if (!sentence.empty()) CHECK(says(sentence, "file '" + (folder / "data").string() + "'"));
  return sentence;
}
template <class Format> std::string refused(const Content& content) {
  return refused<Format>(content.arrays());
}

template <class Format> void reads_what_was_written() {
  const Scratch folder;
  Content content;
  content.more = {{"length", Array::of({2}, std::vector<double>{2, 3})},
                  {"fields", Array::of({1, 4, 5}, values(20, 3))}};
  Format::write(folder / "data", content.arrays());
  typename Format::File file(folder / "data");
  CHECK(file.dimension() == 2);
  CHECK(file.samples() == 3);
  CHECK(file.counts() == std::vector<Index>(3, 6));
  CHECK(file.least_members() == 6);
  CHECK(file.most_members() == 6);
  CHECK(file.channels() == 2);
  CHECK(file.known_fields() == 1);
  const auto data = file.template read<double, 2>();
  CHECK(data.grid() == Grid<2>{{4, 5}, {{2, 3}}});
  CHECK(data.times == std::vector<double>{0.1, 0.2, 0.3});
  CHECK(data.counts == std::vector<Index>(3, 6));
  const auto u0 = content.u0.values<float>(), uT = content.uT.values<float>();
  for (Index s = 0; s < 3; ++s)
    for (Index c = 0; c < 2; ++c)
      for (Index p = 0; p < 20; ++p) {
        CHECK(data.initial(s, p, c) == double(u0[std::size_t((s * 2 + c) * 20 + p)]));
        double mean = 0, square = 0;
        for (Index m = 0; m < 6; ++m) mean += double(uT[std::size_t(((s * 6 + m) * 2 + c) * 20 + p)]) / 6;
        for (Index m = 0; m < 6; ++m)
          square += std::pow(double(uT[std::size_t(((s * 6 + m) * 2 + c) * 20 + p)]) - mean, 2) / 5;
        CHECK(data.mean(s, p, c) == doctest::Approx(mean).epsilon(1e-12));
        CHECK(data.variance(s, p, c) == doctest::Approx(square).epsilon(1e-12));
      }
  CHECK(data.known.batch() == 1);
  CHECK(data.known(0, 7, 0) == double(values(20, 3)[7]));
}

/// A yes or no for every axis, or one for all, as numbers or as booleans; without it every axis is periodic.
template <class Format> void walls_are_read() {
  const auto domain_of = [](Array bounded) {
    const Scratch folder;
    Content content;
    content.more = {{"bounded", std::move(bounded)}};
    Format::write(folder / "data", content.arrays());
    return typename Format::File(folder / "data").template read<float, 2>().grid().domain;
  };
  CHECK(domain_of(Array::of({2}, std::vector<double>{0, 1})) == Domain<2>{{1, 1}, {false, true}});
  CHECK(domain_of(Array::of({2}, std::vector<std::int32_t>{1, 0})) == Domain<2>{{1, 1}, {true, false}});
  CHECK(domain_of(Array::of({1}, std::vector<std::int64_t>{1})) == Domain<2>{{1, 1}, {true, true}});
  Array flags(Type::boolean, {2});
  flags.values<bool>()[1] = true;
  CHECK(domain_of(flags) == Domain<2>{{1, 1}, {false, true}});

  Content content;
  content.more = {{"bounded", Array::of({2}, std::vector<double>{0, 2})}};
  CHECK(says(refused<Format>(content),
             "expected bounded to be 1 (walls) or 0 (periodic) on every axis, found 2"));
  content.more = {{"bounded", Array::of({3}, std::vector<double>{0, 1, 0})}};
  CHECK(says(refused<Format>(content), "expected bounded to be one number or 2 in a row"));
}

template <class Format> void samples_that_start_alike_have_one_origin() {
  const Scratch folder;
  Content content;
  const auto u0 = content.u0.values<float>();
  std::copy_n(u0.begin(), 40, u0.begin() + 80);  // sample 2 starts as sample 0
  content.t = Array::of({}, std::vector<double>{0.5});
  Format::write(folder / "data", content.arrays());
  const auto data = typename Format::File(folder / "data").template read<float, 2>();
  CHECK(data.origins == std::vector<Index>{0, 1, 0});
  Content grouped = content;  // pieces of trajectories 7 and 3, whatever they start from
  grouped.more = {{"group", Array::of({3}, std::vector<std::int64_t>{7, 3, 3})}};
  Format::write(folder / "data", grouped.arrays());
  CHECK(typename Format::File(folder / "data").template read<float, 2>().origins ==
        std::vector<Index>{0, 1, 1});
  grouped.more = {{"group", Array::of({2}, std::vector<std::int64_t>{7, 3})}};
  CHECK(says(refused<Format>(grouped), "expected group to be one number or 3 in a row, found i64 (2,)"));
  grouped.more = {{"group", Array::of({3}, std::vector<double>{7, std::nan(""), 3})}};
  CHECK(says(refused<Format>(grouped), "expected numbers of groups, found nan"));
  CHECK(data.times == std::vector<float>(3, 0.5f));
}

template <class Format> void refuses_wrong_shapes() {
  CHECK(refused<Format>(Content{}) == "");
  Content content;
  content.uT = Array::of({3, 6, 2, 4, 4}, values(3 * 6 * 2 * 4 * 4, 2));
  CHECK(says(refused<Format>(content), "of u0 (3, 2, 4, 5), found (3, 6, 2, 4, 4)"));
  content.uT = Array::of({2, 6, 2, 4, 5}, values(2 * 6 * 2 * 4 * 5, 2));
  CHECK(says(refused<Format>(content), "found (2, 6, 2, 4, 5)"));
  content.uT = Array::of({}, values(1, 2));
  CHECK(says(refused<Format>(content), "of u0 (3, 2, 4, 5), found ()"));

  content = {};
  content.u0 = Array::of({3, 2}, values(6, 1));
  CHECK(says(refused<Format>(content), "expected u0 (sample, channel, x[, y[, z]]), found f32 (3, 2)"));
  content.u0 = Array::of({3, 2, 4, 5}, std::vector<std::int32_t>(120));
  CHECK(says(refused<Format>(content), "expected u0 of type f32 or f64, found i32 (3, 2, 4, 5)"));
  content.u0 = Array::of({0, 2, 4, 5}, std::vector<float>{});
  CHECK(says(refused<Format>(content), "expected at least one of everything in u0, found (0, 2, 4, 5)"));

  content = {};
  content.t = Array::of({2}, std::vector<double>{0.1, 0.2});
  CHECK(says(refused<Format>(content), "expected t to be one number or 3 in a row, found f64 (2,)"));
  content.t = Array::of({3}, std::vector<double>{0.1, -0.2, 0});
  CHECK(says(refused<Format>(content), "times t that are not negative, found -0.2"));

  content = {};
  content.more = {{"length", Array::of({2}, std::vector<double>{1, 0})}};
  CHECK(says(refused<Format>(content), "expected a positive length on every axis, found 0"));
  content.more = {{"fields", Array::of({2, 1, 4, 5}, values(40, 2))}};
  CHECK(says(refused<Format>(content), "expected fields (field, x…)"));

  const Scratch folder;
  Format::write(folder / "data", Content{}.arrays());
  CHECK(says(refusal([&] { typename Format::File(folder / "data").template read<float, 1>(); }),
             "expected 2, the dimension of the data, got 1"));
}

template <class Format> void refuses_missing_arrays() {
  CHECK(says(refused<Format>(Named{}), "expected the arrays u0, uT and t, found none"));
  const Content content;
  for (const char* missing : {"u0", "uT", "t"}) {
    CAPTURE(std::string(missing));
    Named some;
    for (const auto& [name, array] : content.arrays())
      if (name != missing) some.emplace_back(name, array);
    const std::string sentence = refused<Format>(some);
    CHECK(says(sentence, "expected the arrays u0, uT and t, found '"));
    for (const auto& [name, array] : some) CHECK(says(sentence.substr(sentence.find("found")), name));
  }
}

template <class Format> void refuses_what_is_no_ensemble() {
  for (const float bad : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
    Content content;
    content.uT.values<float>()[300] = bad;
    CHECK(says(refused<Format>(content),
               "expected finite values in uT, found a NaN or an infinity in sample 1"));
    content = {};
    content.u0.values<float>()[119] = bad;
    CHECK(says(refused<Format>(content),
               "expected finite values in u0, found a NaN or an infinity in sample 2"));
    content = {};
    content.t.values<double>()[1] = double(bad);
    CHECK(says(refused<Format>(content), "expected finite times t that are not negative, found "));
    content = {};
    content.more = {{"fields", Array::of({1, 4, 5}, std::vector<float>(20, bad))}};
    CHECK(says(refused<Format>(content), "expected finite values in fields"));
  }
  Content content;
  content.uT = Array::of({3, 6, 2, 4, 5}, std::vector<float>(720, 1.5f));
  CHECK(says(refused<Format>(content), "zero variance"));
}

template <class Format> void reads_one_sample() {
  const Scratch folder;
  Format::write(folder / "data", {{"u0", Array::of({1, 1, 8}, values(8, 1))},
                                  {"uT", Array::of({1, 3, 1, 8}, values(24, 2))},
                                  {"t", Array::of({1}, std::vector<float>{0.25f})}});
  const auto data = typename Format::File(folder / "data").template read<float, 1>();
  CHECK(data.size() == 1);
  CHECK(data.times == std::vector<float>{0.25f});
}

template <class Format> void reads_point_masses_where_they_are_asked_for() {
  const Scratch folder;
  Content content;
  content.uT = Array::of({3, 6, 2, 4, 5}, std::vector<float>(720, 1.5f));
  Format::write(folder / "data", content.arrays());
  const auto data = typename Format::File(folder / "data").template read<float, 2>({.point_masses = true});
  CHECK(data.variance(2, 3, 1) == 0.0f);
  CHECK(data.mean(0, 0, 0) == 1.5f);
}

/// With an axis of members of length one, or without that axis.
template <class Format> void reads_single_draws() {
  for (const Extents& shape : {Extents{3, 1, 2, 4, 5}, Extents{3, 2, 4, 5}}) {
    const Scratch folder;
    Content content;
    content.uT = Array::of(shape, values(120, 2));
    Format::write(folder / "data", content.arrays());
    typename Format::File file(folder / "data");
    CHECK(file.counts() == std::vector<Index>(3, 1));
    const auto data = file.template read<float, 2>({.keep = {.factors = 2}});
    CHECK(data.covariance_factor.size() == 0);  // a draw has none
    CHECK(data.counts == std::vector<Index>(3, 1));
    CHECK(data.variance(2, 3, 1) == 0.0f);
    REQUIRE(data.members.batch() == 3);  // draws are kept
    CHECK(std::ranges::equal(data.members.span(), data.mean.span()));
    CHECK(data.mean(2, 3, 1) == content.uT.template values<float>()[(2 * 2 + 1) * 20 + 3]);
  }
}

/// uT (draw, channel, x…) with counts (sample).
template <class Format> void reads_samples_with_different_numbers_of_members() {
  const std::vector<Index> counts{4, 1, 3};
  Content content;
  content.uT = Array::of({8, 2, 4, 5}, values(320, 2));
  content.more = {{"counts", Array::of({3}, std::vector<std::int64_t>{4, 1, 3})}};
  {
    const Scratch folder;
    Format::write(folder / "data", content.arrays());
    typename Format::File file(folder / "data");
    CHECK(file.counts() == counts);
    CHECK(file.least_members() == 1);
    CHECK(file.most_members() == 4);
    const auto data = file.template read<float, 2>();
    const auto uT = content.uT.template values<float>();
    for (Index s = 0; s < 3; ++s) {
      const auto drawn = data.members_of(s);
      REQUIRE(drawn.batch == counts[std::size_t(s)]);
      float sum = 0;
      for (Index m = 0; m < drawn.batch; ++m) {
        CHECK(drawn(m, 7, 1) == uT[std::size_t(((data.offsets[std::size_t(s)] + m) * 2 + 1) * 20 + 7)]);
        sum += drawn(m, 7, 1);
      }
      CHECK(data.mean(s, 7, 1) == doctest::Approx(sum / float(drawn.batch)));
    }
    CHECK(data.variance(1, 7, 1) == 0);
    CHECK(data.variance(2, 7, 1) > 0);
  }
  const auto said = [&](std::vector<double> numbers) {
    content.more = {{"counts", Array::of({Index(numbers.size())}, numbers)}};
    return refused<Format>(content);
  };
  CHECK(says(said({4, 1, 4}),
             "with as many draws as counts come to, 9, and the channels and points of u0 "
             "(3, 2, 4, 5), found (8, 2, 4, 5)"));
  CHECK(says(said({7, 1, 0}), "expected counts to be whole numbers from one up, found 0"));
  CHECK(says(said({2.5, 2.5, 3}), "found 2.5"));
  CHECK(says(said({8e15, 8e15, 8e15}), "as many draws as counts come to, 2.4e+16"));
  CHECK(says(said({4, 4}), "expected counts to be one number or 3 in a row"));
  content.uT = Array::of({3, 6, 2, 4, 5}, values(720, 2));  // an axis of members beside counts
  CHECK(says(said({6, 6, 6}), "expected uT (draw, channel, x…)"));
}

}  // namespace ensemble_cases
