// mno import: files of other programs, written by their own libraries (make_layouts.py), become data with the
// values that they had; what cannot be told is asked for, and what is left out is said.
#include <doctest/doctest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <numbers>

#include "io/python_arrays.hpp"
#include "io/scratch.hpp"
#include "io/size_limit.hpp"
#include "mno/io/hdf5/ensemble_file.hpp"
#include "mno/io/hdf5/writer.hpp"
#include "mno/io/npy/file.hpp"
#include "mno/io/zip/ensemble_file.hpp"
#include "program/run_program.hpp"

using namespace mno;
using namespace mno::io;

namespace {

constexpr Index S = 6, T = 5, N = 16, M = 12;

/// The files are made once for all cases.
const Scratch& layouts() {
  need_python("numpy, h5py, scipy.io, netCDF4");
  static const Scratch folder;
  static const bool made = run_python(std::string(MNO_SOURCE_DIR) + "/tests/program/make_layouts.py " +
                                      folder.path().string()) == 0;
  REQUIRE(made);
  return folder;
}

nlohmann::json import(const std::string& arguments) {
  const auto done = mno_in(layouts(), "import " + arguments + " --json");
  REQUIRE_MESSAGE(done.code == 0, done.errors);
  return nlohmann::json::parse(done.out);
}
/// What it says where it cannot.
std::string refused(const std::string& arguments) {
  const auto done = mno_in(layouts(), "import " + arguments);
  CHECK(done.code == 2);
  CHECK_FALSE(std::filesystem::exists(layouts() / "none.h5"));
  return done.errors;
}
bool mentions(const nlohmann::json& told, const std::string& words) {
  for (const std::string line : told["lines"])
    if (line.find(words) != line.npos) return true;
  MESSAGE(told.dump(1));
  return false;
}

/// As make_layouts.py has it.
double wave(Index sample, Index time, Index channel, Index x, Index y = -1) {
  const double u = std::sin(2 * std::numbers::pi * double(x) / double(N) + double(sample));
  return (y < 0 ? u : u * std::cos(2 * std::numbers::pi * double(y) / double(M))) + double(time) +
         10 * double(channel);
}

struct Expected {
  Index channels = 1;
  bool plane = false;
  double lag = 1;              // the time between neighbouring frames
  std::vector<Index> order{};  // of the channels, where it is another
};

/// Neighbouring frames of all trajectories, in order.
void check_pairs(EnsembleReader& file, const Expected& expected) {
  REQUIRE(file.samples() == S * (T - 1));
  REQUIRE(file.channels() == expected.channels);
  REQUIRE(file.points() == (expected.plane ? Extents{N, M} : Extents{N}));
  const auto check = [&](Index row, const float* u, Index frame) {
    for (Index c = 0; c < expected.channels; ++c)
      for (Index x = 0; x < N; ++x)
        for (Index y = 0; y < (expected.plane ? M : 1); ++y) {
          const Index point = expected.plane ? x * M + y : x;
          const Index channel = expected.order.empty() ? c : expected.order[std::size_t(c)];
          const double value = wave(row / (T - 1), frame, channel, x, expected.plane ? y : -1);
          if (std::abs(double(u[point * expected.channels + c]) - value) > 1e-4)
            FAIL("row " << row << ", channel " << c << ", point " << point << ": "
                        << u[point * expected.channels + c] << " is not " << value);
        }
  };
  const auto each = [&]<int D>(std::integral_constant<int, D>) {
    file.for_each<float, D>([&](Index row, Field<float, D>& initial, float time, Field<float, D>& drawn) {
      check(row, initial.data(), row % (T - 1));
      check(row, drawn.data(), row % (T - 1) + 1);
      CHECK(double(time) == doctest::Approx(expected.lag).epsilon(1e-6));
    });
    return file.read<float, D>().origins;
  };
  const std::vector<Index> origins =
      expected.plane ? each(std::integral_constant<int, 2>()) : each(std::integral_constant<int, 1>());
  for (Index row = 0; row < file.samples(); ++row)
    CHECK(origins[std::size_t(row)] == row / (T - 1) * (T - 1));  // the first of its trajectory
}
void check_pairs(const std::string& name, const Expected& expected) {
  Hdf5EnsembleFile file(layouts() / name);
  check_pairs(file, expected);
}

}  // namespace

