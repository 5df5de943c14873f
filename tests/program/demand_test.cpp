// What operators on demand are made of: sources, options over the boundary, the file of an operator.
#include <doctest/doctest.h>

#include "io/scratch.hpp"
#include "kind_list.hpp"
#include "object.hpp"
#include "options.hpp"
#include "processor.hpp"
#include "shape_numbers.hpp"

using namespace demand;

TEST_CASE("the source of an operator is its kind and its numbers, and a model file gives them back") {
  const ShapeNumbers shape{"mno-path", 1, 2, 16, 48, 16, 4, 1};
  CHECK(
      source_of(shape, "entry") ==
      "#include <mno/model/model.hpp>\n#include \"operator_of.hpp\"\nnamespace entry_of {\n"
      "struct Shape { static constexpr int dimension = 1, channels = 2, rank = 16, width = 48, modes = 16, "
      "depth = 4, known = 1; };\nusing Model = mno::PathMno<Shape>;\n}\nMNO_OPERATOR(entry, \"mno-path\")\n");
  CHECK(shape.list() == "mno-path,1,2,16,48,16,4,1");
  CHECK(ShapeNumbers{"mno", 2, 1, 4, 16, 8, 2}.list() == "2,1,4,16,8,2");
  CHECK(ShapeNumbers::parse("mno-path",
                            "dimension=1 channels=2 rank=16 width=48 modes=16 depth=4 projection=128 known=1 "
                            "harmonics=0 shared_backbone=1") == shape);
  CHECK(says(refusal([&] { source_of({"no-kind", 1, 1, 1, 1, 1, 1}, "entry"); }), "'no-kind'"));
  CHECK(says(refusal([&] { source_of({"mno", 1, 1, 0, 1, 1, 1}, "entry"); }), "a positive rank"));
  CHECK(completed({.kind = "fno", .dimension = 1, .channels = 1, .width = 7}).list() == "fno,1,1,16,7,16,4");
  CHECK(completed({.kind = "fno", .dimension = 2, .channels = 1}).list() == "fno,2,1,16,32,6,4");
  CHECK(completed({.kind = "neural-sde", .dimension = 1, .channels = 1}).list() ==
        "neural-sde,1,1,16,24,16,2");  // a kind may have numbers of its own
  CHECK(completed({.kind = "neural-sde", .dimension = 2, .channels = 1}).list() ==
        "neural-sde,2,1,16,24,6,2");
  for (const Kind& kind : kinds)  // every header is there
    CHECK_MESSAGE(std::filesystem::exists(std::string(MNO_SOURCE_DIR "/include/") + kind.header), kind.name);
}

TEST_CASE("all numbers of the options of a training cross the boundary") {
  mno::FitOptions options;
  double next = 3;  // every number another one than the standard
  for_each_number(options, [&](auto& number) {
    using T = std::remove_reference_t<decltype(number)>;
    if constexpr (std::is_same_v<T, bool>)
      number = !number;
    else if constexpr (std::is_same_v<T, mno::Decay>)
      number = mno::Decay::none;
    else
      number = T(next += 0.5);
  });
  options.training.seed = 0xFEDCBA9876543210;
  options.factor_scale = 0.125;
  const auto changed = [&](auto loss) {
    for_each_number_of_loss(
        loss, [&](auto& number) { number = std::remove_reference_t<decltype(number)>(next += 0.5); });
    return loss;
  };
  const mno::Recipe recipe = changed(mno::Recipe::paper());
  NumberWriter writer;
  write_numbers(writer, options, recipe);
  mno::FitOptions read;
  LossChoice loss;
  read_numbers(NumberReader(writer.numbers()), read, loss);
  CHECK(read.training.seed == options.training.seed);
  CHECK(read.training.adamw.weight_decay == options.training.adamw.weight_decay);
  CHECK(read.training.decay == mno::Decay::none);
  CHECK(read.checkpoint_seconds == options.checkpoint_seconds);
  CHECK(read.resume);
  CHECK_FALSE(read.path);
  CHECK(read.factor_scale == options.factor_scale);
  CHECK(std::get<mno::Recipe>(loss).text() == recipe.text());
  NumberWriter again;
  write_numbers(again, read, loss);
  const auto a = writer.numbers(), b = again.numbers();
  CHECK(std::equal(a.bits, a.bits + a.count, b.bits, b.bits + b.count));

  auto fewer = writer.numbers();
  --fewer.count;
  CHECK(says(refusal([&] { read_numbers(NumberReader(fewer), read, loss); }), "expected as many"));
  NumberWriter none;
  write_numbers(none, {}, {});
  CHECK(none.numbers().count < a.count);  // no loss, no factor scale

  const mno::EnergyLoss energy = changed(mno::energy_loss());
  NumberWriter of_draws;
  write_numbers(of_draws, options, energy);
  read_numbers(NumberReader(of_draws.numbers()), read, loss);
  CHECK(std::get<mno::EnergyLoss>(loss).text() == energy.text());
  CHECK(energy.text() != mno::energy_loss().text());
}

