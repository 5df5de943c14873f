#pragma once
// Sums over the blocks of a grid and their adjoint, on the GPU: one thread per number that is written. Which
// points make a block is said by layer/grid_blocks.hpp.
#include "mno/cuda/elementwise.hpp"
#include "mno/layer/grid_blocks.hpp"

namespace mno::cuda {

namespace detail {

/// coarse = s Σ fine over every block, or += that
template <int K, class T, int D> struct SumBlocks {
  Rows<const T> fine;
  Grid<D> fine_grid, coarse_grid;
  Rows<T> coarse;
  T s;
  bool add;
  MNO_HOST_DEVICE void operator()(Index i) const {
    const Index channel = i % coarse.channels;
    const Index corner = mno::detail::block_corner<K>(i / coarse.channels, coarse_grid);
    T sum = 0;
    for (Index t = 0; t < mno::detail::block_size<K, D>(); ++t)
      sum += fine.data[(corner + mno::detail::block_offset<K>(t, fine_grid)) * fine.pitch + channel];
    coarse(i) = add ? coarse(i) + s * sum : s * sum;
  }
};
/// fine = s coarse in every point of the block, or += that
template <int K, class T, int D> struct SpreadBlocks {
  Rows<const T> coarse;
  Grid<D> fine_grid;
  Rows<T> fine;
  T s;
  bool add;
  MNO_HOST_DEVICE void operator()(Index i) const {
    const auto place = mno::detail::place_in_block<K>(i / fine.channels, fine_grid);
    const T value = s * coarse.data[place.coarse * coarse.pitch + i % fine.channels];
    fine(i) = add ? fine(i) + value : value;
  }
};

}  // namespace detail

template <int K, class T, int D>
void sum_blocks(Cuda& device, const View<const T, D>& fine, const View<T, D>& coarse, T s, Write write) {
  device.for_each(numbers(coarse), detail::SumBlocks<K, T, D>{rows(fine), fine.grid, coarse.grid,
                                                              rows(coarse), s, write == Write::add});
}
template <int K, class T, int D>
void spread_blocks(Cuda& device, const View<const T, D>& coarse, const View<T, D>& fine, T s, Write write) {
  device.for_each(numbers(fine),
                  detail::SpreadBlocks<K, T, D>{rows(coarse), fine.grid, rows(fine), s, write == Write::add});
}

}  // namespace mno::cuda
