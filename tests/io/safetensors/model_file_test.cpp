// Models as files: everything comes back, and what does not fit is refused with what was expected and found.
#include "mno/io/safetensors/model_file.hpp"

#include <doctest/doctest.h>

#include <functional>
#include <random>

#include "io/scratch.hpp"
#include "mno/model/predict.hpp"

using namespace mno;

namespace {
struct Forced {
  static constexpr int dimension = 2, channels = 2, rank = 2, width = 4, modes = 2, depth = 1, projection = 4,
                       known = 1, harmonics = 1;
};
struct Wider : Forced {
  static constexpr int width = 5;
};
struct Tiny {
  static constexpr int dimension = 1, channels = 1, rank = 1, width = 2, modes = 2, depth = 1, projection = 2,
                       known = 1;
};
using M = Mno<Forced, float>;

M trained() {
  M model(7, Domain<2>{{2.0, 0.5}});
  model.set_factor_scale(0.3f);
  model.set_least_points(12);
  Field<float, 2> forcing(1, {{5, 6}, model.domain()}, 1);
  forcing.fill([](auto x, Index) { return std::sin(3.14159265 * x[0]) + std::cos(4 * 3.14159265 * x[1]); });
  model.store_known_fields(std::move(forcing));
  return model;
}

/// A file with this metadata and the model's own tensors, whatever it says of itself.
void write_with(const std::filesystem::path& path, const M& model,
                const std::function<void(io::Metadata&)>& change) {
  std::vector<io::NamedArray> arrays;
  io::Metadata metadata;
  io::describe_model(model, Normaliser::identity(2), arrays, metadata);
  change(metadata);
  io::write_safetensors(path, std::move(arrays), metadata);
}
/// As the library wrote files before: without expression, law and checksum.
void write_format_1(const std::filesystem::path& path, const auto& model, const Normaliser& normaliser,
                    io::Metadata more = {}) {
  std::vector<io::NamedArray> arrays;
  io::describe_model(model, normaliser, arrays, more);
  for (const char* key : {"library", "expression", "residual", "warp", "checksum"}) more.erase(key);
  more["format"] = "mno-model-1";
  io::write_safetensors(path, std::move(arrays), more);
}
}  // namespace

TEST_CASE("a model comes back as it was: weights, domain, normaliser, scale, known fields") {
  const Scratch scratch;
  const M model = trained();
  const Normaliser normaliser{{0.1, -0.2}, {1.5, 1.0 / 3}};
  io::write_model(scratch / "model.safetensors", model, normaliser, {{"made_by", "a test"}});
  const auto loaded = io::read_model<M>(scratch / "model.safetensors");
  CHECK(std::ranges::equal(loaded.model.values(), model.values()));
  CHECK(loaded.model.domain() == model.domain());
  CHECK(loaded.model.factor_scale() == model.factor_scale());
  CHECK(loaded.model.least_points() == 12);
  CHECK(loaded.normaliser.shift == normaliser.shift);
  CHECK(loaded.normaliser.scale == normaliser.scale);
  CHECK(loaded.metadata.at("made_by") == "a test");

  Field<float, 2> u(2, {{8, 6}, model.domain()}, 2);  // another grid than that of the known fields
  u.fill([](Index b, auto x, Index c) { return double(b) + x[0] * x[1] + double(c); });
  const auto before = predict(model, u, 0.4f), after = predict(loaded.model, u, 0.4f);
  CHECK(std::ranges::equal(before.mean.span(), after.mean.span()));
  CHECK(std::ranges::equal(before.factor.span(), after.factor.span()));
}

TEST_CASE("leaves have their names and shapes in the file") {
  const Scratch scratch;
  io::write_model(scratch / "model.safetensors", trained(), Normaliser::identity(2));
  const io::SafetensorsReader file(scratch / "model.safetensors");
  CHECK(file.layout("gate.alpha").shape == io::Extents{1});
  CHECK(file.layout("lift.weight").shape == io::Extents{4, 2 + 1 + 1 + 4});
  CHECK(file.layout("layer0.spectral.weight").shape == io::Extents{3 * 2, 2, 4, 4});
  CHECK(file.layout("known_fields").shape == io::Extents{5, 6, 1});
}

