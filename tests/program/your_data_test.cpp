// docs/your-data.md as a person would walk it: its Python makes the file, its commands run one after the
// other.
#include <doctest/doctest.h>

#include <sstream>

#include "io/python_arrays.hpp"
#include "io/scratch.hpp"
#include "mno/io/hdf5/ensemble_file.hpp"
#include "mno/io/zip/npz.hpp"
#include "program/run_program.hpp"

using namespace mno;

namespace {
/// The lines of all blocks of a kind, one after the other.
std::vector<std::string> block_lines(const std::filesystem::path& page, const std::string& kind) {
  std::ifstream in(page);
  std::vector<std::string> lines;
  bool inside = false;
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("```"))
      inside = line == "```" + kind;
    else if (inside)
      lines.push_back(line);
  }
  return lines;
}
}  // namespace

TEST_CASE("the whole way from a foreign file to a prediction, as the page has it") {
  need_python("numpy");
  const Scratch folder;
  const auto page = std::filesystem::path(MNO_SOURCE_DIR) / "docs" / "your-data.md";
  std::string code, said;
  for (const std::string& line : block_lines(page, "python")) code += line + "\n";
  spoil(folder / "make.py", bytes(code));
  REQUIRE(run_python("-c \"import os; os.chdir('" + folder.path().string() +
                     "'); exec(open('make.py').read())\"") == 0);

  int commands = 0;
  for (const std::string& line : block_lines(page, "console")) {
    REQUIRE(line.starts_with("$ mno "));
    const auto done = mno_in(folder, line.substr(6));
    REQUIRE_MESSAGE(done.code == 0, line << "\n" << done.errors);
    if (line.find(" data.h5") != line.npos && line.starts_with("$ mno import")) said = done.out;
    ++commands;
  }
  CHECK(commands == 7);
  std::string shown;
  for (const std::string& line : block_lines(page, "text")) shown += line + "\n";
  CHECK(said == shown);

  io::Hdf5EnsembleFile data(folder / "data.h5"), test(folder / "test.h5");
  CHECK(data.samples() == 30 * 9);
  CHECK(test.samples() == 10 * 9);
  const auto all = data.read<float, 1>();
  for (Index i = 0; i < all.size(); ++i) CHECK(all.origins[std::size_t(i)] == i / 9 * 9);
  CHECK(std::filesystem::exists(folder / "results" / "report.html"));
  CHECK(io::NpzReader(folder / "law.npz").open("samples")->layout().str() == "f32 (90, 10, 1, 16)");
}
