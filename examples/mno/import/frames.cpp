#include "frames.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <mno/io/unpacked.hpp>

namespace program {

using mno::Index;
namespace io = mno::io;

void Frames::add(std::string name, std::shared_ptr<const io::ArrayFile> file,
                 const std::vector<std::vector<Taken>>& parts) {
  for (const auto& arrays : parts) {
    Part part;
    part.first = samples_;
    Index channels = 0;
    bool sampled = false;
    std::array<Index, 8> extents{1, 1, 1, 1, 1, 1, 1, 1};
    std::array<bool, 8> present{};
    for (const Taken& taken : arrays) {
      Source source{taken, io::open_unpacked(*file, taken.name), name + ", array " + io::shown(taken.name)};
      const io::Extents& shape = source.array->layout().shape;
      if (shape.size() != taken.axes.size())
        io::refuse(source.name, "expected ", taken.axes.size(), " axes, found ", io::to_string(shape));
      for (std::size_t d = 0; d < shape.size(); ++d) {
        const Role role = taken.axes[d];
        if (shape[d] < 1)
          io::refuse(source.name, "expected at least one of everything, found ", io::to_string(shape));
        if (role == Role::none && shape[d] != 1)
          io::refuse(source.name, "expected one element along the axis '-', found ", io::to_string(shape));
        if (role == Role::channel) source.channels *= shape[d];
        if (role == Role::channel || role == Role::none) continue;
        const std::size_t r = std::size_t(role);
        if (present[r] && extents[r] != shape[d])
          io::refuse(source.name, "expected ", extents[r], " along the axis of ", name_of(role),
                     " as the arrays beside it have, found ", io::to_string(shape));
        present[r] = true;
        extents[r] = shape[d];
      }
      sampled = sampled || std::ranges::find(taken.axes, Role::sample) != taken.axes.end();
      channels += source.channels;
      part.sources.push_back(std::move(source));
    }
    part.samples = extents[std::size_t(Role::sample)];
    extents[std::size_t(Role::sample)] = 1;
    if (parts_.empty() && samples_ == 0) {
      channels_ = channels;
      extents_ = extents;
      present_ = present;
    }
    if (channels != channels_ || extents != extents_)
      io::refuse(part.sources[0].name,
                 "expected the frames, channels and points of the samples before it, found ",
                 part.sources[0].array->layout().str());
    present_[std::size_t(Role::sample)] = present_[std::size_t(Role::sample)] || sampled || parts_.size() > 0;
    samples_ += part.samples;
    parts_.push_back(std::move(part));
  }
}

std::size_t Frames::dimension() const {
  std::size_t axes = 0;
  while (axes < 3 && present_[std::size_t(Role::x) + axes]) ++axes;
  return axes;
}

const Frames::Block& Frames::block(Source& source, Index sample, Index samples, Index frame) {
  for (Block& known : source.blocks)
    if (known.samples > 0 && sample >= known.sample && sample < known.sample + known.samples &&
        frame >= known.frame && frame < known.frame + known.frames) {
      known.used = ++clock_;
      return known;
    }
  const io::Extents& shape = source.array->layout().shape;
  const auto& axes = source.taken.axes;
  const bool sampled = std::ranges::find(axes, Role::sample) != axes.end(),
             timed = std::ranges::find(axes, Role::time) != axes.end();
  const Index all_frames = timed ? frames() : 1;
  std::uint64_t bytes = sizeof(double);
  for (std::size_t d = 0; d < shape.size(); ++d)
    if (axes[d] != Role::sample && axes[d] != Role::time) bytes *= std::uint64_t(shape[d]);
  const auto room = Index(std::max<std::uint64_t>(1, block_bytes / bytes));  // frames of one sample

  Block& old = *std::ranges::min_element(source.blocks, {}, &Block::used);
  old.samples = 0;  // nothing, should reading fail
  old.frames = std::min(all_frames, room);
  old.frame = timed && old.frames < all_frames ? frame : 0;
  old.frames = std::min(old.frames, all_frames - old.frame);
  const Index read = sampled ? std::min(std::max<Index>(1, old.frames < all_frames ? 1 : room / all_frames),
                                        samples - sample)
                             : 1;
  old.sample = sampled ? sample : 0;
  io::Extents start(shape.size(), 0), count = shape;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    if (axes[d] == Role::sample) start[d] = old.sample, count[d] = read;
    if (axes[d] == Role::time) start[d] = old.frame, count[d] = old.frames;
  }
  old.values = source.array->read(start, count);
  old.samples = sampled ? read : std::numeric_limits<Index>::max();  // one block for all
  if (!timed) old.frames = std::numeric_limits<Index>::max();
  old.used = ++clock_;
  return old;
}

void Frames::pick(Source& source, const Block& block, Index sample, Index member, Index frame,
                  const io::Extents& count, float* out) const {
  const io::Extents& shape = block.values.shape();
  std::array<Index, 3> step{};  // between neighbours in space, 0 where the array does not vary
  std::vector<std::pair<Index, Index>> channel_axes;  // extent and step
  Index base = 0, stride = 1;
  for (std::size_t d = shape.size(); d-- > 0;) {
    const Role role = source.taken.axes[d];
    if (role == Role::sample) base += (sample - block.sample) * stride;
    if (role == Role::member) base += member * stride;
    if (role == Role::time) base += (frame - block.frame) * stride;
    if (is_space(role)) step[space_index(role)] = stride;
    if (role == Role::channel) channel_axes.insert(channel_axes.begin(), {shape[d], stride});
    stride *= shape[d];
  }
  io::Extents n = count;
  n.resize(3, 1);
  const auto copy = [&]<class T>(std::span<const T> values) {
    for (Index c = 0; c < source.channels; ++c) {
      Index from = base, rest = c;
      for (std::size_t k = channel_axes.size(); k-- > 0;) {
        from += rest % channel_axes[k].first * channel_axes[k].second;
        rest /= channel_axes[k].first;
      }
      for (Index i = 0; i < n[0]; ++i)
        for (Index j = 0; j < n[1]; ++j)
          for (Index k = 0; k < n[2]; ++k) {
            const auto value = double(values[std::size_t(from + i * step[0] + j * step[1] + k * step[2])]);
            if (std::isfinite(value) && std::abs(value) > double(std::numeric_limits<float>::max()))
              io::refuse(source.name, "found ", value, ", which float cannot hold");
            *out++ = float(value);
          }
    }
  };
  switch (block.values.type()) {
    case io::Type::f32:
      return copy(block.values.values<float>());
    case io::Type::f64:
      return copy(block.values.values<double>());
    case io::Type::i32:
      return copy(block.values.values<std::int32_t>());
    case io::Type::i64:
      return copy(block.values.values<std::int64_t>());
    case io::Type::u8:
      return copy(block.values.values<std::uint8_t>());
    case io::Type::boolean:
      return copy(block.values.values<bool>());
  }
}

void Frames::read(Index sample, Index member, Index frame, const io::Extents& count, std::span<float> out) {
  const auto after = std::ranges::upper_bound(parts_, sample, {}, &Part::first);
  const auto number = std::size_t(after - parts_.begin() - 1);
  if (number != open_)
    for (Source& source : parts_[open_].sources) source.blocks = {};
  open_ = number;
  Part& part = parts_[number];
  Index points = 1;
  for (const Index n : count) points *= n;
  float* next = out.data();
  for (Source& source : part.sources) {
    pick(source, block(source, sample - part.first, part.samples, frame), sample - part.first, member, frame,
         count, next);
    next += source.channels * points;
  }
}

}  // namespace program
