#pragma once
// What mno import is asked for, and what it will write: from files to pairs of frames.
#include <filesystem>
#include <mno/data/frame_pairs.hpp>

#include "geometry.hpp"

namespace program {

struct ImportOptions {
  std::vector<std::filesystem::path> files{};
  std::filesystem::path output{};
  Wishes wishes{};
  GeometryWishes geometry{};
  mno::PairOptions pairs{};
  std::string time{}, missing = "refuse";
  mno::Index first_sample = 0, samples = 0, pieces = 0;
  mno::Index shards = 0;  // none: one file
  bool compress = false, json = false;
};

/// A row of the file to be written: a pair of frames of a sample.
struct Row {
  mno::Index sample = 0;
  mno::FramePair pair{};
};

/// What goes into the file, and the words that describe it.
struct Plan {
  std::vector<std::string> files{};
  std::string layout{};
  Frames state{}, input{}, known{};
  std::vector<AxisFacts> axes{};
  Times times{};
  std::vector<Row> rows{};
  std::vector<mno::Index> groups{};  // (row), where there are trajectories
  std::vector<std::string> lines{};
  mno::PairOptions pairs{};  // as they came to be

  /// Arrays with known fields, and after them the frames before u0.
  mno::Index known_fields() const { return known.channels() + (pairs.history - 1) * state.channels(); }
  mno::io::Extents points() const {
    mno::io::Extents all;
    for (const AxisFacts& axis : axes) all.push_back(axis.points);
    return all;
  }
  mno::io::Extents shape(std::initializer_list<mno::Index> leading) const {
    mno::io::Extents all(leading);
    for (const AxisFacts& axis : axes) all.push_back(axis.points);
    return all;
  }
  mno::Index field_size(mno::Index channels) const {
    mno::Index product = channels;
    for (const AxisFacts& axis : axes) product *= axis.points;
    return product;
  }
};

/// Opens the files, says what their arrays are, and chooses pairs.
Plan make_plan(const ImportOptions& options);

}  // namespace program
