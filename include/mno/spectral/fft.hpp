#pragma once
// A complex Fourier transform of many signals at once, in plain loops that every compiler turns into vector
// instructions: the signal index runs fastest, so one butterfly serves `Lanes` signals.
//
//     y_k = Σ_j x_j e^{∓2πi jk/n},   layout (point, re|im, lane), no scaling in either direction.
//
// Stockham's algorithm goes from one buffer to the other and back, one factor of n per pass, and leaves the
// result in natural order. Factors 4 and 2 have their own butterflies, every other prime takes p² products.
#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "mno/core/error.hpp"
#include "mno/core/grid.hpp"

// The iterations of the loop that follows do not touch each other's memory.
#if defined(__clang__)
#define MNO_INDEPENDENT_ITERATIONS _Pragma("clang loop vectorize(assume_safety)")
#elif defined(__GNUC__)
#define MNO_INDEPENDENT_ITERATIONS _Pragma("GCC ivdep")
#else
#define MNO_INDEPENDENT_ITERATIONS
#endif
// The same, for a short loop over lanes: it becomes vector instructions as it stands. Otherwise g++ would
// unroll it and vectorise the code around it, which takes twice as long.
#if defined(__GNUC__) && !defined(__clang__) && !defined(__CUDACC__)
#define MNO_LANES MNO_INDEPENDENT_ITERATIONS _Pragma("GCC unroll 1")
#else
#define MNO_LANES MNO_INDEPENDENT_ITERATIONS
#endif