TEST_CASE("PDEBench: one array, one time too many") {
  const auto told = import("pdebench.hdf5 -o data.h5");
  CHECK(told["layout"] == "PDEBench");
  CHECK(mentions(told, "tensor (6, 5, 16) is (sample, time, x)"));
  CHECK(mentions(told, "one number more than there are frames, and the last is left out"));
  CHECK(told["length"][0].get<double>() == doctest::Approx(2));
  CHECK(told["bounded"][0] == false);
  check_pairs("data.h5", {.lag = 0.1});
}

TEST_CASE("PDEBench: an array for every channel, an order of one's own, and less of everything") {
  CHECK(import("pdebench_cfd.hdf5 -o data.h5")["channels"] == 3);
  check_pairs("data.h5", {.channels = 3, .order = {1, 2, 0}});  // density, pressure, Vx
  import("pdebench_cfd.hdf5 --variables Vx,pressure -o data.h5");
  check_pairs("data.h5", {.channels = 2, .order = {0, 2}});
  const auto told = import("pdebench_cfd.hdf5 --every 2 --first-sample 1 --samples 2 -o part.npz");
  CHECK(told["samples"] == 4);  // frames 0, 2 and 4 of two samples
  EnsembleFile file(layouts() / "part.npz");
  const auto data = file.read<float, 1>();
  CHECK(data.times == std::vector<float>(4, 2));
  CHECK(data.initial(3, 5, 2) == doctest::Approx(wave(2, 2, 0, 5)).epsilon(1e-5));
  CHECK(data.members(3, 5, 2) == doctest::Approx(wave(2, 4, 0, 5)).epsilon(1e-5));
}

TEST_CASE("PDEBench: a group for every sample, packed by LZF") {
  const auto told = import("pdebench_groups.h5 -o data.h5");
  CHECK(mentions(told, "0000/data (5, 16, 12, 2) is (time, x, y, channel), and so on for 6 samples"));
  check_pairs("data.h5", {.channels = 2, .plane = true, .lag = 0.5});
}

TEST_CASE("PDEBench: a coefficient and its answer have walls and no time") {
  const auto told = import("pdebench_darcy.hdf5 -o data.h5");
  CHECK(told["bounded"] == nlohmann::json({true, true}));
  const Hdf5Reader file(layouts() / "data.h5");
  CHECK(numbers_of(file.read("bounded")) == std::vector<double>{1, 1});
  CHECK(numbers_of(file.read("t")) == std::vector<double>(S, 1));
  const auto names = file.names();
  CHECK(std::ranges::find(names, "group") == names.end());
  const Array u0 = file.read("u0"), uT = file.read("uT");
  CHECK(u0.shape() == Extents{S, 1, N, M});
  CHECK(u0.values<float>()[(3 * N + 2) * M + 1] == doctest::Approx(wave(3, 0, 0, 2, 1)).epsilon(1e-5));
  CHECK(uT.values<float>()[(3 * N + 2) * M + 1] == doctest::Approx(wave(3, 1, 0, 2, 1)).epsilon(1e-5));
}

TEST_CASE("PDEBench: velocities with a force, and times of every sample") {
  const auto told = import("pdebench_ns.h5 -o data.h5");
  CHECK(told["known_fields"] == 2);
  CHECK(mentions(told, "left out: particles"));
  check_pairs("data.h5", {.channels = 2, .plane = true, .lag = 0.25});
  const Array fields = Hdf5Reader(layouts() / "data.h5").read("fields");
  REQUIRE(fields.shape() == Extents{S * (T - 1), 2, N, M});
  const std::size_t row = 2 * (T - 1) + 3;  // of sample 2
  CHECK(fields.values<float>()[((row * 2 + 1) * N + 4) * M + 3] ==
        doctest::Approx(wave(2, 0, 1, 4, 3)).epsilon(1e-5));
}

