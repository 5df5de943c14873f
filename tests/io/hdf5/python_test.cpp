// Files go between here and Python's h5py.
#include <doctest/doctest.h>

#include "io/python_arrays.hpp"
#include "io/scratch.hpp"
#include "mno/io/hdf5/reader.hpp"
#include "mno/io/hdf5/writer.hpp"
#include "mno/io/safetensors/writer.hpp"

using namespace mno::io;

namespace {
const std::string scripts = std::string(MNO_SOURCE_DIR) + "/tests/io/";
}

TEST_CASE("what h5py writes is read here") {
  need_python("numpy, safetensors.numpy, h5py");
  const Scratch scratch;
  REQUIRE(run_python(scripts + "make_files.py " + scratch.path().string()) == 0);
  const Hdf5Reader reader(scratch / "all.h5");
  for (const Sample& sample : python_samples()) {
    CAPTURE(sample.name);
    CHECK(reader.read("plain/" + sample.name) == sample.array);
    if (sample.array.size() > 0 && !sample.array.shape().empty())
      CHECK(reader.read("packed/" + sample.name) == sample.array);
  }
}

TEST_CASE("what is written here h5py reads") {
  need_python("numpy, safetensors.numpy, h5py");
  const Scratch scratch;
  const auto all = python_samples();
  Hdf5Writer writer(scratch / "all.h5");
  for (const Sample& sample : all) {
    writer.write("plain/" + sample.name, sample.array);
    writer.write("packed/" + sample.name, sample.array, true);
  }
  writer.commit();
  write_safetensors(scratch / "all.safetensors", {}, {{"step", "3"}, {"é", "a \"quote\"\n"}});
  CHECK(run_python(scripts + "check_files.py " + scratch.path().string() + " " +
                   std::to_string(2 * all.size())) == 0);
}
