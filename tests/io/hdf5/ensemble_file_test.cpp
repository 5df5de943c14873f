// test program: capped (allocation_cap.hpp replaces operator new)
// Ensembles in HDF5 files.
#include "mno/io/hdf5/ensemble_file.hpp"

#include "io/ensemble_cases.hpp"
#include "mno/io/hdf5/writer.hpp"

using namespace ensemble_cases;

namespace {

struct Hdf5 {
  using File = Hdf5EnsembleFile;
  static void write(const std::filesystem::path& path, const Named& arrays) {
    Hdf5Writer file(path);
    for (const auto& [name, array] : arrays) file.write(name, array);
    file.commit();
  }
};

}  // namespace

TEST_CASE("moments, times and initial fields are those of the datasets") { reads_what_was_written<Hdf5>(); }
TEST_CASE("walls are those of the dataset bounded") { walls_are_read<Hdf5>(); }
TEST_CASE("samples with the same initial field have one origin") {
  samples_that_start_alike_have_one_origin<Hdf5>();
}
TEST_CASE("shapes that do not fit are refused with a sentence") { refuses_wrong_shapes<Hdf5>(); }
TEST_CASE("missing datasets are named, with those that are there") { refuses_missing_arrays<Hdf5>(); }
TEST_CASE("NaNs, infinities, single members and members without spread are refused") {
  refuses_what_is_no_ensemble<Hdf5>();
}
TEST_CASE("one sample is an ensemble") { reads_one_sample<Hdf5>(); }
TEST_CASE("point masses are read where they are asked for") {
  reads_point_masses_where_they_are_asked_for<Hdf5>();
  reads_single_draws<Hdf5>();
  reads_samples_with_different_numbers_of_members<Hdf5>();
}

TEST_CASE("a group in place of a dataset, or a file of another format, is refused") {
  const Scratch folder;
  Hdf5::write(
      folder / "data.h5",
      {{"u0/inside", Array(Type::f32, {2})}, {"uT", Array(Type::f32, {2})}, {"t", Array(Type::f32, {2})}});
  CHECK(says(refusal([&] { Hdf5EnsembleFile reader(folder / "data.h5"); }),
             "expected the arrays u0, uT and t, found 't, u0/inside, uT'"));
  spoil(folder / "text.h5", bytes("x,y\n1,2\n"));
  CHECK(says(refusal([&] { Hdf5EnsembleFile reader(folder / "text.h5"); }), "cannot be opened as HDF5"));
}

TEST_CASE("a file of a few kilobytes that claims 10^9 samples is refused with little memory") {
  const Scratch folder;
  for (const bool chunked : {false, true}) {
    CAPTURE(chunked);
    {  // datasets that are declared and never written: by the C library, which allows it
      const Hdf5Handle file(H5Fcreate((folder / "huge.h5").c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT),
                            H5Fclose);
      const auto claim = [&](const char* name, const std::vector<hsize_t>& shape) {
        const Hdf5Handle list(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
        if (chunked) {
          std::vector<hsize_t> chunk = shape;
          chunk[0] = 1;
          REQUIRE(H5Pset_chunk(list.get(), int(chunk.size()), chunk.data()) >= 0);
          REQUIRE(H5Pset_deflate(list.get(), 6) >= 0);
        }
        const Hdf5Handle space(H5Screate_simple(int(shape.size()), shape.data(), nullptr), H5Sclose);
        const Hdf5Handle set(
            H5Dcreate2(file.get(), name, H5T_IEEE_F32LE, space.get(), H5P_DEFAULT, list.get(), H5P_DEFAULT),
            H5Dclose);
        REQUIRE(bool(set));
      };
      claim("u0", {1'000'000'000, 1, 64});
      claim("uT", {1'000'000'000, 192, 1, 64});
      claim("t", {1'000'000'000});
    }
    CHECK(std::filesystem::file_size(folder / "huge.h5") < 16384);
    allocation::largest = 0;
    CHECK(says(refusal([&] { Hdf5EnsembleFile reader(folder / "huge.h5"); }),
               "claims 256000000000 bytes for f32 (1000000000, 1, 64), found 0 stored"));
    CHECK(allocation::largest < (1u << 20));
  }
}