TEST_CASE("The Well: scalars and vectors, known fields, walls") {
  const auto told = import("well.hdf5 -o data.h5");
  CHECK(told["layout"] == "The Well");
  CHECK(told["bounded"] == nlohmann::json({false, true}));
  CHECK(told["length"][1].get<double>() == doctest::Approx(2));
  CHECK(told["known_fields"] == 2);
  CHECK(mentions(told, "its boundary_conditions say wall"));
  CHECK(mentions(told, "left out: scalars/alpha"));
  check_pairs("data.h5", {.channels = 3, .plane = true, .lag = 0.5});
  const Array fields = Hdf5Reader(layouts() / "data.h5").read("fields");
  const std::size_t row = 4 * (T - 1) + 1;
  CHECK(fields.values<float>()[((row * 2 + 0) * N + 4) * M + 3] ==
        doctest::Approx(wave(4, 0, 0, 4, 3)).epsilon(1e-5));
  CHECK(fields.values<float>()[((row * 2 + 1) * N + 4) * M + 3] ==
        3);  // the profile, which varies along y alone
  const auto with_scalar = import("well.hdf5 --fields scalars/alpha -o data.h5");
  CHECK(with_scalar["known_fields"] == 3);
}

TEST_CASE("SPDEBench: columns first, time last or second, the end point twice") {
  for (const std::string name : {"spdebench.mat", "spdebench_packed.mat"}) {
    const auto told = import(name + " -o data.h5");
    CHECK(told["layout"] == "SPDEBench");
    CHECK(mentions(told, "sol (6, 17, 5) is (sample, x, time)"));
    CHECK(mentions(told, "the last point is the first once more and is left out"));
    CHECK(mentions(told, "W is the noise"));
    CHECK(told["length"][0].get<double>() == doctest::Approx(1));
    check_pairs("data.h5", {.lag = 0.02});
  }
  import("spdebench_2d.mat -o data.h5");
  check_pairs("data.h5", {.plane = true, .lag = 0.1});
  CHECK(mentions(import("matlab73.mat -o data.h5"), "sol (6, 16, 12, 5) is (sample, x, y, time)"));
  check_pairs("data.h5", {.plane = true, .lag = 0.1});
}

TEST_CASE("pfno: axes with names, in both formats of NetCDF") {
  for (const std::string name : {"pfno.nc", "pfno3.nc"}) {
    CHECK(mentions(import(name + " -o data.h5"), "u (6, 5, 2, 16, 12) is (sample, time, channel, x, y)"));
    check_pairs("data.h5", {.channels = 2, .plane = true, .lag = 0.1});
  }
}

TEST_CASE("CF: packed numbers, degrees, and missing values by three rules") {
  CHECK(
      says(refused("cf.nc -o none.h5"), "has missing values or infinities, the first in sample 0, frame 7"));
  const auto told = import("cf.nc --missing drop -o data.h5");
  CHECK(mentions(told, "lat: 16 points, length 128 by lat; bounded (a latitude has ends)"));
  CHECK(mentions(told, "lon: 36 points, length 360 by lon; periodic (its degrees go around)"));
  CHECK(mentions(told, "times are in 'hours since 2000-01-01'"));
  CHECK(mentions(told, "one trajectory: cut into 10 pieces of about 6 frames"));
  CHECK(mentions(told, "2 pairs have missing values and are left out"));
  CHECK(told["samples"] == 10 * 5 - 2);
  CHECK(told["channels"] == 2);
  Hdf5EnsembleFile file(layouts() / "data.h5");
  const auto data = file.read<float, 2>();
  CHECK(data.times == std::vector<float>(48, 6));
  CHECK(data.initial(0, 3 * 36 + 9, 1) == doctest::Approx(1 + 3).epsilon(0.005));
  std::vector<Index> origins = data.origins;
  origins.erase(std::unique(origins.begin(), origins.end()), origins.end());
  CHECK(origins.size() == 10);
  CHECK(import("cf.nc --missing 0 --pieces 2 -o data.h5")["samples"] == 58);
  CHECK(mentions(import("cf.nc --missing 0 --lags 1,2,3,4,5 -o data.h5"), "lags 6, 12, 18, 24, 30; a split"));
  CHECK(mentions(import("cf.nc --missing 0 --pieces 2 --lags 1,2,3,4,5,6 -o data.h5"), "24, 30, …; a split"));
  CHECK(says(refused("cf.nc --missing zero -o none.h5"), "--missing: expected refuse, drop or a number"));
}

