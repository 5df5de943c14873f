#pragma once
// Products of complex matrices whose real and imaginary parts are kept apart, with three real products
// instead of four (Gauss):
//
//     (a + ib)(c + id) = (k₁ − k₃) + i(k₁ + k₂),   k₁ = c(a + b),  k₂ = a(d − c),  k₃ = b(c + d).
//
// As in product.hpp a tile of the result stays in registers while the depth runs: now three sums for every
// row of A, beside one packet of B. The sums c + d and d − c are made in registers, a + b once per call.
#include "mno/device/product.hpp"

namespace mno {

template <class T> struct ComplexMatrix { MatrixView<T> real, imaginary; };

namespace detail {

/// The left factor of a complex product: a, b and a + b, each read as data[i·row + k·step].
template <class T> struct ComplexLeft {
  const T *real, *imaginary, *sum;
  Index row, step;
};

template <class T, int Rows>
void complex_tile(T* c_real, T* c_imaginary, Index c_pitch, const ComplexLeft<T>& a, Index first,
                  const T* b_real, const T* b_imaginary, Index b_pitch, Index ahead, Index depth, Write write,
                  Index rest) {
  using namespace packet;
  using P = Packet<T>;
  P k1[Rows], k2[Rows], k3[Rows];
  MNO_UNROLL for (int i = 0; i < Rows; ++i) k1[i] = k2[i] = k3[i] = everywhere(T(0));
  const T *const a_real = a.real, *const a_imaginary = a.imaginary, *const a_sum = a.sum;
  const Index row = a.row, step = a.step;
  for (Index k = 0, at = first; k < depth; ++k, at += step, b_real += b_pitch, b_imaginary += b_pitch) {
    const P re = load(b_real), im = load(b_imaginary), sum = padd(re, im), difference = psub(im, re);
    Eigen::internal::prefetch(b_real + ahead);
    Eigen::internal::prefetch(b_imaginary + ahead);
    MNO_UNROLL for (int i = 0; i < Rows; ++i) {
      k1[i] = pmadd(everywhere(a_sum[at + i * row]), re, k1[i]);
      k2[i] = pmadd(everywhere(a_real[at + i * row]), difference, k2[i]);
      k3[i] = pmadd(everywhere(a_imaginary[at + i * row]), sum, k3[i]);
    }
  }
  const auto put = [write, rest](T* to, P value) {
    if (rest > 0)
      store_first(to, write == Write::add ? P(padd(value, load_first(to, rest))) : value, rest);
    else
      store(to, write == Write::add ? P(padd(value, load(to))) : value);
  };
  MNO_UNROLL for (int i = 0; i < Rows; ++i) {
    put(c_real + i * c_pitch, psub(k1[i], k3[i]));
    put(c_imaginary + i * c_pitch, padd(k1[i], k2[i]));
  }
}

template <class T, int Rows>
void complex_rows(T* c_real, T* c_imaginary, Index c_pitch, Index rows, const ComplexLeft<T>& a, Index first,
                  const T* b_real, const T* b_imaginary, Index b_pitch, Index ahead, Index depth, Write write,
                  Index rest) {
  for (; rows >= Rows; rows -= Rows) {
    complex_tile<T, Rows>(c_real, c_imaginary, c_pitch, a, first, b_real, b_imaginary, b_pitch, ahead, depth,
                          write, rest);
    ahead = 0;
    c_real += Rows * c_pitch;
    c_imaginary += Rows * c_pitch;
    first += Rows * a.row;
  }
  if constexpr (Rows > 1)
    if (rows > 0)
      complex_rows<T, Rows / 2>(c_real, c_imaginary, c_pitch, rows, a, first, b_real, b_imaginary, b_pitch,
                                ahead, depth, write, rest);
}

/// C += A B; real and imaginary part of a matrix have the same pitch. Meanwhile the matrix of the next
/// product, `ahead` numbers after B, is fetched into the cache.
template <class T>
void complex_product(const ComplexMatrix<T>& c, const ComplexLeft<T>& a, const ComplexMatrix<const T>& b,
                     Write write, Index ahead = 0) {
  constexpr Index size = packet_size<T>;
  constexpr int most = ProductTile::rows;
  const Index rows = c.real.rows, columns = c.real.columns, depth = b.real.rows;
  Index j = 0;
  for (; j + size <= columns; j += size)
    complex_rows<T, most>(c.real.data + j, c.imaginary.data + j, c.real.pitch, rows, a, 0, b.real.data + j,
                          b.imaginary.data + j, b.real.pitch, ahead, depth, write, 0);
  if (j == columns) return;
  // The columns behind the last whole packet: B passes through the stack.
  alignas(64) T copy[2][ProductTile::depth * size];
  for (Index k = 0; k < depth; k += ProductTile::depth) {
    const Index deep = std::min(ProductTile::depth, depth - k);
    for (Index r = 0; r < deep; ++r) {
      const Index at = (k + r) * b.real.pitch + j;
      packet::store(copy[0] + r * size, packet::load_first(b.real.data + at, columns - j));
      packet::store(copy[1] + r * size, packet::load_first(b.imaginary.data + at, columns - j));
    }
    complex_rows<T, most>(c.real.data + j, c.imaginary.data + j, c.real.pitch, rows, a, k * a.step, copy[0],
                          copy[1], size, 0, deep, k == 0 ? write : Write::add, columns - j);
  }
}

}  // namespace detail

#ifdef MNO_EXTERN_TEMPLATES
extern template void detail::complex_product<float>(const ComplexMatrix<float>&,
                                                    const detail::ComplexLeft<float>&,
                                                    const ComplexMatrix<const float>&, Write, Index);
extern template void detail::complex_product<double>(const ComplexMatrix<double>&,
                                                     const detail::ComplexLeft<double>&,
                                                     const ComplexMatrix<const double>&, Write, Index);
#endif

// Products are a good part of a program's compile time. A project of many files can compile them once: it
// defines MNO_EXTERN_TEMPLATES everywhere and links one file that says MNO_INSTANTIATE_PRODUCTS().
#define MNO_INSTANTIATE_PRODUCTS_OF(T)                                                                       \
  template void detail::product<T>(const MatrixView<T>&, const detail::Left<T>&, const MatrixView<const T>&, \
                                   Index, T, Write, bool, const T*);                                         \
  template void detail::complex_product<T>(const ComplexMatrix<T>&, const detail::ComplexLeft<T>&,           \
                                           const ComplexMatrix<const T>&, Write, Index)
#define MNO_INSTANTIATE_PRODUCTS()     \
  namespace mno {                      \
  MNO_INSTANTIATE_PRODUCTS_OF(float);  \
  MNO_INSTANTIATE_PRODUCTS_OF(double); \
  }

}  // namespace mno
