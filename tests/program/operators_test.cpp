// Operators on demand, as the program has them: compiled once whoever asks, found again, and never taken from
// where others could have put them. A script plays the compiler and gives back a stand-in (stand_in.cpp).
#include <doctest/doctest.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <nlohmann/json.hpp>
#include <thread>

#include "mno/core/random.hpp"
#include "mno/io/zip/npz.hpp"
#include "program/run_program.hpp"

using namespace mno;
using namespace mno::io;

namespace {

const std::string stand_in = "the stand-in was asked to work";

/// A folder with data, a compiler and a cache.
struct Workplace : Scratch {
  Workplace() {
    std::vector<float> u0(4 * 16), uT(4 * 5 * 16);
    Stream random(1);
    for (auto* all : {&u0, &uT})
      for (float& u : *all) u = float(random.normal());
    NpzWriter file(*this / "data.npz");
    file.write("u0", Array::of({4, 1, 16}, u0));
    file.write("uT", Array::of({4, 5, 1, 16}, uT));
    file.write("t", Array::of({}, std::vector<double>{1}));
    file.commit();
    compiler();
  }

  std::filesystem::path cache() const { return *this / "cache"; }
  std::string variables() const {
    return "MNO_CACHE_DIR='" + cache().string() + "' MNO_CXX='" + (*this / "compiler").string() + "'";
  }
  /// A compiler of a version, and what it does before it compiles.
  void compiler(const std::string& version = "9.9", const std::string& before = "true") const {
    const std::filesystem::path script = *this / "compiler";
    std::ofstream(script) << "#!/bin/sh\nif [ \"$1\" = -v ]; then echo 'gcc version " << version
                          << " (stand-in)'; exit 0; fi\n"
                          << "echo \"$@\" >>'" << (*this / "calls").string() << "'\n"
                          << before << "\n"
                          << "for argument; do output=$argument; done\n"  // -o OUTPUT are the last
                          << "case \" $* \" in *' -shared '*) cat '" MNO_STAND_IN "' >\"$output\";;\n"
                          << "*) : >\"$output\";; esac\n";
    ::chmod(script.c_str(), 0755);
  }
  /// How often a compiler was called: two parts and a linker make an operator.
  int calls() const {
    if (!std::filesystem::exists(*this / "calls")) return 0;
    const std::string all = content(*this / "calls");
    return int(std::count(all.begin(), all.end(), '\n'));
  }
  Outcome train(const std::string& more = "") const {
    return mno_in(*this, arguments(), variables() + " " + more);
  }
  static std::string arguments() {
    return "train --data data.npz -o m.safetensors --kind mno --epochs 1 --rank 3 --width 5 --modes 7 "
           "--depth 2";
  }
  /// The names in the cache, by how they end.
  std::vector<std::string> kept(const std::string& end) const {
    std::vector<std::string> names;
    for (const std::string& name : files_in(cache()))
      if (name.ends_with(end)) names.push_back(name);
    return names;
  }
  std::filesystem::path object() const {
    REQUIRE(kept(".so").size() == 1);
    return cache() / kept(".so")[0];
  }
};

/// The stand-in was reached, with or without a compiler at work.
void reached(const Outcome& outcome, bool compiled) {
  CHECK_MESSAGE(says(outcome.errors, stand_in), outcome.errors);
  CHECK(outcome.code == 2);
  CHECK_MESSAGE(says(outcome.errors, "Compiling the operator 1,1,3,5,7,2 with compiler 9.9") == compiled,
                outcome.errors);
}

pid_t begin(const Workplace& place, const std::string& name, const std::string& variables) {
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    const std::string command = "cd '" + place.path().string() + "' && exec env " + variables +
                                " '" MNO_PROGRAM_PATH "' " + Workplace::arguments() + " >" + name +
                                ".out 2>" + name + ".err";
    ::execl("/bin/sh", "sh", "-c", command.c_str(), static_cast<char*>(nullptr));
    ::_exit(127);
  }
  return child;
}
int end(pid_t child) {
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}
/// A file system that goes with this object.
struct Mounted {
  std::filesystem::path at;
  ~Mounted() { ::umount2(at.c_str(), MNT_DETACH); }
};

