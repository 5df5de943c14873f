#pragma once
// From arrays whose first axis runs fastest, as in Fortran and MATLAB, to our row-major order.
#include <algorithm>
#include <cstring>

#include "mno/io/array.hpp"

namespace mno::io {

/// The array with its axes in the opposite order. The elements of `reversed`, as they lie, are those of the
/// result in column-major order. (i_1, …, i_n) of the result is (i_n, …, i_1) of `reversed`.
inline Array from_column_major(const Array& reversed) {
  const Extents& from = reversed.shape();
  const std::size_t axes = from.size(), size = size_of(reversed.type());
  Array out(reversed.type(), Extents(from.rbegin(), from.rend()));
  if (axes < 2 || out.size() == 0) {
    std::ranges::copy(reversed.bytes(), out.bytes().begin());
    return out;
  }
  std::vector<std::size_t> stride(axes);  // of the result's axes, in elements of `reversed`
  std::size_t product = 1;
  for (std::size_t d = 0; d < axes; ++d) {
    stride[d] = product;
    product *= std::size_t(out.shape()[d]);
  }
  Extents at(axes, 0);
  const std::byte* source = reversed.bytes().data();
  std::byte* target = out.bytes().data();
  std::size_t offset = 0;
  for (std::size_t i = 0; i < out.size(); ++i) {
    std::memcpy(target + i * size, source + offset * size, size);
    for (std::size_t d = axes; d-- > 0;) {  // the next place, the last axis first
      offset += stride[d];
      if (++at[d] < out.shape()[d]) break;
      offset -= stride[d] * std::size_t(out.shape()[d]);
      at[d] = 0;
    }
  }
  return out;
}

}  // namespace mno::io
