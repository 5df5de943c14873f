#pragma once
// A block of an array whose elements stand one after the other in a file, in either order of axes.
//
// One read covers the axes that run fastest. For rows in C order that is exactly the block; for rows in
// Fortran order it is a slab of the whole array, from which the block is picked. So memory is the block and a
// slab of at most a few megabytes, whatever the order.
#include <algorithm>
#include <cstring>
#include <vector>

#include "mno/io/column_major.hpp"
#include "mno/io/npy/header.hpp"

namespace mno::io::detail {

inline constexpr std::uint64_t largest_slab = std::uint64_t{4} << 20, shortest_read = std::uint64_t{1} << 16;

/// The block's elements as they are stored, the slowest axis first; all extents are in that order too.
inline Bytes gather(Source& source, std::uint64_t data, std::size_t size, const Extents& shape,
                    const Extents& start, const Extents& count) {
  const std::size_t axes = shape.size();
  std::uint64_t total = size;
  for (const Index n : count) total *= std::uint64_t(n);
  Bytes out(static_cast<std::size_t>(total));
  if (total == 0) return out;

  // Axes from `inner` on are read whole; of the axis before them, only the block's part. An axis of which
  // only a part is needed is still read whole where that saves many short reads.
  std::size_t inner = axes;
  std::uint64_t slab = size;
  const auto short_reads = [&] {
    Index reads = 1;
    for (std::size_t d = 0; d + 1 < inner; ++d) reads *= count[d];
    return reads > 1 && slab * std::uint64_t(count[inner - 1]) < shortest_read &&
           slab * std::uint64_t(shape[inner - 1]) <= largest_slab;
  };
  while (inner > 0 && (count[inner - 1] == shape[inner - 1] || short_reads()))
    slab *= std::uint64_t(shape[--inner]);
  const std::size_t along = inner > 0 ? inner - 1 : 0;  // pieces go along this axis
  bool whole = true;                                    // the inner axes are all wanted
  for (std::size_t d = inner; d < axes; ++d) whole = whole && count[d] == shape[d];
  const std::uint64_t runs = inner > 0 ? std::uint64_t(count[along]) : 1;

  Bytes piece;
  std::byte* target = out.data();
  Extents at(along, 0);  // of the outer axes, within the block
  for (bool more = true; more;) {
    std::uint64_t row = 0;
    for (std::size_t d = 0; d < along; ++d)
      row = row * std::uint64_t(shape[d]) + std::uint64_t(start[d] + at[d]);
    if (inner > 0) row = row * std::uint64_t(shape[along]) + std::uint64_t(start[along]);
    if (whole) {
      source.read(data + row * slab, std::span(target, std::size_t(runs * slab)));
      target += runs * slab;
    }
    for (std::uint64_t r = 0; !whole && r < runs; ++r) {
      piece.resize(std::size_t(slab));
      source.read(data + (row + r) * slab, std::span(piece));
      Extents within(axes - inner, 0);  // of the inner axes; the last is copied as a run
      const std::size_t run = std::size_t(count[axes - 1]) * size;
      for (bool inside = true; inside;) {
        std::uint64_t element = 0;
        for (std::size_t d = inner; d < axes; ++d)
          element = element * std::uint64_t(shape[d]) + std::uint64_t(start[d] + within[d - inner]);
        std::memcpy(target, piece.data() + element * size, run);
        target += run;
        inside = false;
        for (std::size_t d = axes - 1; d-- > inner;) {
          if (++within[d - inner] < count[d]) {
            inside = true;
            break;
          }
          within[d - inner] = 0;
        }
      }
    }
    more = false;
    for (std::size_t d = along; d-- > 0;) {
      if (++at[d] < count[d]) {
        more = true;
        break;
      }
      at[d] = 0;
    }
  }
  return out;
}

/// The block in C order, of the type that is read.
inline Array read_npy_block(Source& source, std::uint64_t data, const NpyHeader& header, const Extents& start,
                            const Extents& count) {
  const auto ordered = [&](const Extents& extents) {
    return header.columns ? Extents(extents.rbegin(), extents.rend()) : extents;
  };
  Array block(header.layout.type, ordered(count));
  const Bytes stored = gather(source, data, size_of(header.stored), ordered(header.layout.shape),
                              ordered(start), ordered(count));
  if (as_stored(header.stored) && !header.big_endian)
    std::ranges::copy(stored, block.bytes().begin());
  else
    widen(header.stored, stored, header.big_endian, block);
  return header.columns ? from_column_major(block) : block;
}

}  // namespace mno::io::detail
