#pragma once
// Small pictures as PNG inside the page: one byte per pixel, which is a colour of a palette, without
// compression. A field of 64 × 64 takes 6 kB as text, a tenth of what squares of SVG take.
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace mno::report {

/// CRC-32 of a PNG chunk, as in ISO 3309.
inline std::uint32_t png_crc(std::string_view bytes) {
  std::uint32_t state = 0xFFFFFFFF;
  for (const char byte : bytes) {
    state ^= static_cast<unsigned char>(byte);
    for (int bit = 0; bit < 8; ++bit) state = state & 1 ? state >> 1 ^ 0xEDB88320 : state >> 1;
  }
  return ~state;
}
inline std::uint32_t adler32(std::string_view bytes) {
  std::uint32_t a = 1, b = 0;
  for (const char byte : bytes) {
    a = (a + static_cast<unsigned char>(byte)) % 65521;
    b = (b + a) % 65521;
  }
  return b << 16 | a;
}

inline std::string big_endian(std::uint32_t value) {
  return {char(value >> 24), char(value >> 16), char(value >> 8), char(value)};
}

/// zlib's format with blocks that are stored as they are.
inline std::string zlib_stored(std::string_view bytes) {
  std::string out = "\x78\x01";
  const std::uint32_t sum = adler32(bytes);
  do {
    const std::string_view block = bytes.substr(0, 65535);
    bytes.remove_prefix(block.size());
    const auto size = std::uint16_t(block.size());
    out += char(bytes.empty());
    for (const int half : {int(size), int(std::uint16_t(~size))}) out += {char(half), char(half >> 8)};
    out += block;
  } while (!bytes.empty());
  return out + big_endian(sum);
}

/// `pixels` are indices into the palette of 0xRRGGBB, row by row; one past its end is transparent.
inline std::string png(int width, int height, const std::vector<int>& pixels,
                       const std::vector<int>& palette) {
  const auto chunk = [](const std::string& content) {
    return big_endian(std::uint32_t(content.size() - 4)) + content + big_endian(png_crc(content));
  };
  std::string colours = "PLTE", lines;
  for (const int colour : palette) colours += {char(colour >> 16), char(colour >> 8), char(colour)};
  colours += std::string(3, '\0');
  for (int row = 0; row < height; ++row) {
    lines += '\0';  // no filter
    for (int column = 0; column < width; ++column) lines += char(pixels[std::size_t(row * width + column)]);
  }
  const std::string format{8, 3, 0, 0, 0};  // bits, palette, and the only methods there are
  return "\x89PNG\r\n\x1a\n" +
         chunk("IHDR" + big_endian(std::uint32_t(width)) + big_endian(std::uint32_t(height)) + format) +
         chunk(colours) + chunk("tRNS" + std::string(palette.size(), '\xff') + std::string(1, '\0')) +
         chunk("IDAT" + zlib_stored(lines)) + chunk("IEND");
}

inline std::string base64(std::string_view bytes) {
  static constexpr std::string_view digits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t count = std::min<std::size_t>(3, bytes.size() - i);
    std::uint32_t group = 0;
    for (std::size_t k = 0; k < 3; ++k)
      group = group << 8 | (k < count ? static_cast<unsigned char>(bytes[i + k]) : 0u);
    for (std::size_t k = 0; k < 4; ++k) out += k <= count ? digits[group >> (18 - 6 * k) & 63] : '=';
  }
  return out;
}

}  // namespace mno::report