namespace mno {

template <class T, Index Lanes> class Fft {
 public:
  static constexpr Index row = 2 * Lanes;  // numbers of one point: (re|im, lane)

  explicit Fft(Index n) : points_(n) {
    require(n >= 1, "Fft", "n", Text("at least one point"), Text(n));
    for (Index rest = n; rest > 1;) {
      const Index radix = factor(rest);
      passes_.push_back({radix, rest, n / rest, twiddles_.size()});
      for (Index j = 0; j < rest / radix; ++j)
        for (Index t = 1; t < radix; ++t) push_root(j * t, rest);
      if (radix != 2 && radix != 4)  // the roots of unity of the radix itself
        for (Index t = 0; t < radix; ++t) push_root(t, radix);
      rest /= radix;
    }
  }

  Index points() const { return points_; }

  /// y_k = Σ_j x_j e^{−2πi jk/n}. Both buffers are (point, re|im, lane) and are overwritten; returned is the
  /// one that holds y.
  T* forward(T* x, T* spare) const { return run<false>(x, spare, 0, passes_.size()); }
  /// y_j = Σ_k x_k e^{+2πi jk/n}
  T* inverse(T* x, T* spare) const { return run<true>(x, spare, 0, passes_.size()); }

  /// forward() of points that lie `pitch` numbers apart and stay as they are; both buffers are overwritten.
  T* forward_from(const T* x, Index pitch, T* line, T* spare) const {
    if (passes_.empty()) return std::copy_n(x, row, line) - row;
    run_pass<false>(passes_.front(), x, pitch, line, row);
    return run<false>(line, spare, 1, passes_.size());
  }
  /// inverse() to points that lie `pitch` numbers apart.
  void inverse_to(T* x, T* spare, T* y, Index pitch) const {
    if (passes_.empty()) {
      std::copy_n(x, row, y);
      return;
    }
    run_pass<true>(passes_.back(), run<true>(x, spare, 0, passes_.size() - 1), row, y, pitch);
  }

 private:
  /// One factor of n: `length` points are left to transform, `stride` interleaved signals are done with.
  struct Pass {
    Index radix, length, stride;
    std::size_t twiddle;
  };

  static Index factor(Index n) {
    if (n % 4 == 0) return 4;
    for (Index p = 2; p * p <= n; ++p)
      if (n % p == 0) return p;
    return n;
  }
  void push_root(Index turn, Index n) {
    const double angle = -2 * std::numbers::pi * double(turn % n) / double(n);
    twiddles_.push_back(T(std::cos(angle)));
    twiddles_.push_back(T(std::sin(angle)));
  }

  template <bool Inverse> T* run(T* x, T* y, std::size_t first, std::size_t last) const {
    for (std::size_t i = first; i < last; ++i) {
      run_pass<Inverse>(passes_[i], x, row, y, row);
      std::swap(x, y);
    }
    return x;
  }

  /// From points that lie `x_pitch` numbers apart to points that lie `y_pitch` apart.
  template <bool Inverse>
  void run_pass(const Pass& pass, const T* x, Index x_pitch, T* y, Index y_pitch) const {
    const Index columns = pass.length / pass.radix, stride = pass.stride, radix = pass.radix;
    const Index in = x_pitch * stride * columns, out = y_pitch * stride;
    for (Index j = 0; j < columns; ++j) {
      const T* const w = twiddles_.data() + pass.twiddle + 2 * j * (radix - 1);
      const T* const from = x + x_pitch * stride * j;
      T* const to = y + y_pitch * stride * radix * j;
      const auto all = [&](auto&& butterfly) {
        for (Index q = 0; q < stride; ++q) butterfly(from + x_pitch * q, to + y_pitch * q);
      };
      if (radix == 4 && j == 0)
        all([&](const T* a, T* b) { radix4<Inverse, false>(a, in, b, out, w); });
      else if (radix == 4)
        all([&](const T* a, T* b) { radix4<Inverse, true>(a, in, b, out, w); });
      else if (radix == 2)
        all([&](const T* a, T* b) { radix2<Inverse>(a, in, b, out, w); });
      else
        all([&](const T* a, T* b) { any_radix<Inverse>(pass, a, in, b, out, w); });
    }
  }

  // b_t = w^t Σ_r a_r e^{−2πi rt/p}, conjugated roots for the inverse.

  template <bool Inverse, bool Turned>
  static void radix4(const T* from, Index in, T* to, Index out, const T* w) {
    constexpr T sign = Inverse ? T(-1) : T(1);
    const T *const a0 = from, *const a1 = from + in, *const a2 = from + 2 * in, *const a3 = from + 3 * in;
    T *const b0 = to, *const b1 = to + out, *const b2 = to + 2 * out, *const b3 = to + 3 * out;
    const T c1 = w[0], s1 = sign * w[1], c2 = w[2], s2 = sign * w[3], c3 = w[4], s3 = sign * w[5];
    MNO_INDEPENDENT_ITERATIONS
    for (Index m = 0; m < Lanes; ++m) {
      const T sum_re = a0[m] + a2[m], sum_im = a0[Lanes + m] + a2[Lanes + m];
      const T gap_re = a0[m] - a2[m], gap_im = a0[Lanes + m] - a2[Lanes + m];
      const T other_re = a1[m] + a3[m], other_im = a1[Lanes + m] + a3[Lanes + m];
      // −i (a1 − a3), or +i for the inverse
      const T turn_re = sign * (a1[Lanes + m] - a3[Lanes + m]), turn_im = sign * (a3[m] - a1[m]);
      const T re1 = gap_re + turn_re, im1 = gap_im + turn_im;
      const T re2 = sum_re - other_re, im2 = sum_im - other_im;
      const T re3 = gap_re - turn_re, im3 = gap_im - turn_im;
      b0[m] = sum_re + other_re;
      b0[Lanes + m] = sum_im + other_im;
      if constexpr (Turned) {
        b1[m] = c1 * re1 - s1 * im1;
        b1[Lanes + m] = c1 * im1 + s1 * re1;
        b2[m] = c2 * re2 - s2 * im2;
        b2[Lanes + m] = c2 * im2 + s2 * re2;
        b3[m] = c3 * re3 - s3 * im3;
        b3[Lanes + m] = c3 * im3 + s3 * re3;
      } else {
        b1[m] = re1;
        b1[Lanes + m] = im1;
        b2[m] = re2;
        b2[Lanes + m] = im2;
        b3[m] = re3;
        b3[Lanes + m] = im3;
      }
    }
  }

  template <bool Inverse> static void radix2(const T* from, Index in, T* to, Index out, const T* w) {
    const T *const a0 = from, *const a1 = from + in;
    T *const b0 = to, *const b1 = to + out;
    const T c = w[0], s = Inverse ? -w[1] : w[1];
    MNO_INDEPENDENT_ITERATIONS
    for (Index m = 0; m < Lanes; ++m) {
      const T re = a0[m] - a1[m], im = a0[Lanes + m] - a1[Lanes + m];
      b0[m] = a0[m] + a1[m];
      b0[Lanes + m] = a0[Lanes + m] + a1[Lanes + m];
      b1[m] = c * re - s * im;
      b1[Lanes + m] = c * im + s * re;
    }
  }

  template <bool Inverse>
  void any_radix(const Pass& pass, const T* from, Index in, T* to, Index out, const T* w) const {
    constexpr T sign = Inverse ? T(-1) : T(1);
    const T* const roots =
        twiddles_.data() + pass.twiddle + 2 * (pass.length / pass.radix) * (pass.radix - 1);
    for (Index t = 0; t < pass.radix; ++t) {
      T re[Lanes] = {}, im[Lanes] = {};
      for (Index r = 0; r < pass.radix; ++r) {
        const T c = roots[2 * (r * t % pass.radix)], s = sign * roots[2 * (r * t % pass.radix) + 1];
        const T* const a = from + r * in;
        MNO_INDEPENDENT_ITERATIONS
        for (Index m = 0; m < Lanes; ++m) {
          re[m] += c * a[m] - s * a[Lanes + m];
          im[m] += c * a[Lanes + m] + s * a[m];
        }
      }
      const T c = t ? w[2 * t - 2] : T(1), s = t ? sign * w[2 * t - 1] : T(0);
      T* const b = to + t * out;
      MNO_INDEPENDENT_ITERATIONS
      for (Index m = 0; m < Lanes; ++m) {
        b[m] = c * re[m] - s * im[m];
        b[Lanes + m] = c * im[m] + s * re[m];
      }
    }
  }

  Index points_;
  std::vector<Pass> passes_;
  std::vector<T> twiddles_;
};

}  // namespace mno
