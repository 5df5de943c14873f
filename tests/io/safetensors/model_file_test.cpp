// Models as files: everything comes back, and what does not fit is refused with what was expected and found.
#include "mno/io/safetensors/model_file.hpp"

#include <doctest/doctest.h>
#include <unistd.h>

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
using M = Mno<Forced, float>;

struct Folder {
  Folder() : path(std::filesystem::temp_directory_path() / ("mno-model-file-" + std::to_string(::getpid()))) {
    std::filesystem::create_directories(path);
  }
  ~Folder() { std::filesystem::remove_all(path); }
  std::filesystem::path path;
};

M trained() {
  M model(7, Domain<2>{{2.0, 0.5}});
  model.set_factor_scale(0.3f);
  model.set_least_points(12);
  Field<float, 2> forcing(1, {{5, 6}, model.domain()}, 1);
  forcing.fill([](auto x, Index) { return std::sin(3.14159265 * x[0]) + std::cos(4 * 3.14159265 * x[1]); });
  model.store_known_fields(std::move(forcing));
  return model;
}

template <class Call> std::string sentence(Call&& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}
}  // namespace

TEST_CASE("a model comes back as it was: weights, domain, normaliser, scale, known fields") {
  const Folder folder;
  const M model = trained();
  const Normaliser normaliser{{0.1, -0.2}, {1.5, 1.0 / 3}};
  io::write_model(folder.path / "model.safetensors", model, normaliser, {{"made_by", "a test"}});
  const auto loaded = io::read_model<M>(folder.path / "model.safetensors");
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
  const Folder folder;
  io::write_model(folder.path / "model.safetensors", trained(), Normaliser::identity(2));
  const io::SafetensorsReader file(folder.path / "model.safetensors");
  CHECK(file.layout("gate.alpha").shape == io::Extents{1});
  CHECK(file.layout("lift.weight").shape == io::Extents{4, 2 + 1 + 1 + 4});
  CHECK(file.layout("layer0.spectral.weight").shape == io::Extents{3 * 2, 2, 4, 4});
  CHECK(file.layout("known_fields").shape == io::Extents{5, 6, 1});
}

TEST_CASE("what does not fit is refused by name") {
  const Folder folder;
  const auto path = folder.path / "model.safetensors";
  io::write_model(path, trained(), Normaliser::identity(2));
  const auto wider = sentence([&] { io::read_model<Mno<Wider, float>>(path); });
  CHECK(wider.find("width=5") != std::string::npos);
  CHECK(wider.find("width=4") != std::string::npos);
  const auto precision = sentence([&] { io::read_model<Mno<Forced, double>>(path); });
  CHECK(precision.find("f64") != std::string::npos);
  CHECK(precision.find("f32") != std::string::npos);

  const io::Array array = io::Array::of<float>({1}, std::vector<float>{1.0f});
  io::write_safetensors(folder.path / "foreign.safetensors", {io::NamedArray("weight", array)});
  CHECK(sentence([&] {
          io::read_model<M>(folder.path / "foreign.safetensors");
        }).find("expected metadata 'format'") != std::string::npos);
  io::write_safetensors(folder.path / "old.safetensors", {io::NamedArray("weight", array)},
                        {{"format", "mno-model-0"}});
  const auto old = sentence([&] { io::read_model<M>(folder.path / "old.safetensors"); });
  CHECK(old.find("expected format mno-model-1") != std::string::npos);
  CHECK(old.find("mno-model-0") != std::string::npos);
}

TEST_CASE(
    "least points: a file that does not name them has none, and what is no number of points is refused") {
  const Folder folder;
  const auto path = folder.path / "model.safetensors";
  M model = trained();
  model.set_least_points(0);
  io::write_model(path, model, Normaliser::identity(2));
  CHECK(!io::SafetensorsReader(path).metadata().contains("least_points"));
  CHECK(io::read_model<M>(path).model.least_points() == 0);
  for (const char* wrong : {"-1", "1.5", "1e9", "nan"}) {
    io::write_model(path, model, Normaliser::identity(2), {{"least_points", wrong}});
    CHECK(sentence([&] { io::read_model<M>(path); }).find("expected least_points") != std::string::npos);
  }
}
