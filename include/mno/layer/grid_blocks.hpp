#pragma once
// A grid in blocks of K points per axis: every point of the coarse grid stands for a block of the fine one.
#include "mno/core/field.hpp"
#include "mno/core/host_device.hpp"
#include "mno/device/packet.hpp"
#include "mno/device/product.hpp"

namespace mno::detail {

/// The grid with K times fewer points per axis; K must divide them.
template <int K, int D> Grid<D> coarser(const char* layer, Grid<D> grid) {
  for (int d = 0; d < D; ++d) {
    Index& points = grid.points[std::size_t(d)];
    require(points % K == 0, layer, "x", Text("points that ", K, " divides"), Text(points, " on axis ", d));
    points /= K;
  }
  return grid;
}
template <int K, int D> Grid<D> finer(Grid<D> grid) {
  for (Index& points : grid.points) points *= K;
  return grid;
}

template <int K, int D> constexpr Index block_size() {
  Index size = 1;
  for (int d = 0; d < D; ++d) size *= K;
  return size;
}

/// The first fine row of a coarse row's block. Rows are the points of all samples.
template <int K, int D> MNO_HOST_DEVICE Index block_corner(Index row, const Grid<D>& coarse) {
  Index corner = 0, step = 1;
  for (int d = D - 1; d >= 0; --d) {
    const Index n = coarse.points[std::size_t(d)];
    corner += K * (row % n) * step;
    row /= n;
    step *= K * n;
  }
  return corner + row * step;  // the sample
}
/// Where point t of a block lies in the fine grid, counted from the block's first, in row-major order.
template <int K, int D> MNO_HOST_DEVICE Index block_offset(Index t, const Grid<D>& fine) {
  Index offset = 0, step = 1;
  for (int d = D - 1; d >= 0; --d) {
    offset += t % K * step;
    t /= K;
    step *= fine.points[std::size_t(d)];
  }
  return offset;
}
/// The other way round: which coarse row a fine row belongs to, and which point of the block it is.
struct PlaceInBlock {
  Index coarse, point;
};
template <int K, int D> MNO_HOST_DEVICE PlaceInBlock place_in_block(Index row, const Grid<D>& fine) {
  PlaceInBlock place{0, 0};
  Index step = 1, inner = 1;
  for (int d = D - 1; d >= 0; --d) {
    const Index n = fine.points[std::size_t(d)], i = row % n;
    place.coarse += i / K * step;
    place.point += i % K * inner;
    row /= n;
    step *= n / K;
    inner *= K;
  }
  place.coarse += row * step;  // the sample
  return place;
}

/// f(coarse row, first fine row of its block) for every coarse point of every sample.
template <int K, int D, class F> void for_each_grid_block(Index batch, const Grid<D>& coarse, F&& f) {
  const Index last = coarse.points[std::size_t(D - 1)], rows = batch * coarse.size();
  for (Index first = 0; first < rows; first += last) {
    const Index corner = block_corner<K>(first, coarse);
    for (Index p = 0; p < last; ++p) f(first + p, corner + K * p);
  }
}

/// The offsets of all points of a block.
template <int K, int D>
std::array<Index, std::size_t(block_size<K, D>())> block_offsets(const Grid<D>& fine) {
  std::array<Index, std::size_t(block_size<K, D>())> offsets{};
  for (std::size_t t = 0; t < offsets.size(); ++t) offsets[t] = block_offset<K>(Index(t), fine);
  return offsets;
}

/// coarse = s Σ fine over every block, or += that.
template <int K, class T, int D>
void sum_blocks(const View<const T, D>& fine, const View<T, D>& coarse, T s, Write write) {
  using namespace packet;
  const auto offsets = block_offsets<K>(fine.grid);
  const Packet<T> scale = everywhere(s);
  for_each_grid_block<K>(coarse.batch, coarse.grid, [&](Index at, Index corner) {
    T* const to = coarse.row(at);
    for_each_packet<T>(coarse.channels, [&](auto load, auto store) {
      Packet<T> sum = load(fine.row(corner));
      for (std::size_t t = 1; t < offsets.size(); ++t) sum = padd(sum, load(fine.row(corner + offsets[t])));
      store(to, write == Write::add ? Packet<T>(pmadd(scale, sum, load(to))) : Packet<T>(pmul(scale, sum)));
    });
  });
}

/// fine = s coarse in every point of the block, or += that: the adjoint of sum_blocks.
template <int K, class T, int D>
void spread_blocks(const View<const T, D>& coarse, const View<T, D>& fine, T s, Write write) {
  using namespace packet;
  const auto offsets = block_offsets<K>(fine.grid);
  const Packet<T> scale = everywhere(s);
  for_each_grid_block<K>(coarse.batch, coarse.grid, [&](Index at, Index corner) {
    for_each_packet<T>(coarse.channels, [&](auto load, auto store) {
      const Packet<T> value = pmul(scale, load(coarse.row(at)));
      for (const Index offset : offsets) {
        T* const to = fine.row(corner + offset);
        store(to, write == Write::add ? Packet<T>(padd(load(to), value)) : value);
      }
    });
  });
}

}  // namespace mno::detail