TEST_CASE("what crosses the boundary of an ensemble comes back as it was") {
  const mno::Grid<2> grid{{4, 3}, {{2.0, 0.5}}};
  const std::vector<mno::Index> counts{2, 1, 3};
  auto data = mno::make_ensemble<float, 2>(counts, grid, 2, {.factors = 2, .members = true});
  float next = 1;
  for (auto* field : {&data.initial, &data.mean, &data.variance, &data.covariance_factor, &data.members})
    for (float& value : field->span()) value = next++;
  data.known = mno::Field<float, 2>(1, grid, 3);
  for (float& value : data.known.span()) value = next++;
  data.times = {1, 2, 3};
  data.origins = {0, 0, 7};
  const PlainEnsemble<2> plain(data);
  const auto back = ensemble_of<2>(plain.data);
  CHECK(back.grid() == grid);
  CHECK(back.times == data.times);
  CHECK(back.origins == data.origins);
  CHECK(back.counts == data.counts);
  CHECK(back.offsets == data.offsets);
  for (const auto field : {&mno::Ensemble<float, 2>::initial, &mno::Ensemble<float, 2>::mean,
                           &mno::Ensemble<float, 2>::variance, &mno::Ensemble<float, 2>::covariance_factor,
                           &mno::Ensemble<float, 2>::members, &mno::Ensemble<float, 2>::known})
    CHECK(std::ranges::equal((back.*field).span(), (data.*field).span()));
  CHECK(ensemble_of<2>(PlainEnsemble<2>({}).data).size() == 0);
}

TEST_CASE("a sentence that is too long for its room is cut") {
  char text[8];
  put({text, sizeof text}, "a long sentence");
  CHECK(std::string(text) == "a long ");
}

TEST_CASE("a sealed file says what it is until a bit of it changes") {
  const Scratch folder;
  spoil(folder / "x.so", bytes("a library"));
  seal(folder / "x.so", {{"shape", "1,1,4,16,8,2"}, {"flags", "-O3 a=b"}});
  const auto opened = [&] { return mno::io::Descriptor(::open((folder / "x.so").c_str(), O_RDONLY)); };
  const auto about = unsealed(opened());
  REQUIRE(about);
  CHECK(about->at("flags") == "-O3 a=b");
  CHECK(about->at("shape") == "1,1,4,16,8,2");
  CHECK(load(opened()).table == nullptr);  // no library
  const mno::io::Bytes good = mno::io::read_file(folder / "x.so");
  for (std::size_t at = 0; at < good.size(); ++at) {
    mno::io::Bytes bad = good;
    bad[at] ^= std::byte{1};
    ::chmod((folder / "x.so").c_str(), 0600);
    spoil(folder / "x.so", bad);
    CHECK_FALSE(unsealed(opened()));
  }
}

TEST_CASE("the instructions are a named level") {
  const std::string level = instruction_level();
#if defined(__x86_64__)
  CHECK(level.starts_with("x86-64"));
  CHECK(instruction_flags(level)[0] == "-march=" + level);
  if (__builtin_cpu_supports("avx2")) CHECK(level >= "x86-64-v3");
  if (!__builtin_cpu_supports("avx512f")) CHECK(level < "x86-64-v4");
#else
  CHECK_FALSE(level.empty());
  CHECK(instruction_flags(level).empty());
#endif
}
