// test program: capped (allocation_cap.hpp replaces operator new)
// Ensembles in .npz files.
#include "mno/io/zip/ensemble_file.hpp"

#include <numeric>

#include "io/ensemble_cases.hpp"

using namespace ensemble_cases;

namespace {

struct Npz {
  using File = EnsembleFile;
  static void write(const std::filesystem::path& path, const Named& arrays) {
    NpzWriter file(path);
    for (const auto& [name, array] : arrays) file.write(name, array);
    file.commit();
  }
};

}  // namespace

TEST_CASE("moments, times and initial fields are those of the arrays, channel-first turned channel-last") {
  reads_what_was_written<Npz>();
}
TEST_CASE("walls are those of the array bounded") { walls_are_read<Npz>(); }
TEST_CASE("samples with the same initial field have one origin") {
  samples_that_start_alike_have_one_origin<Npz>();
}
TEST_CASE("shapes that do not fit are refused with a sentence") { refuses_wrong_shapes<Npz>(); }
TEST_CASE("missing arrays are named, with those that are there") { refuses_missing_arrays<Npz>(); }
TEST_CASE("NaNs, infinities, single members and members without spread are refused") {
  refuses_what_is_no_ensemble<Npz>();
}
TEST_CASE("one sample is an ensemble") { reads_one_sample<Npz>(); }
TEST_CASE("point masses are read where they are asked for") {
  reads_point_masses_where_they_are_asked_for<Npz>();
  reads_single_draws<Npz>();
  reads_samples_with_different_numbers_of_members<Npz>();
}

TEST_CASE("an archive of a few kilobytes that claims 10^9 samples is refused with little memory") {
  const Scratch folder;
  // Arrays of 10^9 samples, of which nothing but the headers is there.
  Bytes file, directory;
  Index count = 0;
  const auto claim = [&](const std::string& name, const Layout& layout, bool deflated) {
    Bytes member = npy_header(layout);
    const std::uint64_t whole = member.size() + layout.bytes();
    member.resize(1024);
    const ZipEntry entry{name + ".npy", deflated, 0, member.size(), deflated ? whole : member.size(),
                         file.size()};
    for (const Bytes& piece : {zip_local_header(entry), member})
      file.insert(file.end(), piece.begin(), piece.end());
    const Bytes record = zip_directory_entry(entry);
    directory.insert(directory.end(), record.begin(), record.end());
    ++count;
  };
  for (const bool deflated : {true, false}) {
    CAPTURE(deflated);
    file.clear(), directory.clear(), count = 0;
    claim("u0", {Type::f32, {1'000'000'000, 1, 64}}, deflated);
    claim("uT", {Type::f32, {1'000'000'000, 192, 1, 64}}, deflated);
    claim("t", {Type::f64, {1'000'000'000}}, deflated);
    const Bytes end = zip_directory_end(std::uint64_t(count), file.size(), directory.size());
    for (const Bytes& piece : {Bytes(directory), end}) file.insert(file.end(), piece.begin(), piece.end());
    spoil(folder / "huge.npz", file);
    allocation::largest = 0;
    const std::string sentence = refusal([&] { EnsembleFile reader(folder / "huge.npz"); });
    CHECK(says(sentence, deflated ? "in 1024 deflated ones" : "expected 256000000000 bytes of elements"));
    CHECK(allocation::largest < (1u << 20));
  }
}