/// Until it is so, or ten seconds.
template <class Condition> bool wait_until(Condition&& condition) {
  for (int i = 0; i < 1000; ++i) {
    if (condition()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return false;
}

}  // namespace

TEST_CASE(
    "an operator is compiled the first time it is needed, with a line that says so, and found afterwards") {
  const Workplace place;
  reached(place.train(), true);
  CHECK(place.calls() == 3);
  reached(place.train(), false);
  CHECK(place.calls() == 3);
  CHECK(place.kept("").size() == 1);  // nothing but the operator
  struct stat status {};
  REQUIRE(::stat(place.cache().c_str(), &status) == 0);
  CHECK((status.st_mode & 0777) == 0700);
}

TEST_CASE("two programs that need the same operator at once compile it once") {
  const Workplace place;
  place.compiler("9.9", "sleep 0.3");
  const pid_t one = begin(place, "one", place.variables()), other = begin(place, "other", place.variables());
  CHECK(end(one) == 2);
  CHECK(end(other) == 2);
  CHECK(place.calls() == 3);
  CHECK(says(content(place / "one.err"), stand_in));
  CHECK(says(content(place / "other.err"), stand_in));
  CHECK(place.kept("").size() == 1);
}

TEST_CASE("a compiler that fails is told with the end of what it said, and never remembered") {
  const Workplace place;
  place.compiler("9.9", "for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15; do echo line $i >&2; done; exit 1");
  const auto failed = place.train();
  CHECK(failed.code == 1);
  CHECK(says(failed.errors, "the operator 1,1,3,5,7,2 could not be compiled"));
  CHECK(says(failed.errors, "line 15\n"));
  CHECK_FALSE(says(failed.errors, "line 1\n"));
  REQUIRE(place.kept("").size() == 1);
  CHECK(says(content(place.cache() / place.kept(".log")[0]), "line 1\n"));
  place.compiler();
  reached(place.train(), true);
}

TEST_CASE("a compiler that is killed leaves nothing that is used later") {
  const Workplace place;
  place.compiler("9.9", "kill -9 $$");
  CHECK(place.train().code == 1);
  CHECK(place.kept(".so").empty());
  place.compiler();
  reached(place.train(), true);
}

TEST_CASE("a program that is killed while it compiles stops nobody, and what it left is removed") {
  const Workplace place;
  place.compiler("9.9", "sleep 1");
  const pid_t child = begin(place, "killed", place.variables());
  REQUIRE(wait_until([&] { return place.calls() >= 1; }));
  ::kill(child, SIGKILL);
  end(child);
  std::this_thread::sleep_for(std::chrono::milliseconds(1500));  // its compilers end, and leave their files
  const auto left = place.kept("");
  CHECK(std::ranges::any_of(left, [](const std::string& name) { return name.starts_with("making-"); }));
  for (const std::string& name : left)  // as if it had been some time ago
    if (name.starts_with("making-"))
      std::filesystem::last_write_time(place.cache() / name,
                                       std::filesystem::file_time_type::clock::now() - std::chrono::hours(1));
  place.compiler();
  reached(place.train(), true);
  CHECK(place.kept("").size() == 1);
}

TEST_CASE("Ctrl-C while an operator is compiled leaves nothing behind and says so") {
  const Workplace place;
  place.compiler("9.9", "echo $$ >>" + (place / "processes").string() + "; sleep 60");
  const pid_t child = begin(place, "stopped", place.variables());
  REQUIRE(wait_until([&] { return place.calls() == 2; }));
  REQUIRE(wait_until([&] {
    return std::filesystem::exists(place / "processes") &&
           std::ranges::count(content(place / "processes"), '\n') == 2;
  }));
  ::kill(child, SIGINT);
  CHECK(end(child) == 3);
  CHECK(says(content(place / "stopped.err"),
             "Interrupted while an operator was compiled; nothing of it is left."));
  CHECK(place.kept("").empty());
  std::istringstream processes(content(place / "processes"));
  for (pid_t process; processes >> process;) CHECK(::kill(process, 0) != 0);
}

TEST_CASE("what is damaged, cut or not ours alone is compiled again") {
  const Workplace place;
  reached(place.train(), true);
  const std::filesystem::path object = place.object();
  const std::string good = content(object);
  const auto replaced = [&](const std::string& bytes) {
    std::filesystem::remove(object);
    spoil(object, bytes_of(bytes));
    ::chmod(object.c_str(), 0500);
  };
  std::string bad = good;
  bad[bad.size() / 2] = char(bad[bad.size() / 2] ^ 1);
  replaced(bad);
  reached(place.train(), true);
  CHECK(content(object) == good);
  replaced(good.substr(0, good.size() / 2));
  reached(place.train(), true);
  replaced("");
  reached(place.train(), true);
  ::chmod(object.c_str(), 0522);
  reached(place.train(), true);

  std::filesystem::remove(object);  // a link, even to a good one
  spoil(place / "elsewhere.so", bytes_of(good));
  std::filesystem::create_symlink(place / "elsewhere.so", object);
  reached(place.train(), true);
  CHECK_FALSE(std::filesystem::is_symlink(object));
  CHECK(content(place / "elsewhere.so") == good);
  reached(place.train(), false);
}

TEST_CASE("another version of the compiler makes another operator, and the list tells which is used") {
  const Workplace place;
  reached(place.train(), true);
  place.compiler("10.0");
  CHECK(says(place.train().errors, "with compiler 10.0"));
  CHECK(place.kept(".so").size() == 2);
  const auto listed = mno_in(place, "operators --json", place.variables());
  REQUIRE_MESSAGE(listed.code == 0, listed.errors);
  const auto json = nlohmann::json::parse(listed.out);
  REQUIRE(json["kept"].size() == 2);
  int usable = 0;
  for (const auto& one : json["kept"]) {
    CHECK(one["operator"] == "1,1,3,5,7,2");
    CHECK(one["bytes"].get<int>() > 1000);
    CHECK(one["age_seconds"].get<int>() >= 0);
    usable += one["usable"].get<bool>();
    if (!one["usable"].get<bool>()) CHECK(one["problem"] == "another compiler");
  }
  CHECK(usable == 1);
  CHECK(json["compiled_in"][0]["operator"] == "mno-nugget,1,1,4,16,8,2");
  CHECK(
      says(mno_in(place, "operators", place.variables()).out, "not used by this program: another compiler"));
  CHECK(says(mno_in(place, "operators --clear", place.variables()).out, "Removed 2 operator(s)"));
  CHECK(place.kept("").empty());
  CHECK(says(mno_in(place, "operators", place.variables()).out,
             "on demand, in " + place.cache().string() + ":\n  none"));
}

TEST_CASE("a folder that others can write to, a link, or somebody else's is refused") {
  const Workplace place;
  const auto refused = [&](const std::filesystem::path& folder) {
    const auto outcome = place.train("MNO_CACHE_DIR='" + folder.string() + "'");
    CHECK(outcome.code == 2);
    CHECK(says(outcome.errors, "MNO_CACHE_DIR may name another place"));
    return outcome.errors;
  };
  std::filesystem::create_directory(place / "open");
  ::chmod((place / "open").c_str(), 0777);
  CHECK(says(refused(place / "open"), "a folder that nobody else can write to"));
  std::filesystem::create_directory(place / "real");
  std::filesystem::create_directory_symlink(place / "real", place / "link");
  CHECK(says(refused(place / "link"), "found a link"));
  if (::geteuid() == 0) {
    std::filesystem::create_directory(place / "foreign");
    REQUIRE(::chown((place / "foreign").c_str(), 65534, 65534) == 0);
    CHECK(says(refused(place / "foreign"), "found one of another user"));
  } else {
    CHECK(says(refused("/"), "found one of another user"));
  }
  CHECK(place.calls() == 0);
}

TEST_CASE("where the usual folder cannot be used an operator is compiled for this run alone") {
  const Workplace place;
  spoil(place / "file", bytes_of(std::string_view("")));
  const std::string nowhere = "MNO_CACHE_DIR= XDG_CACHE_HOME='" + (place / "file").string() + "' TMPDIR='" +
                              place.path().string() + "'";
  const auto outcome = place.train(nowhere);
  reached(outcome, true);
  CHECK(says(outcome.errors, "not to be kept"));
  for (const std::string& name : files_in(place.path())) CHECK_FALSE(name.starts_with("mno-"));
}

TEST_CASE("a folder that can only be read serves what is there, and says that nothing can be added") {
  const Workplace place;
  reached(place.train(), true);
  ::chmod(place.cache().c_str(), 0500);
  if (::geteuid() == 0) {  // for whom modes do not count: as somebody else, if the program can be reached
    REQUIRE(std::system(("chown -R 65534 '" + place.path().string() + "'").c_str()) == 0);
    const std::string as = "setpriv --reuid=65534 --clear-groups env ";
    if (std::system((as + "'" MNO_PROGRAM_PATH "' --help >/dev/null 2>&1").c_str()) != 0) {
      MESSAGE("left out: another user cannot run the program here");
      return;
    }
    reached(mno_in(place, Workplace::arguments(), place.variables(),
                   "setpriv' --reuid=65534 --clear-groups '" MNO_PROGRAM_PATH),
            false);
    place.compiler("10.0");
    const auto refused = mno_in(place, Workplace::arguments(), place.variables(),
                                "setpriv' --reuid=65534 --clear-groups '" MNO_PROGRAM_PATH);
    CHECK(refused.code == 1);
    CHECK(says(refused.errors, "cannot be written to: Permission denied"));
  } else {
    reached(place.train(), false);
    place.compiler("10.0");
    const auto refused = place.train();
    CHECK(refused.code == 1);
    CHECK(says(refused.errors, "cannot be written to: Permission denied"));
  }
  ::chmod(place.cache().c_str(), 0700);
}

TEST_CASE("a disk that is full is an error, and no piece of an operator is kept") {
  const Workplace place;
  // No file may grow beyond 4 blocks of 512 bytes: as a full disk, for the compiler and for the program.
  const std::string command = "cd '" + place.path().string() + "' && trap '' XFSZ; ulimit -f 4; " +
                              place.variables() + " '" MNO_PROGRAM_PATH "' " + Workplace::arguments() +
                              " >/dev/null 2>stderr.txt";
  spoil(place / "run.sh", bytes_of(std::string_view(command)));
  const int status = std::system(("bash '" + (place / "run.sh").string() + "'").c_str());
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 1);
  CHECK(place.kept(".so").empty());
  reached(place.train(), true);

  place.compiler("9.9", "echo 'fatal error: error writing to x.s: No space left on device' >&2; exit 1");
  std::filesystem::remove_all(place.cache());
  CHECK(says(place.train().errors, "No space left on device"));
  CHECK(place.kept(".so").empty());
}

