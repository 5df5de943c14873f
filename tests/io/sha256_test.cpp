// The hash against the digests that its standard publishes, in any pieces.
#include "mno/io/sha256.hpp"

#include <doctest/doctest.h>

using namespace mno::io;

TEST_CASE("SHA-256 gives the digests that its standard publishes, in whatever pieces the text comes") {
  CHECK(sha256("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  CHECK(sha256("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  CHECK(sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq") ==
        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  const std::string million(1000000, 'a');
  CHECK(sha256(million) == "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
  for (const std::size_t piece : {1u, 63u, 64u, 65u, 1000u}) {
    const std::string_view text = std::string_view(million).substr(0, 20011);
    Sha256 hash;
    for (std::size_t at = 0; at < text.size(); at += piece) hash.add(text.substr(at, piece));
    CHECK(hash.digits() == sha256(text));
  }
  Sha256 one, other;
  one.add_part("ab");
  one.add_part("c");
  other.add_part("a");
  other.add_part("bc");
  CHECK(one.digits() != other.digits());
}

TEST_CASE("a source has the digest of its bytes, however many pieces they pass in") {
  for (const std::size_t size : {0u, 1u, 55u, 56u, 64u, (1u << 20) - 1, 1u << 20, (1u << 20) + 1, 3000000u}) {
    std::string text(size, 'x');
    for (std::size_t i = 0; i < size; ++i) text[i] = char(i * i % 251);
    Memory source(bytes_of(std::string_view(text)));
    CHECK(sha256(source) == sha256(text));
  }
}