TEST_CASE("what does not fit is refused by name") {
  const Scratch scratch;
  const auto path = scratch / "model.safetensors";
  io::write_model(path, trained(), Normaliser::identity(2));
  const auto wider = refusal([&] { io::read_model<Mno<Wider, float>>(path); });
  CHECK(says(wider, "width=5"));
  CHECK(says(wider, "width=4"));
  const auto precision = refusal([&] { io::read_model<Mno<Forced, double>>(path); });
  CHECK(says(precision, "f64"));
  CHECK(says(precision, "f32"));

  const io::Array array = io::Array::of<float>({1}, std::vector<float>{1.0f});
  io::write_safetensors(scratch / "foreign.safetensors", {io::NamedArray("weight", array)});
  CHECK(says(refusal([&] { io::read_model<M>(scratch / "foreign.safetensors"); }),
             "expected metadata 'format'"));
  io::write_safetensors(scratch / "old.safetensors", {io::NamedArray("weight", array)},
                        {{"format", "mno-model-0"}});
  CHECK(says(refusal([&] { io::read_model<M>(scratch / "old.safetensors"); }),
             "expected format mno-model-2 or mno-model-1, found 'mno-model-0'"));
}

TEST_CASE("a file says what it is, and which library wrote it") {
  const Scratch scratch;
  io::write_model(scratch / "model", trained(), Normaliser::identity(2));
  const io::SafetensorsReader file(scratch / "model");
  const io::Metadata& metadata = file.metadata();
  CHECK(metadata.at("format") == "mno-model-2");
  CHECK(metadata.at("library") == std::string("mno ") + library_version);
  CHECK(metadata.at("expression") == expression_text<M::Expression>());
  CHECK(metadata.at("residual") == "gaussian");
  CHECK(metadata.at("warp") == "none");
  CHECK(!metadata.contains("calibration"));
  CHECK(metadata.at("checksum").size() == std::string("crc64-xz 0123456789abcdef").size());
  for (const char* key :
       {"library", "expression", "shape", "residual", "warp", "domain", "factor_scale", "normaliser.shift"}) {
    write_with(scratch / "without", trained(), [&](io::Metadata& m) { m.erase(key); });
    CHECK(says(refusal([&] { io::read_model<M>(scratch / "without"); }),
               "expected metadata '" + std::string(key) + "', found none"));
  }
  write_with(scratch / "without", trained(), [](io::Metadata& m) { m.erase("checksum"); });
  CHECK(says(refusal([&] { io::read_model<M>(scratch / "without"); }),
             "expected metadata 'checksum': 'crc64-xz ' and 16 digits, found none"));
}

TEST_CASE("a model of another kind is refused, with what the file has and what was expected") {
  const Scratch scratch;
  const Normaliser normaliser = Normaliser::identity(2);
  io::write_model(scratch / "path", PathMno<Forced>(1), normaliser);
  io::write_model(scratch / "mno", Mno<Forced>(1), normaliser);
  const auto path_as_mno = refusal([&] { io::read_model<Mno<Forced>>(scratch / "path"); });
  CHECK(says(path_as_mno, "expected a model with '…(concat(drift:(pointwise{4->4"));
  CHECK(says(path_as_mno, "in its expression, found '…(concat(drift:((pointwise{4->4"));
  CHECK(says(path_as_mno, "; it has the unexpected tensor 'drift.path.scale'."));
  const auto mno_as_path = refusal([&] { io::read_model<PathMno<Forced>>(scratch / "mno"); });
  CHECK(says(mno_as_path, "; it lacks the tensor 'drift.path.scale'."));
  const auto mno_as_fno = refusal([&] { io::read_model<Fno<Forced>>(scratch / "mno"); });
  CHECK(says(mno_as_fno, "expected a model with '…drift:(pointwise{4->4"));
  CHECK(says(mno_as_fno, "found '…(concat(drift:("));
  CHECK(says(mno_as_fno,
             "it has the unexpected tensors 'factor.pointwise0.bias', 'factor.pointwise0.weight', "
             "'factor.pointwise1.bias' and 2 more."));
  CHECK(refusal([&] { io::read_model<PathMno<Forced>>(scratch / "path"); }).empty());
}