TEST_CASE("a history: the frames before u0 are known fields, behind those of arrays") {
  const auto told = import("plain.npy --axes sample,time,x --time 0.25 --history 3 -o history.h5");
  CHECK(mentions(told, "u0 has a history: the 2 frame(s) before it are known fields, the nearest first"));
  CHECK(told["samples"] == S * 2);  // (2, 3) and (3, 4)
  CHECK(told["known_fields"] == 2);
  const auto data = Hdf5EnsembleFile(layouts() / "history.h5").read<float, 1>();
  REQUIRE(data.known.batch() == S * 2);
  for (Index row = 0; row < data.size(); ++row)
    for (Index x = 0; x < N; ++x) {
      const Index now = 2 + row % 2, sample = row / 2;
      CHECK(data.initial(row, x, 0) == doctest::Approx(wave(sample, now, 0, x)).epsilon(1e-5));
      CHECK(data.known(row, x, 0) == doctest::Approx(wave(sample, now - 1, 0, x)).epsilon(1e-5));
      CHECK(data.known(row, x, 1) == doctest::Approx(wave(sample, now - 2, 0, x)).epsilon(1e-5));
      CHECK(data.members(row, x, 0) == doctest::Approx(wave(sample, now + 1, 0, x)).epsilon(1e-5));
    }
  const auto both = import("well.hdf5 --history 2 -o history.h5");  // 2 known fields, 3 channels
  CHECK(both["known_fields"] == 5);
  const auto fields = Hdf5EnsembleFile(layouts() / "history.h5").known<float, 2>();
  CHECK(fields.batch() == S * (T - 2));
  CHECK(fields.channels() == 5);
  CHECK(says(refused("plain.npy --axes sample,time,x --time 1 --history 5 -o none.h5"),
             "has no two frames at the lags that are asked for, with the history before them"));
  CHECK(says(refused("xy.npz --history 2 -o none.h5"), "expected frames of a trajectory to be given"));
  CHECK(says(refused("members.npz --axes sample,member,time,channel,x --history 2 -o none.h5"),
             "expected frames at equal distances"));
}

TEST_CASE("APEBench, and an array in Fortran order whose axes are said") {
  const auto told = import("apebench.npy -o data.npz");
  CHECK(mentions(told, "their times are not in the file"));
  CHECK(mentions(told, "length 1 (not in the file; --length says another)"));
  EnsembleFile file(layouts() / "data.npz");
  check_pairs(file, {.channels = 2});
  import("plain.npy --axes sample,time,x --time 0.25 --length 3 -o data.h5");
  check_pairs("data.h5", {.lag = 0.25});
  CHECK(Hdf5EnsembleFile(layouts() / "data.h5").length() == std::vector<double>{3});
  const std::string ask = refused("plain.npy -o none.h5");
  CHECK(says(ask, "has a layout that is not known; say what its axes are"));
  CHECK(says(ask, "for example --variables plain --axes sample,time,x."));  // as many as the array has
  CHECK(says(ask, "plain (6, 5, 16)"));
  CHECK(says(refused("plain.npy --axes sample,x -o none.h5"),
             "expected an array with the 2 axes that --axes names, found plain (6, 5, 16)"));
  CHECK(says(refused("plain.npy --axes sample,time,z -o none.h5"),
             "expected axes of space, x or x,y or x,y,z"));
  CHECK(says(refused("plain.npy --axes sample,tim,x -o none.h5"), "got 'tim'"));
}

TEST_CASE("a pair of arrays is what is given and what is asked for") {
  const auto told = import("xy.npz --bounded x,y --time 0.5 -o data.h5");
  CHECK(told["bounded"] == nlohmann::json({true, true}));
  const Hdf5Reader file(layouts() / "data.h5");
  CHECK(numbers_of(file.read("u0"))[(3 * N + 2) * M + 1] ==
        doctest::Approx(wave(3, 0, 0, 2, 1)).epsilon(1e-5));
  CHECK(numbers_of(file.read("uT"))[(3 * N + 2) * M + 1] ==
        doctest::Approx(wave(3, 1, 0, 2, 1)).epsilon(1e-5));
  CHECK(numbers_of(file.read("t")) == std::vector<double>(S, 0.5));
  CHECK(says(refused("xy.npz --bounded lat -o none.h5"), "has no axis 'lat' of space"));
}

