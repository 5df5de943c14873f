#pragma once
// Fields (channel, x…) out of arrays whose axes are known, one frame at a time, with a bounded amount of
// memory: neighbouring frames and samples are read as a block.
#include <memory>
#include <mno/io/array_file.hpp>
#include <span>

#include "reading.hpp"

namespace program {

class Frames {
 public:
  /// Adds samples of `parts` after those already there; all must have the same frames, channels and points.
  void add(std::string name, std::shared_ptr<const mno::io::ArrayFile> file,
           const std::vector<std::vector<Taken>>& parts);

  bool empty() const { return parts_.empty(); }
  mno::Index samples() const { return samples_; }
  mno::Index members() const { return extents_[std::size_t(Role::member)]; }
  mno::Index frames() const { return extents_[std::size_t(Role::time)]; }
  bool has(Role role) const { return present_[std::size_t(role)]; }
  mno::Index channels() const { return channels_; }
  /// Points along an axis of space; 1 where there is none.
  mno::Index points(std::size_t axis) const { return extents_[std::size_t(Role::x) + axis]; }
  std::size_t dimension() const;

  /// (channel, x…) of one frame, with `count` points per axis from the first on.
  void read(mno::Index sample, mno::Index member, mno::Index frame, const mno::io::Extents& count,
            std::span<float> out);

  static constexpr std::uint64_t block_bytes = std::uint64_t{32} << 20;

 private:
  struct Block {
    mno::Index sample = 0, samples = 0, frame = 0, frames = 0;
    mno::io::Array values{};
    std::uint64_t used = 0;
  };
  struct Source {
    Taken taken;
    std::unique_ptr<mno::io::StoredArray> array;
    std::string name;  // for sentences
    mno::Index channels = 1;
    std::array<Block, 2> blocks{};
  };
  struct Part {
    mno::Index first = 0, samples = 1;
    std::vector<Source> sources{};
  };

  const Block& block(Source& source, mno::Index sample, mno::Index samples, mno::Index frame);
  void pick(Source& source, const Block& block, mno::Index sample, mno::Index member, mno::Index frame,
            const mno::io::Extents& count, float* out) const;

  std::vector<Part> parts_;
  std::size_t open_ = 0;  // the part whose blocks are kept
  mno::Index samples_ = 0, channels_ = 0;
  std::array<mno::Index, 8> extents_{1, 1, 1, 1, 1, 1, 1, 1};  // by role
  std::array<bool, 8> present_{};
  std::uint64_t clock_ = 0;
};

}  // namespace program
