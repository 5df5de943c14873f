// Files go between here and NumPy, and Python's safetensors package.
#include <doctest/doctest.h>

#include "mno/io/safetensors/writer.hpp"
#include "mno/io/zip/npz.hpp"
#include "python_arrays.hpp"
#include "scratch.hpp"

using namespace mno::io;

namespace {
const std::string scripts = std::string(MNO_SOURCE_DIR) + "/tests/io/";
const std::map<std::string, std::string> metadata{{"step", "3"}, {"é", "a \"quote\"\n"}};
}  // namespace

TEST_CASE("what Python writes is read here") {
  need_python("numpy, safetensors.numpy");
  const Scratch scratch;
  REQUIRE(run_python(scripts + "make_files.py " + scratch.path().string()) == 0);
  const NpzReader stored(scratch / "stored.npz"), compressed(scratch / "compressed.npz"),
      zip64(scratch / "zip64.npz");
  const SafetensorsReader tensors(scratch / "all.safetensors");
  for (const Sample& sample : python_samples()) {
    CAPTURE(sample.name);
    for (const char* version : {".v1.npy", ".v2.npy", ".v3.npy"})
      CHECK(read_npy(scratch / (sample.name + version)) == sample.array);
    for (const NpzReader* file : {&stored, &compressed, &zip64})
      CHECK(file->read(sample.name) == sample.array);
    CHECK(tensors.read(sample.name) == sample.array);
  }
  CHECK(stored.names().size() == python_samples().size());
  CHECK(tensors.names().size() == python_samples().size());
  CHECK(tensors.metadata() == metadata);

  const Array sample = read_npy(scratch / "f64_2_3.v1.npy");
  CHECK(read_npy(scratch / "fortran.npy") == sample);
  CHECK(read_npy(scratch / "big_endian.npy") == sample);
  CHECK(numbers_of(read_npy(scratch / "half.npy")) == numbers_of(sample));
  CHECK(says(refusal([&] { read_npy(scratch / "object.npy"); }), "found Python objects '|O'"));
  CHECK(says(refusal([&] { read_npy(scratch / "structured.npy"); }), "found a structured type"));
  CHECK(says(refusal([&] { SafetensorsReader reader(scratch / "half.safetensors"); }),
             "found elements of type 'F16'"));
}

TEST_CASE("what is written here Python reads") {
  need_python("numpy, safetensors.numpy");
  const Scratch scratch;
  const auto all = python_samples();
  NpzWriter stored(scratch / "stored.npz"), deflated(scratch / "deflated.npz", Compression::deflate);
  std::vector<NamedArray> tensors;
  for (const Sample& sample : all) {
    for (int version : {1, 2, 3})
      write_npy(scratch / (sample.name + ".v" + std::to_string(version) + ".npy"), sample.array,
                Keep::nothing, version);
    stored.write(sample.name, sample.array);
    deflated.write(sample.name, sample.array);
    tensors.emplace_back(sample.name, sample.array);
  }
  stored.commit();
  deflated.commit();
  write_safetensors(scratch / "all.safetensors", tensors, metadata);
  CHECK(run_python(scripts + "check_files.py " + scratch.path().string() + " " +
                   std::to_string(6 * all.size())) == 0);
}