TEST_CASE("walls are told by the data where nothing else says it") {
  const std::string axes = " --axes sample,time,x -o data.h5";
  const auto walls = import("walls.npz" + axes);
  CHECK(walls["bounded"][0] == true);
  CHECK(walls["points"][0] == N + 1);
  CHECK(mentions(walls, "bounded (both ends keep the same value in all frames)"));
  CHECK(import("walls.npz --periodic x" + axes)["points"][0] == N);
  const auto ends = import("ends.npz" + axes);
  CHECK(ends["bounded"][0] == true);
  CHECK(mentions(ends, "bounded (the ends are 15 times as far apart as neighbours are)"));
  CHECK(import("ends.npz --periodic x" + axes)["points"][0] == N);
}

TEST_CASE("… also where the field is zero at both and its slope is not") {
  std::vector<double> arches;  // (sample, time, x)
  for (Index i = 0; i < 8 * 3; ++i)
    for (Index x = 0; x < N; ++x) arches.push_back((1 + double(i)) * double(x) * double(N - x));
  write_npy(layouts() / "arches.npy", Array::of({8, 3, N}, arches));
  const auto told = import("arches.npy --axes sample,time,x --time 1 -o arches.h5");
  CHECK(mentions(told, "bounded (the field bends "));
}

TEST_CASE("lags in frames and in time, and members of one start") {
  const std::string axes = "members.npz --axes sample,member,time,channel,x -o data.h5 ";
  CHECK(import(axes + "--lags 1,4")["samples"] == S * 2);
  Hdf5EnsembleFile file(layouts() / "data.h5");
  CHECK(file.least_members() == 3);
  const auto data = file.read<float, 1>({.keep = {.members = true}});
  CHECK(data.times[0] == doctest::Approx(0.1));
  CHECK(data.times[1] == doctest::Approx(1.0));
  CHECK(data.members(2 * 3 + 1, 7, 0) == doctest::Approx(wave(1, 1, 0, 7) + 1).epsilon(1e-5));
  CHECK(import(axes + "--lag-times 0.4")["samples"] == S);
  CHECK(says(refused("members.npz --axes sample,member,time,channel,x --lag-times 0.7 -o none.h5"),
             "has no two frames at the lags that are asked for; it has 5 frames from 0 to 1 in time"));
  CHECK(says(refused("members.npz --axes sample,-,time,channel,x -o none.h5"),
             "expected one element along the axis '-', found (6, 3, 5, 1, 16)"));
  CHECK(
      says(refused("apebench.npy --axes sample,time,member,x --lags 1 -o none.h5"),
           "expected members that start from the same field, found that members 0 and 1 of sample 0 differ"));
}

TEST_CASE("several files follow each other, and files that do not fit are refused") {
  const auto told = import("apebench.npy apebench.npy -o data.h5");
  CHECK(told["samples"] == 2 * S * (T - 1));
  CHECK(says(refused("apebench.npy plain.npy --axes sample,time,channel,x -o none.h5"),
             "expected an array with the 4 axes that --axes names"));
  CHECK(says(refused("absent.npy -o none.h5"), "No such file or directory"));
  CHECK(says(refused("data.h5 -o none.h5"), "has u0, uT and t already"));
  CHECK(says(refused("pdebench.hdf5 -o none.txt"), "expected a file that ends in .h5, .hdf5 or .npz"));
  CHECK(says(refused("pdebench.hdf5 -o absent/none.h5"), "there is no folder 'absent'"));
  CHECK(
      says(refused("pdebench.hdf5 --variables Vx -o none.h5"), "found no 'Vx' among what it was taken for"));
}

TEST_CASE("training on a foreign layout says that it can be imported") {
  const auto done = mno_in(layouts(), "train --data pdebench.hdf5 -o none.safetensors");
  CHECK(done.code == 2);
  CHECK(says(done.errors, "expected the arrays u0, uT and t"));
  CHECK(says(done.errors, "mno import pdebench.hdf5 -o data.h5"));
}

TEST_CASE("a disk that is full is an error, and what was there stays") {
  for (const std::string name : {"old.h5", "old.npz"}) {
    spoil(layouts() / name, bytes("as it was"));
    const SizeLimit full(40000);
    const auto done = mno_in(layouts(), "import pdebench_ns.h5 -o " + name);
    CHECK(done.code == 1);
    CHECK(says(done.errors, "old."));
    CHECK(says(done.errors, "File too large"));
    CHECK(content(layouts() / name) == "as it was");
  }
}
