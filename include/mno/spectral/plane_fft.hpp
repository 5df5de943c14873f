#pragma once
// A Fourier transform of many N×N planes at once, of which only the waves |k_x|, |k_y| ≤ K are kept:
//
//     y_j = Σ_k x_k e^{+2πi k·j/N}  (inverse),     y_k = Σ_j x_j e^{−2πi k·j/N}  (forward),    no scaling.
//
// It goes column by column on one side and row by row on the other. In between stands the half plane (x,
// k_y): lines that carry no wave are never transformed, and whoever needs the values of a plane sees them one
// row at a time, which stays in the nearest cache. A line is (point, re|im, lane) as in fft.hpp.
#include <algorithm>

#include "mno/spectral/fft.hpp"

namespace mno {

template <class T, Index Lanes> class PlaneFft {
 public:
  static constexpr Index row = Fft<T, Lanes>::row;  // numbers of one point: (re|im, lane)

  PlaneFft(Index points, Index highest) : fft_(points), highest_(highest) {
    require(highest >= 0 && 2 * highest < points, "PlaneFft", "highest",
            Text("a number below half of the ", points, " points"), Text(highest));
  }

  Index points() const { return fft_.points(); }
  Index modes() const { return 2 * highest_ + 1; }                            // on one axis
  std::size_t line() const { return std::size_t(points() * row); }            // numbers
  std::size_t half() const { return std::size_t(points() * modes() * row); }  // numbers
  /// Where mode i, counted from −K, stands in a line: 0 … K first, −K … −1 last.
  Index place(Index i) const { return (i < highest_ ? i - highest_ + points() : i - highest_) * row; }

  /// Inverse along x: half(x, k_y) for all x and one k_y, whose modes of k_x fill(i, to) writes, (re|im,
  /// lane).
  template <class Fill> void column_to_points(Fill&& fill, Index ky, T* half, T* line, T* spare) const {
    for (Index i = 0; i < modes(); ++i) fill(i, line + place(i));
    clear_gap(line);
    fft_.inverse_to(line, spare, half + ky * row, modes() * row);
  }
  /// Inverse along y: the values at one x. Returned is the buffer that holds them.
  T* row_to_points(const T* half, Index x, T* line, T* spare) const {
    const T* const from = half + x * modes() * row;
    std::copy_n(from + highest_ * row, (highest_ + 1) * row, line);
    std::copy_n(from, highest_ * row, line + place(0));
    clear_gap(line);
    return fft_.inverse(line, spare);
  }

  /// Forward along y: half(x, k_y) for all k_y and one x, whose values stand in `line`.
  void row_to_modes(T* line, T* spare, Index x, T* half) const {
    const T* const done = fft_.forward(line, spare);
    T* const to = half + x * modes() * row;
    std::copy_n(done, (highest_ + 1) * row, to + highest_ * row);
    std::copy_n(done + place(0), highest_ * row, to);
  }
  /// Forward along x: the modes of one k_y, mode i at place(i) of the buffer that is returned.
  const T* column_to_modes(const T* half, Index ky, T* line, T* spare) const {
    return fft_.forward_from(half + ky * row, modes() * row, line, spare);
  }

 private:
  void clear_gap(T* line) const {
    std::fill(line + (highest_ + 1) * row, line + (points() - highest_) * row, T(0));
  }

  Fft<T, Lanes> fft_;
  Index highest_;
};

}  // namespace mno
