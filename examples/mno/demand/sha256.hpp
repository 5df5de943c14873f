#pragma once
// SHA-256 (FIPS 180-4): what names an operator and what tells whether its file is as it was written.
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace demand {

class Sha256 {
 public:
  void add(const void* data, std::size_t size);
  void add(std::string_view text) { add(text.data(), text.size()); }
  /// A text and its length, so that no two lists of texts give the same bytes.
  void add_part(std::string_view text) {
    add(std::to_string(text.size()) + ":");
    add(text);
  }
  /// 64 digits. Nothing can be added afterwards.
  std::string digits();

 private:
  void block(const unsigned char* bytes);

  std::array<std::uint32_t, 8> state_{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                      0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<unsigned char, 64> rest_{};
  std::uint64_t size_ = 0;
};

std::string sha256(std::string_view text);

}  // namespace demand
