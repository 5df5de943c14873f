#include "mno/io/file.hpp"

#include <doctest/doctest.h>
#include <sys/stat.h>

#include "scratch.hpp"

using namespace mno::io;

TEST_CASE("a file is read whole and in ranges") {
  const Scratch scratch;
  spoil(scratch / "a", bytes("hello world"));
  CHECK(characters(read_file(scratch / "a")) == "hello world");
  File file(scratch / "a");
  CHECK(file.size() == 11);
  CHECK(characters(file.read(6, 5)) == "world");
  CHECK(says(refusal([&] { file.read(6, 6); }), (scratch / "a").string()));
  spoil(scratch / "empty", {});
  CHECK(read_file(scratch / "empty").empty());
}

TEST_CASE("what is not a file is refused with the system's words, and at once") {
  const Scratch scratch;
  const std::string absent = refusal([&] { File(scratch / "absent"); });
  CHECK(says(absent, (scratch / "absent").string()));
  CHECK(says(absent, "No such file or directory"));
  CHECK(says(refusal([&] { File(scratch.path()); }), "expected a regular file"));
  REQUIRE(mkfifo((scratch / "pipe").c_str(), 0600) == 0);
  CHECK(says(refusal([&] { File(scratch / "pipe"); }), "expected a regular file"));
  CHECK_THROWS_AS(File("/dev/zero"), mno::Error);
}

TEST_CASE("a file that shrinks while it is read is refused") {
  const Scratch scratch;
  spoil(scratch / "a", bytes("hello world"));
  File file(scratch / "a");
  std::filesystem::resize_file(scratch / "a", 5);
  CHECK(says(refusal([&] { file.read(0, 11); }), "ends at offset 5, but had 11 bytes"));
}
