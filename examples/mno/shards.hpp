#pragma once
// Commands that write a folder of shards (mno/io/shards/), shared among the ranks.
//
// Rank k of R writes the shards k, k + R, …, and rank 0 the manifest, when all shards are whole. Shards are
// cut by their number alone, so the files are the same for any number of ranks.
#include <filesystem>
#include <functional>
#include <mno/core/grid.hpp>
#include <string>

namespace program {

/// What is asked before every step of the work, which takes seconds; false: some rank was interrupted, stop.
using GoOn = std::function<bool()>;

struct ShardJob {
  std::filesystem::path folder{};
  mno::Index shards = 1, units = 1;  // units, such as initial conditions, are what is cut
  mno::Index samples_each = 1;       // samples of a unit
  /// Steps that writing so many units takes: how often write() will ask, at most.
  std::function<mno::Index(mno::Index units)> steps{};
  /// Writes units [first, first + count) into a file; false if it was told to stop, and then there is none.
  std::function<bool(mno::Index shard, mno::Index first, mno::Index count, const std::filesystem::path& file,
                     const GoOn& go_on)>
      write{};
};

/// All ranks call it. False if it was interrupted: then there is no manifest, and the folder is no data.
bool write_shards(const ShardJob& job);

/// The folder that `-o FOLDER --shards N` names, or an Error: its name has no ending of a file, and N is not
/// more than what can be cut.
std::filesystem::path shard_folder(const char* command, const std::filesystem::path& output,
                                   mno::Index shards, mno::Index units);

/// What is left after an interruption, as a sentence.
std::string not_data(const std::filesystem::path& folder);

/// Of several processes, each needs shards to write.
void require_shards_of_ranks(const char* command, mno::Index shards);

}  // namespace program
