// Python's own safetensors package reads models and checkpoints, and finds the same numbers.
#include <doctest/doctest.h>

#include "io/python_arrays.hpp"
#include "io/scratch.hpp"
#include "mno/io/npy/file.hpp"
#include "mno/train/checkpoint.hpp"

using namespace mno;

namespace {

struct Forced {
  static constexpr int dimension = 2, channels = 2, rank = 3, width = 4, modes = 2, depth = 2, projection = 5,
                       known = 1;
};
template <class T> using M = Mno<Forced, T>;

template <class T> Ensemble<T, 2> data() {
  const Grid<2> grid{{6, 5}};
  auto result = make_ensemble<T, 2>(6, grid, 2);
  Stream random(3);
  for (Index e = 0; e < 6; ++e) {
    Field<T, 2> initial(1, grid, 2), members(4, grid, 2);
    for (T& value : initial.span()) value = T(random.normal());
    for (T& value : members.span()) value = T(random.normal());
    set_condition<T, 2>(result, e, initial.view(), T(0.5), e, std::as_const(members).view());
  }
  result.known = Field<T, 2>(1, grid, 1);
  for (T& value : result.known.span()) value = T(random.normal());
  return result;
}

/// One .npy file for every array that a file should have, named as it is there.
template <class T> class Expected {
 public:
  explicit Expected(std::filesystem::path folder) : folder_(std::move(folder)) {
    std::filesystem::create_directories(folder_);
  }
  void leaves(const std::string& prefix, std::span<const T> values) const {
    for (const NamedLeaf& leaf : M<T>::leaves())
      put(prefix + leaf.name, io::Extents(leaf.shape.begin(), leaf.shape.end()),
          values.subspan(leaf.offset, leaf.size()));
  }
  void put(const std::string& name, io::Extents shape, std::span<const T> values) const {
    io::write_npy(folder_ / (name + ".npy"), io::Array::of<T>(std::move(shape), values), io::Keep::nothing);
  }

 private:
  std::filesystem::path folder_;
};

template <class T> void check(const std::string& type) {
  const Scratch scratch;
  const auto train = data<T>();
  M<T> model(1);
  model.store_known_fields(train.known);
  TrainingOptions options;
  options.epochs = 3;
  options.batch = 2;
  options.average = 0.9;
  Trainer trainer(model, train, &train, Recipe::decoupled(), options);
  for (int epoch = 0; epoch < 2; ++epoch) trainer.run_epoch();
  const Normaliser normaliser{{0.1, -1.0 / 3}, {2, 1e-3}};
  const auto script = [&](const std::string& file) {
    return run_python(std::string(MNO_SOURCE_DIR) + "/tests/train/check_checkpoint.py " +
                      (scratch / (file + ".safetensors")).string() + " " + (scratch / file).string() + " " +
                      type);
  };

  const auto expect_model = [&](const Expected<T>& expected) {
    expected.leaves("", std::as_const(model).values());
    expected.put("known_fields", {6, 5, 1}, train.known.span());
  };
  write_checkpoint(scratch / "checkpoint.safetensors", model, normaliser, trainer);
  const Expected<T> checkpoint(scratch / "checkpoint");
  expect_model(checkpoint);
  const auto state = trainer.state();
  checkpoint.leaves("adamw.first.", state.adamw.first.span());
  checkpoint.leaves("adamw.second.", state.adamw.second.span());
  checkpoint.leaves("average.", state.average.span());
  checkpoint.leaves("best.", state.best.span());
  CHECK(script("checkpoint") == 0);

  io::write_model(scratch / "model.safetensors", model, normaliser);
  expect_model(Expected<T>(scratch / "model"));
  CHECK(script("model") == 0);

  // The script sees a difference.
  model.leaf("gate.alpha")[0] += T(1);
  Expected<T>(scratch / "model").leaves("", std::as_const(model).values());
  CHECK(run_python(std::string(MNO_SOURCE_DIR) + "/tests/train/check_checkpoint.py " +
                   (scratch / "model.safetensors").string() + " " + (scratch / "model").string() + " " +
                   type + " 2>/dev/null") != 0);
}

}  // namespace

TEST_CASE("Python reads models and checkpoints in float") {
  need_python("numpy, safetensors.numpy");
  check<float>("float32");
}
TEST_CASE("Python reads models and checkpoints in double") {
  need_python("numpy, safetensors.numpy");
  check<double>("float64");
}