TEST_CASE("the same tensors in another function are refused too") {
  constexpr auto with = []<template <int> class Act>() {
    return Lift<Forced>{} >> Act<4>{} >> concat(DriftHead<Forced>{}, FactorHead<Forced>{}) * Gate{};
  };
  const Scratch scratch;
  const auto smooth = make_model<Forced>(with.operator()<Gelu>(), 1);
  const auto sharp = make_model<Forced>(with.operator()<Relu>(), 1);
  io::write_model(scratch / "model", smooth, Normaliser::identity(2));
  const auto sentence =
      refusal([&] { io::read_model<std::remove_const_t<decltype(sharp)>>(scratch / "model"); });
  CHECK(says(sentence, "expected a model with '…relu{4->4}"));
  CHECK(says(sentence, "found '…gelu{4->4}"));
  CHECK(!says(sentence, "tensor"));
}

TEST_CASE("tensors that are not the model's are refused by name, unless the file announces them") {
  const Scratch scratch;
  const M model = trained();
  const io::Array more = io::Array::of<float>({1}, std::vector<float>{1.0f});
  const auto write = [&](const char* announced) {
    std::vector<io::NamedArray> arrays;
    io::Metadata metadata;
    io::describe_model(model, Normaliser::identity(2), arrays, metadata);
    arrays.emplace_back("data.mean", more);
    if (*announced) metadata["beside"] = announced;
    std::erase_if(arrays,
                  [](const io::NamedArray& a) { return a.name == "lift.bias" || a.name == "gate.alpha"; });
    if (*announced) arrays.emplace_back("gate.alpha", io::Extents{1}, model.leaf("gate.alpha"));
    if (*announced) arrays.emplace_back("lift.bias", io::Extents{4}, model.leaf("lift.bias"));
    io::write_safetensors(scratch / "model", std::move(arrays), metadata);
    return refusal([&] { io::read_model<M>(scratch / "model"); });
  };
  CHECK(says(write(""),
             "expected the tensors of this model and no others; it lacks the tensors 'gate.alpha', "
             "'lift.bias', and has the unexpected tensor 'data.mean'."));
  CHECK(write("other. data.").empty());
  CHECK(says(write("other."), "it has the unexpected tensor 'data.mean'."));
}

TEST_CASE("residual law, warp and calibration are given back, to those who know them") {
  const Scratch scratch;
  const auto path = scratch / "model";
  const io::LawText law{"student-t 4.5", "asinh 0.1", "conformal 0.9 1.25", "to_diagonal 0.03"};
  io::write_model(path, trained(), Normaliser::identity(2), {}, io::Keep::nothing, law);
  CHECK(says(
      refusal([&] { io::read_model<M>(path); }),
      "expected a law with residual 'gaussian', warp 'none', calibration 'none', shrinkage 'none', found "
      "residual 'student-t 4.5', warp 'asinh 0.1', calibration 'conformal 0.9 1.25', shrinkage "
      "'to_diagonal 0.03'."));
  CHECK(io::read_model<M>(io::SafetensorsReader(path), io::only(law)).law == law);
  io::LawText seen;
  const auto loaded = io::read_model<M>(io::SafetensorsReader(path),
                                        [&](const std::string&, const io::LawText& found) { seen = found; });
  CHECK(seen == law);
  // Written again as another law, nothing of the first is left.
  io::write_model(path, loaded.model, loaded.normaliser, loaded.metadata);
  CHECK(io::read_model<M>(path).law == io::LawText{});
}

