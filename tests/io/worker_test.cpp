#include "mno/io/worker.hpp"

#include <doctest/doctest.h>

#include <cstdlib>

#include "io/scratch.hpp"

using namespace mno::io;

namespace {
Bytes echo(std::span<const std::byte> request) { return Bytes(request.begin(), request.end()); }
constexpr std::string_view failed = "has crashed, has run out of memory or has not answered within";
}  // namespace

TEST_CASE("a worker answers, with many bytes too") {
  Worker worker("x", echo);
  CHECK(characters(worker.call(bytes("hello"), 10)) == "hello");
  CHECK(worker.call(Bytes(10'000'000, std::byte{7}), 10'000'000) == Bytes(10'000'000, std::byte{7}));
  CHECK(worker.call({}, 0).empty());
}

TEST_CASE("what a worker refuses is refused here, and it answers on") {
  Worker worker("x", [](std::span<const std::byte> request) -> Bytes {
    if (request.empty()) refuse("file 'y'", "found nothing");
    return echo(request);
  });
  CHECK(refusal([&] { worker.call({}, 10); }) == "mno: file 'y': found nothing.");
  CHECK(characters(worker.call(bytes("on"), 10)) == "on");
}

TEST_CASE("a worker that crashes, hangs or says too much is an error, and stays one") {
  const auto crash = [](std::span<const std::byte>) -> Bytes { std::abort(); };
  const auto hang = [](std::span<const std::byte>) -> Bytes {
    for (;;) ::pause();
  };
  const auto twice = [](std::span<const std::byte> request) {
    Bytes out = echo(request);
    out.insert(out.end(), request.begin(), request.end());
    return out;
  };
  for (const Worker::Serve& serve : {Worker::Serve(crash), Worker::Serve(hang), Worker::Serve(twice)}) {
    Worker worker("file 'z'", serve, std::chrono::seconds(1));
    const std::string sentence = refusal([&] { worker.call(bytes("hello"), 5); });
    CHECK(says(sentence, "mno: file 'z': cannot be read"));
    CHECK(says(sentence, failed));
    CHECK(says(refusal([&] { worker.call(bytes("hello"), 5); }),
               "is closed, since reading it has failed before"));
  }
}

TEST_CASE("a worker that takes too much memory is refused") {
  Worker worker(
      "x", [](std::span<const std::byte>) { return Bytes(std::size_t{1} << 30); }, std::chrono::seconds(60),
      1 << 28);
  CHECK_THROWS_AS(worker.call({}, std::uint64_t{1} << 30), mno::Error);
}

TEST_CASE("workers of one caller end independently") {
  auto first = std::make_unique<Worker>("x", echo);
  Worker second("y", echo);
  first.reset();
  CHECK(characters(second.call(bytes("still"), 10)) == "still");
}
