#include "mno/io/safe_file.hpp"

#include <doctest/doctest.h>
#include <signal.h>
#include <sys/wait.h>

#include <random>
#include <thread>

#include "mno/io/safetensors/writer.hpp"
#include "scratch.hpp"
#include "size_limit.hpp"

using namespace mno::io;

namespace {
using Names = std::vector<std::string>;
std::string content(const std::filesystem::path& path) { return std::string(characters(read_file(path))); }
}  // namespace

TEST_CASE("a new file is in place after commit and not before") {
  const Scratch scratch;
  {
    SafeFile file(scratch / "a");
    file.write("hello ");
    file.write("world");
    CHECK(file.position() == 11);
    CHECK_FALSE(std::filesystem::exists(scratch / "a"));
    file.commit();
    CHECK_THROWS_AS(file.commit(), mno::Error);
  }
  CHECK(content(scratch / "a") == "hello world");
  CHECK(files_in(scratch.path()) == Names{"a"});
}

TEST_CASE("the file that is replaced is kept, unless nothing is to be kept") {
  const Scratch scratch;
  for (const char* text : {"first", "second", "third"}) write_file(scratch / "a", bytes(text));
  CHECK(content(scratch / "a") == "third");
  CHECK(content(scratch / "a.previous") == "second");
  CHECK(files_in(scratch.path()) == Names{"a", "a.previous"});
  write_file(scratch / "b", bytes("first"), Keep::nothing);
  write_file(scratch / "b", bytes("second"), Keep::nothing);
  CHECK(files_in(scratch.path()) == Names{"a", "a.previous", "b"});
}

TEST_CASE("a writer that is given up leaves everything as it was") {
  const Scratch scratch;
  write_file(scratch / "a", bytes("old"));
  {
    SafeFile file(scratch / "a");
    file.write(std::string(1 << 20, 'x'));
  }
  CHECK(content(scratch / "a") == "old");
  CHECK(files_in(scratch.path()) == Names{"a"});
}

TEST_CASE("pieces of any size arrive in order, and written bytes can be patched") {
  const Scratch scratch;
  std::string expected;
  SafeFile file(scratch / "a");
  for (std::size_t i = 0; i < 40; ++i) {
    const std::string piece(i * i * i * 3, char('a' + i % 26));  // below and above what is buffered
    file.write(piece);
    expected += piece;
  }
  file.patch(5, bytes("PATCH"));
  expected.replace(5, 5, "PATCH");
  CHECK_THROWS_AS(file.patch(expected.size() - 1, bytes("xx")), mno::Error);
  file.commit();
  CHECK(content(scratch / "a") == expected);
}

TEST_CASE("permissions stay, links are followed, devices and directories are not replaced") {
  const Scratch scratch;
  write_file(scratch / "private", bytes("old"));
  std::filesystem::permissions(scratch / "private", std::filesystem::perms(0600));
  write_file(scratch / "private", bytes("new"));
  CHECK(std::filesystem::status(scratch / "private").permissions() == std::filesystem::perms(0600));

  std::filesystem::create_symlink("private", scratch / "link");
  write_file(scratch / "link", bytes("newer"));
  CHECK(std::filesystem::is_symlink(scratch / "link"));
  CHECK(content(scratch / "private") == "newer");

  CHECK(says(refusal([&] { SafeFile file(scratch.path()); }), "expected a regular file to replace"));
  CHECK(says(refusal([] { SafeFile file("/dev/full"); }), "expected a regular file to replace"));
  CHECK(says(refusal([&] { SafeFile file(scratch / "no/such/folder"); }), "No such file or directory"));
}

TEST_CASE("a disk that is full leaves the old file, no temporary, and a sentence") {
  const Scratch scratch;
  write_file(scratch / "a", bytes("old"));
  const std::string large(300'000, 'x');
  for (const std::size_t piece :
       {std::size_t{1000}, std::size_t{300'000}}) {  // buffered, and straight through
    std::string sentence;
    {
      const SizeLimit limit(100'000);
      sentence = refusal([&] {
        SafeFile file(scratch / "a");
        for (std::size_t at = 0; at < large.size(); at += piece)
          file.write(std::string_view(large).substr(at, piece));
        file.commit();
      });
    }
    CHECK(says(sentence, (scratch / "a").string()));
    CHECK(says(sentence, "File too large"));
    CHECK(says(sentence, "the file itself is unchanged"));
    CHECK(content(scratch / "a") == "old");
    CHECK(files_in(scratch.path()) == Names{"a"});
  }
}

TEST_CASE("what failed once is never committed without the piece that failed") {
  const Scratch scratch;
  write_file(scratch / "a", bytes("old"));
  SafeFile file(scratch / "a");
  {
    const SizeLimit limit(1000);
    CHECK_THROWS_AS(file.write(std::string(200'000, 'x')), mno::Error);
  }
  CHECK_THROWS_AS(file.commit(), mno::Error);
  CHECK(content(scratch / "a") == "old");
}

TEST_CASE("a temporary is removed once its owner is gone, and not before") {
  const Scratch scratch;
  SafeFile alive(scratch / "a");
  spoil(scratch / ".a.999999-1.unfinished", bytes("left by a process that was killed"));
  spoil(scratch / ".other.999999-1.unfinished", bytes("of another file"));
  write_file(scratch / "a", bytes("x"));
  alive.write("alive");
  alive.commit();
  CHECK(content(scratch / "a") == "alive");
  CHECK(files_in(scratch.path()) == Names{".other.999999-1.unfinished", "a", "a.previous"});
}

TEST_CASE("a process that is killed at any moment leaves a file that loads") {
  const Scratch scratch;
  const auto path = scratch / "model.safetensors";
  const auto save = [&](int round) {
    const Array array = Array::of<std::int32_t>({20'000}, std::vector<std::int32_t>(20'000, round));
    write_safetensors(path, {NamedArray("w", array)}, {{"round", std::to_string(round)}});
  };
  const auto check = [](const std::filesystem::path& file) {
    const SafetensorsReader reader(file);
    const Array array = reader.read("w");
    const auto values = array.values<std::int32_t>();
    const int round = std::stoi(reader.metadata().at("round"));
    return std::ranges::all_of(values, [&](int value) { return value == round; });
  };
  save(0);
  std::mt19937 random(7);
  int progressed = 0;
  for (int trial = 0; trial < 100; ++trial) {
    const auto before = content(path);
    const pid_t child = fork();
    REQUIRE(child >= 0);
    if (child == 0) {
      for (int round = 1;; ++round) save(round);
    }
    std::this_thread::sleep_for(std::chrono::microseconds(random() % 20'000));
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    REQUIRE(check(path));
    if (std::filesystem::exists(path.string() + ".previous")) REQUIRE(check(path.string() + ".previous"));
    progressed += content(path) != before;
  }
  CHECK(progressed > 0);  // or nothing was tried
  save(0);
  CHECK(files_in(scratch.path()) == Names{"model.safetensors", "model.safetensors.previous"});
}
