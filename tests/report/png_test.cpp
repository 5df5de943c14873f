#include "../../examples/mno/report/png.hpp"

#include <doctest/doctest.h>

using namespace mno::report;

TEST_CASE("checksums and digits are those of the standards") {
  CHECK(png_crc("IEND") == 0xAE426082);  // the last bytes of every PNG file
  CHECK(png_crc("123456789") == 0xCBF43926);
  CHECK(adler32("Wikipedia") == 0x11E60398);
  CHECK(base64("") == "");
  CHECK(base64("f") == "Zg==");
  CHECK(base64("fo") == "Zm8=");
  CHECK(base64("foobar") == "Zm9vYmFy");
  CHECK(base64("\xff\xfe") == "//4=");
}

TEST_CASE("what is stored is in blocks of zlib, however long it is") {
  const std::string text(70000, 'a'), stored = zlib_stored(text);
  CHECK(stored.size() == 2 + 5 + 65535 + 5 + 4465 + 4);
  CHECK(stored.substr(0, 7) == std::string("\x78\x01\x00\xff\xff\x00\x00", 7));  // not the last
  CHECK(stored.substr(7 + 65535, 5) == std::string("\x01\x71\x11\x8e\xee", 5));  // the last, 4465 bytes
  CHECK(stored.substr(stored.size() - 4) == big_endian(adler32(text)));
  CHECK(zlib_stored("").size() == 2 + 5 + 4);
}

TEST_CASE("a picture has its size, its colours and its pixels") {
  const std::string file = png(2, 1, {1, 2}, {0x102030, 0x405060});
  CHECK(file.starts_with("\x89PNG\r\n\x1a\n"));
  CHECK(file.substr(8, 8) == std::string("\0\0\0\x0dIHDR", 8));
  CHECK(file.substr(16, 13) == std::string("\0\0\0\x02\0\0\0\x01\x08\x03\0\0\0", 13));
  CHECK(file.find("PLTE\x10\x20\x30\x40\x50\x60") != file.npos);
  CHECK(file.find(std::string("tRNS\xff\xff\0", 7)) != file.npos);  // what is past the palette is not seen
  CHECK(file.find(std::string("\x03\0\xfc\xff\0\x01\x02", 7)) != file.npos);  // one line without a filter
  CHECK(file.ends_with(std::string("\0\0\0\0IEND\xae\x42\x60\x82", 12)));
}
