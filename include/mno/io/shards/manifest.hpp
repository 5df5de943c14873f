#pragma once
// The manifest of a folder of shards, shards.json: which data files are in it, in the order of their samples.
//
//   {"format":"mno-shards","version":1,
//    "shards":[{"file":"shard-00000.npz","samples":64,"sha256":"9f86…"},{"file":"shard-00001.npz",…}]}
//
// A file counts its samples along the first axis of u0, and its hash is one of all its bytes. What a manifest
// says is checked before it is believed: a name cannot lead out of the folder, and numbers are bounded.
#include <algorithm>
#include <vector>

#include "mno/core/grid.hpp"
#include "mno/io/json/writer.hpp"

namespace mno::io {

inline constexpr const char* manifest_name = "shards.json";
inline constexpr std::string_view manifest_format = "mno-shards";
inline constexpr std::int64_t manifest_version = 1;
inline constexpr std::size_t most_shards = std::size_t{1} << 16;
inline constexpr Index most_samples = Index{1} << 53;  // of all shards
inline constexpr std::uint64_t most_manifest_bytes = std::uint64_t{1}
                                                     << 25;  // for so many names of 255 bytes

struct Shard {
  std::string file{};
  Index samples = 0;
  std::string sha256{};  // 64 digits
  bool operator==(const Shard&) const = default;
};

/// Whether a name is one of a file in the folder itself: letters, digits, '.', '_' and '-', no dot in front.
inline bool is_shard_name(std::string_view name) {
  const auto plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
  };
  return !name.empty() && name.size() <= 255 && plain(name[0]) &&
         std::ranges::all_of(name, [&](char c) { return plain(c) || c == '.' || c == '_' || c == '-'; });
}

/// Refuses a list that no folder can have; `name` is what a sentence calls the manifest.
inline void check_shards(const std::vector<Shard>& shards, const std::string& name) {
  if (shards.empty() || shards.size() > most_shards)
    refuse(name, "expected 1 to ", most_shards, " shards, found ", shards.size());
  Index all = 0;
  std::vector<std::string_view> names;
  for (const Shard& shard : shards) {
    if (!is_shard_name(shard.file))
      refuse(name,
             "expected the name of a file in its own folder, of letters, digits, '.', '_' and '-', found ",
             shown(shard.file));
    if (shard.samples < 1 || shard.samples > most_samples - all)
      refuse(name, "expected at least one sample in ", shown(shard.file), " and at most ", most_samples,
             " in all, found ", shard.samples);
    if (shard.sha256.size() != 64 || shard.sha256.find_first_not_of("0123456789abcdef") != std::string::npos)
      refuse(name, "expected the 64 digits of a SHA-256 for ", shown(shard.file), ", found ",
             shown(shard.sha256));
    all += shard.samples;
    names.push_back(shard.file);
  }
  std::ranges::sort(names);
  const auto twice = std::ranges::adjacent_find(names);
  if (twice != names.end()) refuse(name, "names ", shown(*twice), " twice");
}

/// The shards of a manifest, or the sentence.
template <class = void> std::vector<Shard> parse_manifest(std::string_view text, const std::string& name) {
  const Json json = parse_json(text, name, {.depth = 8});
  const Json *format = find(json, "format"), *version = find(json, "version"), *list = find(json, "shards");
  const std::string* kind = format ? format->get<std::string>() : nullptr;
  if (!kind || *kind != manifest_format)
    refuse(name, "expected the format '", manifest_format, "', found ", kind ? shown(*kind) : "none");
  const std::int64_t* number = version ? version->get<std::int64_t>() : nullptr;
  if (!number || *number != manifest_version)
    refuse(name, "expected version ", manifest_version, " of its format, found ",
           number ? std::to_string(*number) : "none");
  const JsonList* entries = list ? list->get<JsonList>() : nullptr;
  if (!entries) refuse(name, "expected a list of shards, found none");
  std::vector<Shard> shards;
  for (const Json& entry : *entries) {
    const Json *file = find(entry, "file"), *samples = find(entry, "samples"), *hash = find(entry, "sha256");
    const std::string* file_text = file ? file->get<std::string>() : nullptr;
    const std::string* hash_text = hash ? hash->get<std::string>() : nullptr;
    const std::int64_t* count = samples ? samples->get<std::int64_t>() : nullptr;
    if (!file_text || !hash_text || !count)
      refuse(name,
             "expected a file, a whole number of samples and a sha256 of every shard, found less of shard ",
             shards.size());
    shards.push_back({*file_text, Index(*count), *hash_text});
  }
  check_shards(shards, name);
  return shards;
}

/// The text of a manifest, which parse_manifest() reads back.
template <class = void> std::string manifest_text(const std::vector<Shard>& shards) {
  check_shards(shards, "io::manifest_text");
  JsonList list;
  for (const Shard& shard : shards)
    list.push_back({JsonObject{{"file", Json{shard.file}},
                               {"samples", Json{std::int64_t(shard.samples)}},
                               {"sha256", Json{shard.sha256}}}});
  return write_json({JsonObject{{"format", Json{std::string(manifest_format)}},
                                {"version", Json{manifest_version}},
                                {"shards", Json{std::move(list)}}}}) +
         "\n";
}

}  // namespace mno::io
