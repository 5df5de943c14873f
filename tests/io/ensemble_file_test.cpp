// Ensembles in a file: what is read is what was written, and what does not fit is refused before it is read.
#include "mno/io/ensemble_file.hpp"

#include <doctest/doctest.h>

#include <numeric>

#include "scratch.hpp"

using namespace mno;
using namespace mno::io;

namespace {

/// Numbers of no pattern that members of a file share.
std::vector<float> values(Index count, std::uint64_t seed) {
  Stream random(seed);
  std::vector<float> all;
  for (Index i = 0; i < count; ++i) all.push_back(float(random.normal()));
  return all;
}

struct Content {
  Array u0 = Array::of({3, 2, 4, 5}, values(3 * 2 * 4 * 5, 1));
  Array uT = Array::of({3, 6, 2, 4, 5}, values(3 * 6 * 2 * 4 * 5, 2));
  Array t = Array::of({3}, std::vector<double>{0.1, 0.2, 0.3});
  std::vector<std::pair<std::string, Array>> more{};

  void write(const std::filesystem::path& path) const {
    NpzWriter file(path);
    file.write("u0", u0);
    file.write("uT", uT);
    file.write("t", t);
    for (const auto& [name, array] : more) file.write(name, array);
    file.commit();
  }
};

std::string refused(const Content& content) {
  const Scratch folder;
  content.write(folder / "data.npz");
  return refusal([&] { EnsembleFile(folder / "data.npz").read<float, 2>(); });
}

}  // namespace

TEST_CASE("moments, times and initial fields are those of the arrays, channel-first turned channel-last") {
  const Scratch folder;
  Content content;
  content.more = {{"length", Array::of({2}, std::vector<double>{2, 3})},
                  {"fields", Array::of({1, 4, 5}, values(20, 3))}};
  content.write(folder / "data.npz");
  EnsembleFile file(folder / "data.npz");
  CHECK(file.dimension() == 2);
  CHECK(file.samples() == 3);
  CHECK(file.members() == 6);
  CHECK(file.channels() == 2);
  CHECK(file.known_fields() == 1);
  const auto data = file.read<double, 2>();
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

TEST_CASE("fields turn channel-first and back") {
  Field<float, 1> field(2, Grid<1>{{3}}, 2);
  std::iota(field.span().begin(), field.span().end(), 0.0f);  // (sample, x, channel)
  const auto file = to_channel_first<float, 1>(std::as_const(field).view());
  CHECK(file == std::vector<float>{0, 2, 4, 1, 3, 5, 6, 8, 10, 7, 9, 11});
  Field<float, 1> back(2, Grid<1>{{3}}, 2);
  from_channel_first<float, 1>(file, back.view());
  CHECK(std::ranges::equal(back.span(), field.span()));
}

TEST_CASE("samples with the same initial field have one origin") {
  const Scratch folder;
  Content content;
  const auto u0 = content.u0.values<float>();
  std::copy_n(u0.begin(), 40, u0.begin() + 80);  // sample 2 starts as sample 0
  content.t = Array::of({}, std::vector<double>{0.5});
  content.write(folder / "data.npz");
  const auto data = EnsembleFile(folder / "data.npz").read<float, 2>();
  CHECK(data.origins == std::vector<Index>{0, 1, 0});
  CHECK(data.times == std::vector<float>(3, 0.5f));
}

TEST_CASE("what does not fit is refused with a sentence") {
  CHECK(refused({}) == "");
  Content content;
  content.uT = Array::of({3, 6, 2, 4, 4}, values(3 * 6 * 2 * 4 * 4, 2));
  CHECK(says(refused(content), "of u0 (3, 2, 4, 5), found (3, 6, 2, 4, 4)"));
  content.uT = Array::of({2, 6, 2, 4, 5}, values(2 * 6 * 2 * 4 * 5, 2));
  CHECK(says(refused(content), "found (2, 6, 2, 4, 5)"));

  content = {};
  content.u0 = Array::of({3, 2}, values(6, 1));
  CHECK(says(refused(content), "expected u0 (sample, channel, x[, y[, z]]), found f32 (3, 2)"));
  content.u0 = Array::of({3, 2, 4, 5}, std::vector<std::int32_t>(120));
  CHECK(says(refused(content), "expected u0 of type f32 or f64, found i32 (3, 2, 4, 5)"));

  content = {};
  content.t = Array::of({2}, std::vector<double>{0.1, 0.2});
  CHECK(says(refused(content), "expected t to be one number or 3 in a row, found f64 (2,)"));
  content.t = Array::of({3}, std::vector<double>{0.1, -0.2, 0});
  CHECK(says(refused(content), "times t that are not negative, found -0.2"));

  content = {};
  content.uT.values<float>()[300] = std::numeric_limits<float>::quiet_NaN();
  CHECK(says(refused(content), "expected finite values in uT, found a NaN or an infinity in sample 1"));

  content = {};
  content.uT = Array::of({3, 6, 2, 4, 5}, std::vector<float>(720, 1.5f));
  CHECK(says(refused(content), "zero variance"));
  content.uT = Array::of({3, 1, 2, 4, 5}, values(120, 2));
  CHECK(says(refused(content), "at least two members"));

  content = {};
  content.more = {{"length", Array::of({2}, std::vector<double>{1, 0})}};
  CHECK(says(refused(content), "expected a positive length on every axis, found 0"));
  content.more = {{"fields", Array::of({2, 1, 4, 5}, values(40, 2))}};
  CHECK(says(refused(content), "expected fields (field, x…)"));

  const Scratch folder;
  NpzWriter file(folder / "data.npz");
  file.write("u0", Content().u0);
  file.write("t", Content().t);
  file.commit();
  CHECK(says(refusal([&] { EnsembleFile{folder / "data.npz"}; }),
             "expected the arrays u0, uT and t, found 'u0, t'"));
}

TEST_CASE("point masses are read where they are asked for") {
  const Scratch folder;
  Content content;
  content.uT = Array::of({3, 1, 2, 4, 5}, values(120, 2));
  content.write(folder / "data.npz");
  const auto data = EnsembleFile(folder / "data.npz").read<float, 2>({.point_masses = true});
  CHECK(data.variance(2, 3, 1) == 0.0f);
  CHECK(data.mean(0, 0, 0) == content.uT.values<float>()[0]);
}