TEST_CASE("a file that was written before there was a second format still loads") {
  const std::filesystem::path path =
      std::filesystem::path(MNO_SOURCE_DIR) / "tests/io/safetensors/format_1.safetensors";
  const auto loaded = io::read_model<PathMno<Tiny>>(path);
  float number = 0;
  for (const float value : loaded.model.values()) CHECK(value == ++number / 64);
  for (const float value : loaded.model.stored_known_fields().span()) CHECK(value == ++number / 64);
  CHECK(loaded.model.domain().length[0] == 2);
  CHECK(loaded.model.factor_scale() == 0.25f);
  CHECK(loaded.model.least_points() == 8);
  CHECK(loaded.normaliser.shift[0] == 0.1);
  CHECK(loaded.normaliser.scale[0] == 1.0 / 3);
  CHECK(loaded.law == io::LawText{});
  CHECK(says(refusal([&] { io::read_model<Mno<Tiny>>(path); }), "unexpected tensor 'drift.path.scale'"));
}

TEST_CASE("files of the format before load where their tensors are exactly the model's") {
  const Scratch scratch;
  const M model = trained();
  const Normaliser normaliser{{0.1, -0.2}, {1.5, 1.0 / 3}};
  write_format_1(scratch / "mno", model, normaliser);
  const auto loaded = io::read_model<M>(scratch / "mno");
  CHECK(std::ranges::equal(loaded.model.values(), model.values()));
  CHECK(loaded.model.least_points() == 12);
  CHECK(loaded.normaliser.scale == normaliser.scale);
  CHECK(loaded.law == io::LawText{});

  write_format_1(scratch / "path", PathMno<Forced>(1), normaliser);
  CHECK(says(refusal([&] { io::read_model<Mno<Forced>>(scratch / "path"); }),
             "expected the tensors of this model and no others; it has the unexpected tensor "
             "'drift.path.scale'."));
  CHECK(says(refusal([&] { io::read_model<Fno<Forced>>(scratch / "mno"); }),
             "it has the unexpected tensors 'factor.pointwise0.bias'"));
  CHECK(says(refusal([&] { io::read_model<Mno<Wider>>(scratch / "mno"); }), "width=5"));
}

TEST_CASE(
    "least points: a file that does not name them has none, and what is no number of points is refused") {
  const Scratch scratch;
  const auto path = scratch / "model.safetensors";
  M model = trained();
  model.set_least_points(0);
  io::write_model(path, model, Normaliser::identity(2), {{"least_points", "12"}});  // of another model
  CHECK(!io::SafetensorsReader(path).metadata().contains("least_points"));
  CHECK(io::read_model<M>(path).model.least_points() == 0);
  for (const char* wrong : {"-1", "1.5", "1e9", "65537", "nan", ""}) {
    write_with(path, model, [&](io::Metadata& m) { m["least_points"] = wrong; });
    CHECK(says(refusal([&] { io::read_model<M>(path); }), "expected least_points from 0 to 65536"));
  }
}

