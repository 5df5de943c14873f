#pragma once
// Dense products on pieces of memory: the one place where layers meet Eigen's matrix product.
//
// Products are cut into tiles whose packed copies fit Eigen's stack buffers, so that none of them allocates,
// and whose sizes do not depend on anything but the shapes, so that sums always have the same order.
#include <Eigen/Core>
#include <algorithm>

#include "mno/core/grid.hpp"

namespace mno {

/// Row-major (rows, columns); consecutive rows lie `pitch` elements apart.
template <class T> struct Matrix {
  T* data;
  Index rows, columns, pitch;

  template <class U>
  requires(!std::is_const_v<T> && std::is_same_v<U, const T>) operator Matrix<U>() const {
    return {data, rows, columns, pitch};
  }
};

namespace detail {
/// 96·128·8 bytes fit the 128 KiB that Eigen packs on the stack. Eigen keeps products whose result has at
/// most 32 rows, known at compile time, on the calling thread: threads are the device's matter.
struct ProductTile {
  static constexpr Index rows = 32, columns = 128, depth = 96;
};

template <int MostRows = Eigen::Dynamic, class T>
auto map(const Matrix<T>& m, Index row, Index column, Index rows, Index columns) {
  using Plain =
      Eigen::Matrix<std::remove_const_t<T>, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor, MostRows>;
  using Mapped = std::conditional_t<std::is_const_v<T>, const Plain, Plain>;
  return Eigen::Map<Mapped, 0, Eigen::OuterStride<>>(m.data + row * m.pitch + column, rows, columns,
                                                     Eigen::OuterStride<>(m.pitch));
}
template <class T> auto result(const Matrix<T>& m, Index row, Index column, Index rows, Index columns) {
  return map<int(ProductTile::rows)>(m, row, column, rows, columns);
}

template <class Tile> void for_each_tile(Index rows, Index columns, Index depth, Tile&& tile) {
  for (Index k = 0; k < depth; k += ProductTile::depth)
    for (Index i = 0; i < rows; i += ProductTile::rows)
      for (Index j = 0; j < columns; j += ProductTile::columns)
        tile(i, j, k, std::min<Index>(ProductTile::rows, rows - i),
             std::min<Index>(ProductTile::columns, columns - j),
             std::min<Index>(ProductTile::depth, depth - k));
}
}  // namespace detail

namespace detail {
/// c += s a b. A single row or column goes coefficient by coefficient: Eigen's matrix-vector products
/// allocate.
template <class C, class A, class B, class T> void accumulate(C&& c, const A& a, const B& b, T s) {
  if (c.rows() == 1 || c.cols() == 1)
    c += s * a.lazyProduct(b);
  else
    c.noalias() += s * a * b;
}
}  // namespace detail

/// C += s A B
template <class T> void multiply_add(Matrix<T> c, Matrix<const T> a, Matrix<const T> b, T s = T(1)) {
  detail::for_each_tile(c.rows, c.columns, a.columns,
                        [&](Index i, Index j, Index k, Index m, Index n, Index d) {
                          detail::accumulate(detail::result(c, i, j, m, n), detail::map(a, i, k, m, d),
                                             detail::map(b, k, j, d, n), s);
                        });
}

/// C += s Aᵀ B
template <class T>
void multiply_add_transposed_left(Matrix<T> c, Matrix<const T> a, Matrix<const T> b, T s = T(1)) {
  detail::for_each_tile(c.rows, c.columns, a.rows, [&](Index i, Index j, Index k, Index m, Index n, Index d) {
    detail::accumulate(detail::result(c, i, j, m, n), detail::map(a, k, i, d, m).transpose(),
                       detail::map(b, k, j, d, n), s);
  });
}

/// C += s A Bᵀ
template <class T>
void multiply_add_transposed_right(Matrix<T> c, Matrix<const T> a, Matrix<const T> b, T s = T(1)) {
  detail::for_each_tile(c.rows, c.columns, a.columns,
                        [&](Index i, Index j, Index k, Index m, Index n, Index d) {
                          detail::accumulate(detail::result(c, i, j, m, n), detail::map(a, i, k, m, d),
                                             detail::map(b, j, k, n, d).transpose(), s);
                        });
}

// Most of a program's compile time is these products. A project of many files compiles them once: it defines
// MNO_EXTERN_TEMPLATES everywhere and links one file that says MNO_INSTANTIATE_PRODUCTS().
#define MNO_PRODUCTS(prefix, T)                                                                         \
  prefix template void multiply_add<T>(Matrix<T>, Matrix<const T>, Matrix<const T>, T);                 \
  prefix template void multiply_add_transposed_left<T>(Matrix<T>, Matrix<const T>, Matrix<const T>, T); \
  prefix template void multiply_add_transposed_right<T>(Matrix<T>, Matrix<const T>, Matrix<const T>, T)
#define MNO_INSTANTIATE_PRODUCTS() \
  namespace mno {                  \
  MNO_PRODUCTS(, float);           \
  MNO_PRODUCTS(, double);          \
  }
#ifdef MNO_EXTERN_TEMPLATES
MNO_PRODUCTS(extern, float);
MNO_PRODUCTS(extern, double);
#endif

}  // namespace mno
