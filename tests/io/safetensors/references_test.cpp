// References in a file beside a model: the same bits back, and a sentence where a file does not fit.
#include "mno/io/safetensors/references.hpp"

#include <doctest/doctest.h>

#include "io/scratch.hpp"

using namespace mno;
using namespace mno::io;

namespace {

metric::References<float, 2> sample() {
  metric::References<float, 2> known;
  known.mean = known.variance = Field<float, 2>(2, Grid<2>{{3, 4}, {{1.0, 2.0}}}, 2);
  for (std::size_t i = 0; i < known.mean.size(); ++i) {
    known.mean.data()[i] = float(i) / 7;
    known.variance.data()[i] = float(i) / 3;
  }
  known.times = {0.1f, 2.5f};
  known.residual_variance = {0.25, 1e-9};
  return known;
}

void write(const std::filesystem::path& path, const metric::References<float, 2>& known,
           const std::string& residual = {}) {
  std::vector<NamedArray> arrays;
  Metadata metadata{{"beside", "adamw."}};
  append_references(known, arrays, metadata);
  CHECK(metadata.at("beside") == "adamw. reference.");
  if (!residual.empty()) metadata["reference.residual_variance"] = residual;
  write_safetensors(path, std::move(arrays), metadata);
}

std::string refusal(const std::filesystem::path& path, Index channels = 2) {
  try {
    read_references<float, 2>(SafetensorsReader(path), channels, Domain<2>{{1.0, 2.0}});
  } catch (const std::exception& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("what is written reads back equal") {
  const Scratch folder;
  auto known = sample();
  for (const bool times : {true, false}) {
    if (!times) {
      known.times.clear();
      known.mean = known.variance = Field<float, 2>(1, known.mean.grid(), 2);
    }
    write(folder / "r.safetensors", known);
    const auto back =
        read_references<float, 2>(SafetensorsReader(folder / "r.safetensors"), 2, Domain<2>{{1.0, 2.0}});
    REQUIRE(back);
    CHECK(std::ranges::equal(back->mean.span(), known.mean.span()));
    CHECK(std::ranges::equal(back->variance.span(), known.variance.span()));
    CHECK(back->mean.grid() == known.mean.grid());
    CHECK(back->times == known.times);
    CHECK(back->residual_variance == known.residual_variance);
  }
  write_safetensors(folder / "none.safetensors", {}, {{"a", "b"}});
  CHECK_FALSE(read_references<float, 2>(SafetensorsReader(folder / "none.safetensors"), 2, Domain<2>()));
}

TEST_CASE("references that do not fit are refused") {
  const Scratch folder;
  const auto file = folder / "r.safetensors";
  write(file, sample());
  CHECK(says(refusal(file, 1), "expected reference.mean and reference.variance (2, grid…, 1), found f32"));
  auto negative = sample();
  negative.variance.data()[3] = -1;
  write(file, negative);
  CHECK(says(refusal(file), "none of the variances below 0"));
  write(file, sample(), "0.5");
  CHECK(says(refusal(file), "2 residual variance(s)"));
  write(file, sample(), "0.5 nan");
  CHECK(says(refusal(file), "finite means"));
  write(file, sample(), "a b");
  CHECK(says(refusal(file), "expected numbers in metadata 'reference.residual_variance'"));
}
