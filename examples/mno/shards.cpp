#include "shards.hpp"

#include <algorithm>
#include <mno/io/shards/writer.hpp>
#include <numeric>

#include "command.hpp"
#include "ranks.hpp"

namespace program {

namespace {

using mno::Index;
namespace io = mno::io;

/// Ranks that stop together. Before every step all agree whether one of them was interrupted, so that a
/// signal that reached one rank stops all, and nobody waits longer for another than a step takes.
class Steps {
 public:
  Steps(mno::Communicator& ranks, Index own) : ranks_(ranks) {
    std::vector<Index> all(std::size_t(ranks.size()), own);
    std::vector<mno::Communicator::Slice> parts;
    for (std::size_t r = 0; r < all.size(); ++r) parts.push_back({r, r + 1});
    ranks.all_gather(std::span(all), std::span<const mno::Communicator::Slice>(parts));
    most_ = *std::ranges::max_element(all);
  }
  /// Before a step. False: stop.
  bool go_on() {
    ++taken_;
    stopped_ = stopped_ || interrupted();
    return !stopped_;
  }
  /// After the last: until those with more steps are done, too.
  bool finish() {
    while (!stopped_ && taken_ < most_) go_on();
    stopped_ = stopped_ || interrupted();
    return !stopped_;
  }

 private:
  bool interrupted() { return ranks_.any(interruption()); }

  mno::Communicator& ranks_;
  Index most_ = 0, taken_ = 0;
  bool stopped_ = false;
};

}  // namespace

bool write_shards(const ShardJob& job) {
  mno::Communicator& together = ranks();
  const Index rank = together.rank(), size = together.size();
  const auto first_of = [&](Index shard) {  // the first ones have one more where it does not come out even
    return job.units / job.shards * shard + std::min(shard, job.units % job.shards);
  };
  const auto count_of = [&](Index shard) { return first_of(shard + 1) - first_of(shard); };
  if (rank == 0) io::prepare_shards(job.folder);
  together.meet();  // the folder is there

  Index steps = 0;
  for (Index shard = rank; shard < job.shards; shard += size) steps += job.steps(count_of(shard));
  Steps lockstep(together, steps);
  // Hashes in the order of ranks, as ranks exchange them.
  constexpr std::size_t digits = 64;
  std::vector<mno::Communicator::Slice> parts;
  for (Index r = 0, before = 0; r < size; ++r) {
    const Index own = (job.shards - r + size - 1) / size;  // shards r, r + size, …
    parts.push_back({digits * std::size_t(before), digits * std::size_t(before + own)});
    before += own;
  }
  const auto place = [&](Index shard) {
    return parts[std::size_t(shard % size)].begin + digits * std::size_t(shard / size);
  };
  std::vector<char> hashes(digits * std::size_t(job.shards));
  for (Index shard = rank; shard < job.shards; shard += size) {
    const std::string file = io::shard_name(shard);
    if (!job.write(shard, first_of(shard), count_of(shard), job.folder / file,
                   [&] { return lockstep.go_on(); }))
      return false;
    const io::Shard written = io::describe_shard(job.folder, file, count_of(shard) * job.samples_each);
    std::ranges::copy(written.sha256, hashes.begin() + std::ptrdiff_t(place(shard)));
  }
  if (!lockstep.finish()) return false;
  together.all_gather(std::span(hashes), std::span<const mno::Communicator::Slice>(parts));
  if (rank == 0) {
    std::vector<io::Shard> shards;
    for (Index shard = 0; shard < job.shards; ++shard)
      shards.push_back({io::shard_name(shard), count_of(shard) * job.samples_each,
                        std::string(hashes.data() + place(shard), digits)});
    io::write_manifest(job.folder, shards);
  }
  together.meet();  // whoever returns finds data
  return true;
}

std::filesystem::path shard_folder(const char* command, const std::filesystem::path& output, Index shards,
                                   Index units) {
  std::filesystem::path folder = output.has_filename() ? output : output.parent_path();  // "data/" is "data"
  const std::string ending = folder.extension().string();
  if (ending == ".npz" || ending == ".h5" || ending == ".hdf5")
    throw mno::Error(std::string("mno ") + command + ": with --shards, -o names a folder, not a file as '" +
                     output.string() + "'.");
  if (shards > units || shards > Index(io::most_shards))
    throw mno::Error(std::string("mno ") + command + ": --shards: expected at most " +
                     std::to_string(std::min(units, Index(io::most_shards))) + ", got " +
                     std::to_string(shards) + ".");
  require_folder_of(folder);
  return folder;
}

std::string not_data(const std::filesystem::path& folder) {
  return "'" + folder.string() + "' has no manifest and is no data. The same command writes it anew.";
}

void require_shards_of_ranks(const char* command, Index shards) {
  if (ranks().size() > 1 && shards == 0)  // MPI starts here: from now on one rank speaks for all
    throw mno::Error(
        std::string("mno ") + command + ": " + std::to_string(ranks().size()) +
        " processes cannot write one file. Add --shards N, with -o FOLDER, and each writes files "
        "of its own; or start one process.");
}

}  // namespace program
