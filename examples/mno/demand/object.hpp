#pragma once
// The file of a compiled operator: a shared library, followed by what it is and by the SHA-256 of all that.
//
//   library … | name=value lines | 16 digits: size of these lines | 64 digits: SHA-256 of all before
//
// The loader of the system does not look at what follows a library. One file, so that one rename publishes
// it.
#include <map>
#include <mno/io/file.hpp>
#include <optional>
#include <string>

#include "boundary.hpp"

namespace demand {

using About = std::map<std::string, std::string>;  // names and values without line breaks

/// Appends what it is, and makes the file durable.
void seal(const std::filesystem::path& object, const About& about);

/// What a file says it is, if it is as it was sealed.
std::optional<About> unsealed(const mno::io::Descriptor& object);

/// Loads the library of an open file for as long as the program runs: its table, or a sentence why not.
struct Loaded {
  const boundary::Table* table = nullptr;
  std::string error{};
};
Loaded load(const mno::io::Descriptor& object);

}  // namespace demand
