#pragma once
// Dense products on pieces of memory: C = s A B or C += s A B, with A or B transposed where asked.
//
// One kernel does them all. A tile of C, a few rows by up to three packets, stays in registers while the
// depth runs; a step takes one row of B as packets and one number per row of A, broadcast:
//
//     for k:   b = B[k, j…]        (1 to 3 packets)
//              C[i, j…] += A[i,k] b     for the rows i of the tile
//
// A is read in place with any two strides, so Aᵀ costs nothing. B must have its rows in memory: Bᵀ, and
// panels whose last packet is not whole, are copied to the stack first. Nothing allocates, and the order of
// every sum depends on the shapes alone.
#include "mno/core/write.hpp"
#include "mno/device/packet.hpp"

namespace mno {

/// Row-major (rows, columns); consecutive rows lie `pitch` elements apart.
template <class T> struct MatrixView {
  T* data;
  Index rows, columns, pitch;

  template <class U>
  requires(!std::is_const_v<T> && std::is_same_v<U, const T>) operator MatrixView<U>() const {
    return {data, rows, columns, pitch};
  }
};

namespace detail {

/// The left factor, read as A[i,k] = data[i·row + k·step].
template <class T> struct Left {
  const T* data;
  Index row, step;
};

struct ProductTile {
  static constexpr int rows = packet_registers >= 32 ? 8 : 4, packets = 3;
  static constexpr Index depth = 128;  // rows of B that are used at a time: they stay in L1
};

/// C (Rows × Packets packets) = D + s A B over `depth`; D is C itself, a row that all rows begin with (of
/// pitch 0), or nothing (null). Numbers are passed one by one: a struct that was just put together would be
/// copied by a wide load, which has to wait until its parts have reached the cache.
template <class T, int Rows, int Packets>
void product_tile(T* c, Index c_pitch, const T* d, Index d_pitch, const T* a, Index a_row, Index a_step,
                  const T* b, Index b_pitch, Index depth, T s, Index rest) {
  using namespace packet;
  using P = Packet<T>;
  P sum[Rows][Packets];
  MNO_UNROLL for (int i = 0; i < Rows; ++i) {
    MNO_UNROLL for (int j = 0; j < Packets; ++j) sum[i][j] = everywhere(T(0));
  }
  const T* rows[Rows];
  MNO_UNROLL for (int i = 0; i < Rows; ++i) rows[i] = a + i * a_row;
  for (Index k = 0, at = 0; k < depth; ++k, at += a_step, b += b_pitch) {
    P row[Packets];
    MNO_UNROLL for (int j = 0; j < Packets; ++j) row[j] = load(b + j * packet_size<T>);
    MNO_UNROLL for (int i = 0; i < Rows; ++i) {
      const P x = everywhere(rows[i][at]);
      MNO_UNROLL for (int j = 0; j < Packets; ++j) sum[i][j] = pmadd(x, row[j], sum[i][j]);
    }
  }
  const P scale = everywhere(s);
  MNO_UNROLL for (int i = 0; i < Rows; ++i) {
    MNO_UNROLL for (int j = 0; j < Packets; ++j) {
      T* const to = c + i * c_pitch + j * packet_size<T>;
      const T* const from = d ? d + i * d_pitch + j * packet_size<T> : nullptr;
      if (j + 1 == Packets && rest > 0)
        store_first(to, d ? P(pmadd(scale, sum[i][j], load_first(from, rest))) : P(pmul(scale, sum[i][j])),
                    rest);
      else
        store(to, d ? P(pmadd(scale, sum[i][j], load(from))) : P(pmul(scale, sum[i][j])));
    }
  }
}

/// All rows of one panel of columns: tiles of 16 (where a row is one packet), 8, 4, 2 and 1 rows.
template <class T, int Rows, int Packets>
void product_rows(T* c, Index c_pitch, const T* d, Index d_pitch, Index rows, const T* a, Index a_row,
                  Index a_step, const T* b, Index b_pitch, Index depth, T s, Index rest) {
  for (; rows >= Rows; rows -= Rows, c += Rows * c_pitch, a += Rows * a_row) {
    product_tile<T, Rows, Packets>(c, c_pitch, d, d_pitch, a, a_row, a_step, b, b_pitch, depth, s, rest);
    if (d) d += Rows * d_pitch;
  }
  if constexpr (Rows > 1)
    if (rows > 0)
      product_rows<T, Rows / 2, Packets>(c, c_pitch, d, d_pitch, rows, a, a_row, a_step, b, b_pitch, depth, s,
                                         rest);
}
template <class T>
void product_panel(T* c, Index c_pitch, const T* d, Index d_pitch, Index rows, const T* a, Index a_row,
                   Index a_step, const T* b, Index b_pitch, Index depth, T s, Index packets, Index rest) {
  constexpr int most = ProductTile::rows;
  if (packets == 3)
    product_rows<T, most, 3>(c, c_pitch, d, d_pitch, rows, a, a_row, a_step, b, b_pitch, depth, s, rest);
  else if (packets == 2)
    product_rows<T, most, 2>(c, c_pitch, d, d_pitch, rows, a, a_row, a_step, b, b_pitch, depth, s, rest);
  else
    product_rows<T, 2 * most, 1>(c, c_pitch, d, d_pitch, rows, a, a_row, a_step, b, b_pitch, depth, s, rest);
}

/// C = D + s A Bᵀ for a few columns: every number is the scalar product of two rows.
template <class T>
void product_dots(const MatrixView<T>& c, const T* d, Index d_pitch, const Left<T>& a,
                  const MatrixView<const T>& b, Index depth, T s) {
  using namespace packet;
  constexpr int rows = 4;
  const auto dots = [&]<int Rows>(Index i, std::integral_constant<int, Rows>) {
    for (Index j = 0; j < c.columns; ++j) {
      Packet<T> sum[Rows];
      MNO_UNROLL for (int r = 0; r < Rows; ++r) sum[r] = everywhere(T(0));
      const T *const x = a.data + i * a.row, *const y = b.data + j * b.pitch;
      for_each_packet<T>(depth, [&](auto load, auto) {
        const Packet<T> row = load(y);
        MNO_UNROLL for (int r = 0; r < Rows; ++r) sum[r] = pmadd(load(x + r * a.row), row, sum[r]);
      });
      for (int r = 0; r < Rows; ++r) {
        c.data[(i + r) * c.pitch + j] =
            (d ? d[(i + r) * d_pitch + j] : T(0)) + s * Eigen::internal::predux(sum[r]);
      }
    }
  };
  Index i = 0;
  for (; i + rows <= c.rows; i += rows) dots(i, std::integral_constant<int, rows>{});
  for (; i < c.rows; ++i) dots(i, std::integral_constant<int, 1>{});
}

/// C += s A B, or s A Bᵀ: then B is stored as (columns of C, depth). If `first` is given, every row of C is
/// first set to it.
template <class T>
void product(const MatrixView<T>& c, const Left<T>& a, const MatrixView<const T>& b, Index depth, T s,
             Write write, bool transposed, const T* first = nullptr) {
  using namespace packet;
  constexpr Index size = packet_size<T>, widest = ProductTile::packets * size;
  if (depth == 0)
    for (Index i = 0; i < c.rows; ++i) {
      if (first)
        std::copy_n(first, c.columns, c.data + i * c.pitch);
      else if (write == Write::set)
        std::fill_n(c.data + i * c.pitch, c.columns, T(0));
    }
  const T* d = first ? first : write == Write::add ? c.data : nullptr;
  Index d_pitch = first ? 0 : c.pitch;
  if (transposed && a.step == 1 && 4 * c.columns <= size) return product_dots(c, d, d_pitch, a, b, depth, s);
  alignas(64) T copy[ProductTile::depth * widest];  // rows of B, (depth, panel)
  for (Index k = 0; k < depth; k += ProductTile::depth) {
    const Index deep = std::min(ProductTile::depth, depth - k);
    const T* const left = a.data + k * a.step;
    if (k > 0) d = c.data, d_pitch = c.pitch;
    Index packets = (c.columns + size - 1) / size;  // still to do
    for (Index j = 0; j < c.columns;) {
      // As evenly as possible: 8 packets are panels of 3, 3 and 2, and 4 are 2 and 2.
      const Index wide = packets > 4 ? 3 : packets == 4 ? 2 : packets;
      const Index columns = std::min(wide * size, c.columns - j);
      const bool partial = columns < wide * size;
      const T* rows = transposed ? b.data + j * b.pitch + k : b.data + k * b.pitch + j;
      Index pitch = b.pitch;
      if (transposed || partial) {
        if (transposed && partial) std::fill_n(copy, deep * wide * size, T(0));
        if (transposed)
          transpose(rows, pitch, copy, wide * size, columns, deep);
        else
          for (Index r = 0; r < deep; ++r) {  // partial: the last packet is filled up with zeros
            const T* const from = rows + r * pitch;
            T* const to = copy + r * wide * size;
            for (Index m = 0; m + 1 < wide; ++m) store(to + m * size, load(from + m * size));
            store(to + (wide - 1) * size, load_first(from + (wide - 1) * size, columns % size));
          }
        rows = copy;
        pitch = wide * size;
      }
      product_panel(c.data + j, c.pitch, d ? d + j : nullptr, d_pitch, c.rows, left, a.row, a.step, rows,
                    pitch, deep, s, wide, partial ? columns % size : 0);
      j += columns;
      packets -= wide;
    }
  }
}

}  // namespace detail

/// C += s A B
template <class T>
void multiply_add(const MatrixView<T>& c, const MatrixView<const T>& a, const MatrixView<const T>& b,
                  T s = T(1), Write write = Write::add) {
  detail::product<T>(c, {a.data, a.pitch, 1}, b, a.columns, s, write, false);
}

/// C += s Aᵀ B
template <class T>
void multiply_add_transposed_left(const MatrixView<T>& c, const MatrixView<const T>& a,
                                  const MatrixView<const T>& b, T s = T(1), Write write = Write::add) {
  detail::product<T>(c, {a.data, 1, a.pitch}, b, a.rows, s, write, false);
}

/// C += s A Bᵀ
template <class T>
void multiply_add_transposed_right(const MatrixView<T>& c, const MatrixView<const T>& a,
                                   const MatrixView<const T>& b, T s = T(1), Write write = Write::add) {
  detail::product<T>(c, {a.data, a.pitch, 1}, b, a.columns, s, write, true);
}

#ifdef MNO_EXTERN_TEMPLATES  // see complex_product.hpp
extern template void detail::product<float>(const MatrixView<float>&, const detail::Left<float>&,
                                            const MatrixView<const float>&, Index, float, Write, bool,
                                            const float*);
extern template void detail::product<double>(const MatrixView<double>&, const detail::Left<double>&,
                                             const MatrixView<const double>&, Index, double, Write, bool,
                                             const double*);
#endif

}  // namespace mno
