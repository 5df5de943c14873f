// The Python of docs/files.md does what the page says: it makes files that are read here, and reads a model.
#include <doctest/doctest.h>

#include <sstream>

#include "mno/io/hdf5/ensemble_file.hpp"
#include "mno/io/safetensors/model_file.hpp"
#include "mno/io/shards/sharded_file.hpp"
#include "mno/io/zip/ensemble_file.hpp"
#include "python_arrays.hpp"
#include "scratch.hpp"

using namespace mno;

namespace {

struct Small {
  static constexpr int dimension = 1, channels = 1, rank = 2, width = 4, modes = 3, depth = 1;
};

/// All ```python blocks of a page, one after the other.
std::string python_blocks(const std::filesystem::path& page) {
  std::ifstream in(page);
  std::string code;
  bool inside = false;
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("```"))
      inside = line == "```python";
    else if (inside)
      code += line + "\n";
  }
  return code;
}

}  // namespace

TEST_CASE("the page's Python writes ensembles that are read here, and reads a model written here") {
  need_python("numpy, safetensors, h5py");
  const Scratch scratch;
  Mno<Small> model(1);
  io::write_model(scratch / "model.safetensors", model, {{0.5}, {1.0 / 3}});
  const std::string code = python_blocks(std::filesystem::path(MNO_SOURCE_DIR) / "docs" / "files.md");
  REQUIRE(code.find("np.savez") != code.npos);
  spoil(scratch / "page.py",
        bytes(code + "assert shape['modes'] == '3' and scale == [1 / 3], (shape, scale)\n"
                     "assert spectrum.shape == (3, 4, 4), spectrum.shape\n"
                     "assert np.count_nonzero(spectrum) == 48\n"));
  const auto before = std::filesystem::current_path();
  std::filesystem::current_path(scratch.path());
  const int status = run_python("page.py");
  std::filesystem::current_path(before);
  REQUIRE(status == 0);

  const auto check = [](io::EnsembleReader& file) {
    CHECK(file.samples() == 80);
    CHECK(file.most_members() == 24);
    return file.read<float, 1>();
  };
  io::EnsembleFile npz(scratch / "data.npz");
  io::Hdf5EnsembleFile hdf5(scratch / "data.h5");
  const auto first = check(npz), second = check(hdf5);
  CHECK(std::ranges::equal(first.initial.span(), second.initial.span()));
  CHECK(std::ranges::equal(first.mean.span(), second.mean.span()));
  CHECK(std::ranges::equal(first.variance.span(), second.variance.span()));
  CHECK(first.times == std::vector<float>(80, 0.5f));
  io::EnsembleFile uneven(scratch / "uneven.npz");
  CHECK(uneven.least_members() >= 1);
  CHECK(uneven.least_members() < uneven.most_members());
  const auto third = uneven.read<float, 1>();
  CHECK(std::ranges::equal(third.initial.span(), first.initial.span()));
  CHECK(third.members.batch() == third.offsets.back());

  const auto open = [](const std::filesystem::path& path) { return std::make_unique<io::NpzReader>(path); };
  auto folder = std::make_unique<io::ShardedFile>(scratch / "shards", open);
  CHECK(folder->shards() == 4);
  io::EnsembleReader shards("the shards", std::move(folder));
  const auto fourth = check(shards);
  CHECK(std::ranges::equal(fourth.initial.span(), first.initial.span()));
  CHECK(std::ranges::equal(fourth.mean.span(), first.mean.span()));
}