TEST_CASE("a file system that is full is an error, and the same command works once there is room" *
          doctest::skip(::geteuid() != 0)) {  // who may not mount has the case before
  const Workplace place;
  std::filesystem::create_directory(place.cache());
  if (::mount("tmpfs", place.cache().c_str(), "tmpfs", 0, "size=8k,mode=0700") != 0) {
    MESSAGE("not run: no file system can be mounted here");
    return;
  }
  const Mounted mounted{place.cache()};
  REQUIRE(std::filesystem::file_size(MNO_STAND_IN) > 8 * 1024);
  const auto full = place.train();
  CHECK(full.code != 0);
  CHECK_MESSAGE(says(full.errors, "No space left on device"), full.errors);
  CHECK(place.kept(".so").empty());
  CHECK(::mount("tmpfs", place.cache().c_str(), "tmpfs", MS_REMOUNT, "size=16m,mode=0700") == 0);
  reached(place.train(), true);
  reached(place.train(), false);
}

TEST_CASE("without a compiler a sentence says what to do, and operators of the program work") {
  const Workplace place;
  const std::string none = "MNO_CXX=/no/such/compiler";
  const auto refused = place.train(none);
  CHECK(refused.code == 2);
  CHECK(says(refused.errors, "no operator with dimension 1, channels 1, rank 3, width 5, modes 7, depth 2"));
  CHECK(says(refused.errors, "the compiler '/no/such/compiler', which is not there"));
  CHECK(says(refused.errors, "  dimension 1, channels 1, rank 4, width 16, modes 8, depth 2\n"));
  CHECK(says(refused.errors, "-DMNO_SHAPES='1,1,3,5,7,2;"));
  const auto trained =
      mno_in(place,
             "train --data data.npz -o m.safetensors --epochs 1 --rank 4 --width 16 --modes 8 "
             "--depth 2",
             place.variables() + " " + none);
  CHECK_MESSAGE(trained.code == 0, trained.errors);
  CHECK_FALSE(std::filesystem::exists(place.cache()));
}

TEST_CASE("an installed program compiles with the headers that were installed beside it") {
  const Workplace place;
  const std::string prefix = (place / "prefix").string();
  REQUIRE(std::system(("cmake --install '" MNO_BUILD_DIR "' --prefix '" + prefix + "' >/dev/null").c_str()) ==
          0);
  reached(mno_in(place, Workplace::arguments(), place.variables(), prefix + "/bin/mno"), true);
  const std::string calls = content(place / "calls");
  CHECK(says(calls, " -I" + prefix + "/include "));
  CHECK_FALSE(says(calls, MNO_SOURCE_DIR));
  std::filesystem::remove_all(prefix + "/include");  // then those of the sources will do, where they are
  const auto sources = mno_in(place, Workplace::arguments(), place.variables(), prefix + "/bin/mno");
  reached(sources, true);
  CHECK(says(content(place / "calls"), " -I" MNO_SOURCE_DIR "/include "));
}
