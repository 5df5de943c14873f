#include "mno/core/version.hpp"

#include <doctest/doctest.h>

#include <fstream>
#include <string>

TEST_CASE("CMake's project has the library's version, and the changelog has an entry for it") {
  CHECK(std::string(mno::library_version) == MNO_PROJECT_VERSION);
  std::ifstream changelog(std::string(MNO_SOURCE_DIR) + "/CHANGELOG.md");
  std::string first;
  while (std::getline(changelog, first) && !first.starts_with("## [")) {
  }
  CHECK(first.starts_with("## [" + std::string(mno::library_version) + "]"));
}