TEST_CASE("walls and units of u_0 come back; a file that names neither has none") {
  const Scratch scratch;
  const auto path = scratch / "model.safetensors";
  M model(7, Domain<2>{{2.0, 0.5}, {false, true}});
  model.set_input_units({{6.0f, 0.1f}, {3.0f, 1.0f / 3}});
  io::write_model(path, model, Normaliser::identity(2));
  const auto loaded = io::read_model<M>(path);
  CHECK(loaded.model.domain() == model.domain());
  CHECK(loaded.model.input_units() == model.input_units());

  io::write_model(path, M(7), Normaliser::identity(2), loaded.metadata);  // of another model
  for (const char* key : {"bounded", "input.shift", "input.scale", "input.known_shift"})
    CHECK(!io::SafetensorsReader(path).metadata().contains(key));
  CHECK_FALSE(io::read_model<M>(path).model.domain().has_walls());
  CHECK(io::read_model<M>(path).model.input_units() == M::InputUnits{});

  for (const char* wrong : {"1", "1 0 1", "1 2", "", "1 x"}) {
    write_with(path, model, [&](io::Metadata& m) { m["bounded"] = wrong; });
    CHECK(says(refusal([&] { io::read_model<M>(path); }), "bounded"));
  }
  for (const auto& [key, wrong] :
       {std::pair{"input.scale", "1 0"}, {"input.scale", "1"}, {"input.shift", "1 inf"}}) {
    write_with(path, model, [&, key = key, wrong = wrong](io::Metadata& m) { m[key] = wrong; });
    CHECK(says(refusal([&] { io::read_model<M>(path); }), std::string("expected ") + key));
  }
  write_with(path, model, [&](io::Metadata& m) { m.erase("input.scale"); });
  CHECK(says(refusal([&] { io::read_model<M>(path); }), "expected metadata 'input.scale', found none"));
}

TEST_CASE("units of known fields come back") {
  const Scratch scratch;
  const auto path = scratch / "model.safetensors";
  M model = trained();
  model.set_input_units({{0.0f, 0.0f}, {1.0f, 1.0f}, {6.0f}, {1.0f / 3}});
  io::write_model(path, model, Normaliser::identity(2));
  CHECK(io::read_model<M>(path).model.input_units() == model.input_units());
  for (const char* wrong : {"0", "1 1", "inf"}) {
    write_with(path, model, [&](io::Metadata& m) { m["input.known_scale"] = wrong; });
    CHECK(says(refusal([&] { io::read_model<M>(path); }), "expected input.known_scale"));
  }
  write_with(path, model,
             [&](io::Metadata& m) { m.erase("input.known_scale"), m.erase("input.known_shift"); });
  CHECK(io::read_model<M>(path).model.input_units() == M::InputUnits{});  // as files of before
}

TEST_CASE("numbers that no model can have are refused") {
  const Scratch scratch;
  const auto path = scratch / "model.safetensors";
  const M model = trained();
  const auto with = [&](const char* key, const char* value) {
    write_with(path, model, [&](io::Metadata& m) { m[key] = value; });
    return refusal([&] { io::read_model<M>(path); });
  };
  CHECK(says(with("normaliser.shift", "inf 0"), "expected a finite shift"));
  CHECK(says(with("normaliser.scale", "1 0"), "expected a positive scale"));
  CHECK(says(with("normaliser.scale", "1 inf"), "expected a positive scale"));
  CHECK(says(with("normaliser.scale", "1"), "expected a normaliser of 2 channel(s), found 1"));
  CHECK(says(with("domain", "1"), "expected 2 length(s)"));
  CHECK(says(with("domain", "1 -1"), "expected a positive length"));
  CHECK(says(with("domain", "1 two"), "expected numbers in metadata 'domain', found '1 two'"));
  CHECK(says(with("factor_scale", "0"), "expected a positive number"));
}

TEST_CASE("of 200 bits of a model file, whichever flips, none goes unnoticed") {
  const Scratch scratch;
  io::write_model(scratch / "model", trained(), {{0.1, -0.2}, {1.5, 1.0 / 3}}, {{"made_by", "a test"}});
  const io::Bytes good = io::read_file(scratch / "model");
  const auto read = [](const io::Bytes& file) {
    return io::read_model<M>(io::SafetensorsReader(std::make_shared<io::Memory>(file)));
  };
  CHECK(refusal([&] { read(good); }).empty());
  std::mt19937_64 random(20260);
  for (int flip = 0; flip < 200; ++flip) {
    io::Bytes bad = good;
    const std::size_t bit = random() % (8 * good.size());
    bad[bit / 8] ^= std::byte(1u << bit % 8);
    CHECK_MESSAGE(!refusal([&] { read(bad); }).empty(), "bit ", bit, " of ", 8 * good.size());
  }
}
