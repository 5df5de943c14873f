#pragma once
// Writing a folder of shards: the shards first, by whoever writes them, and the manifest last.
//
//   prepare_shards(folder);                                    // creates it
//   for (Index k = 0; k < 8; ++k) {
//     NpzWriter file(folder / shard_name(k));                  // u0, uT, t … of some samples
//     …
//     shards.push_back(describe_shard(folder, shard_name(k), samples));
//   }
//   write_manifest(folder, shards);
//
// Without its manifest a folder is no data, so what is there is whole or nothing. A folder that is data
// already is not written over: its old manifest would name new files.
#include <cstdio>
#include <filesystem>

#include "mno/io/safe_file.hpp"
#include "mno/io/sha256.hpp"
#include "mno/io/shards/manifest.hpp"

namespace mno::io {

inline std::string folder_name(const std::filesystem::path& path) { return "folder '" + path.string() + "'"; }

/// shard-00003.npz
inline std::string shard_name(Index shard, const char* ending = ".npz") {
  char name[32];
  std::snprintf(name, sizeof name, "shard-%05lld", static_cast<long long>(shard));
  return std::string(name) + ending;
}

/// Creates the folder; one that has a manifest is refused.
template <class = void> void prepare_shards(const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::create_directory(folder, error);  // one that is there is no error
  if (error) cannot_write(folder_name(folder), "cannot be created: ", error.message());
  if (std::filesystem::symlink_status(folder / manifest_name, error).type() !=
      std::filesystem::file_type::not_found)
    refuse(folder_name(folder), "holds data already, as its '", manifest_name,
           "' says; remove it, or write into another folder");
}

/// The entry of a shard that is whole.
template <class = void>
Shard describe_shard(const std::filesystem::path& folder, const std::string& file, Index samples) {
  File source(folder / file);
  return {file, samples, sha256(source)};
}

/// After the last shard.
template <class = void>
void write_manifest(const std::filesystem::path& folder, const std::vector<Shard>& shards) {
  write_file(folder / manifest_name, bytes_of(std::string_view(manifest_text(shards))), Keep::nothing);
}

}  // namespace mno::io
