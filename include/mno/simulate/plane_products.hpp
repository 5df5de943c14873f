#pragma once
// The nonlinear term of an equation on a periodic square, made of products at points. Fields that are linear
// in u are brought to points, multiplied there, and brought back:
//
//     v_i = Σ_k s_i(k) û_k e^{ik·x},    w = f(v) at every point,    N̂_c(k) = Σ_o n_co(k) ŵ_o(k).
//
// No plane of values is ever in memory: a row of points becomes products and goes back to waves at once. Two
// members travel as one complex field, pairs.hpp.
#include <algorithm>
#include <array>
#include <complex>
#include <vector>

#include "mno/device/workspace.hpp"
#include "mno/simulate/plane_waves.hpp"
#include "mno/spectral/plane_fft.hpp"

namespace mno {

/// Equation has the numbers `inputs` of v and `outputs` of w; input i is made of channel i mod channels by
/// input_symbol(i, k) = s_i(k), output_symbol(c, o, k) is n_co(k), and nonlinearity(v) = w.
template <class T, class Equation, Index Lanes> class PlaneProducts {
 public:
  static constexpr Index channels = Equation::channels;
  static constexpr Index row = PlaneFft<T, Lanes>::row;

  /// Of waves |k_x|, |k_y| ≤ highest on points × points; the term comes out multiplied by `scale`.
  PlaneProducts(const Equation& equation, Index points, Index highest, double scale)
      : fft_(points, highest), highest_(highest) {
    for (Index i = 0; i < inputs; ++i)
      for (Index mode = 0; mode < modes(); ++mode)
        input_.push_back(number(equation.input_symbol(i, wave(mode))));
    for (Index c = 0; c < channels; ++c)
      for (Index mode = 0; mode < modes(); ++mode)
        for (Index o = 0; o < outputs; ++o)
          output_.push_back(
              number(equation.output_symbol(c, o, wave(mode)) * (scale / double(points * points))));
  }

  const PlaneFft<T, Lanes>& fft() const { return fft_; }
  /// Waves in the order of a spectrum, (k_y, k_x), both from −highest.
  Index modes() const { return fft_.modes() * fft_.modes(); }
  PlaneWave wave(Index mode) const {
    return {mode % fft_.modes() - highest_, mode / fft_.modes() - highest_};
  }
  Index mode_of(PlaneWave k) const { return (k.y + highest_) * fft_.modes() + k.x + highest_; }

  static constexpr Index inputs = Equation::inputs, outputs = Equation::outputs,
                         fields = std::max(inputs, outputs);
  struct Memory {
    Memory(const PlaneFft<T, Lanes>& fft, Arena& scratch) {
      for (std::size_t i = 0; i < std::size_t(fields); ++i) {
        half[i] = scratch.take<T>(fft.half());
        line[i] = scratch.take<T>(fft.line());
        spare[i] = scratch.take<T>(fft.line());
      }
    }
    std::array<T*, fields> half, line, spare;  // as in plane_fft.hpp
  };

  /// done(c · modes + mode, scale · N̂_k) for every channel and mode. The state, (channel, k_y, k_x, re|im,
  /// lane), may be changed in it.
  template <class Done> void operator()(const T* state, Memory& memory, Done&& done) const {
    const Index columns = fft_.modes();
    for (Index ky = 0; ky < columns; ++ky)
      for (Index i = 0; i < inputs; ++i) to_half(state, i, ky, memory);
    for (Index x = 0; x < fft_.points(); ++x) multiply_row(memory, x);
    for (Index ky = 0; ky < columns; ++ky) {
      std::array<const T*, outputs> spectrum;
      for (std::size_t o = 0; o < std::size_t(outputs); ++o)
        spectrum[o] = fft_.column_to_modes(memory.half[o], ky, memory.line[o], memory.spare[o]);
      for (Index c = 0; c < channels; ++c)
        for (Index kx = 0; kx < columns; ++kx) {
          const Index mode = c * modes() + ky * columns + kx;
          const Number* const gain = output_.data() + mode * outputs;
          alignas(alignment) T sum[row], term[row];
          multiply(gain[0], spectrum[0] + fft_.place(kx), sum);
          for (Index o = 1; o < outputs; ++o) {
            multiply(gain[o], spectrum[std::size_t(o)] + fft_.place(kx), term);
            MNO_LANES
            for (Index m = 0; m < row; ++m) sum[m] += term[m];
          }
          done(mode, sum);
        }
    }
  }

 private:
  struct Number {
    T re, im;
  };
  static Number number(std::complex<double> z) { return {T(z.real()), T(z.imag())}; }
  static void multiply(Number a, const T* z, T* to) {
    MNO_LANES
    for (Index m = 0; m < Lanes; ++m) {
      to[m] = a.re * z[m] - a.im * z[Lanes + m];
      to[Lanes + m] = a.re * z[Lanes + m] + a.im * z[m];
    }
  }

  /// v_i at (x, k_y) for all x.
  void to_half(const T* state, Index i, Index ky, Memory& memory) const {
    const Index columns = fft_.modes();
    const auto field = std::size_t(i);
    const T* const from = state + (i % channels * modes() + ky * columns) * row;
    const Number* const symbol = input_.data() + i * modes() + ky * columns;
    fft_.column_to_points([&](Index kx, T* to) { multiply(symbol[kx], from + kx * row, to); }, ky,
                          memory.half[field], memory.line[field], memory.spare[field]);
  }

  /// Of all v at (x, k_y) makes all w there.
  void multiply_row(Memory& memory, Index x) const {
    std::array<T*, fields> value{}, other{};
    for (std::size_t i = 0; i < std::size_t(fields); ++i) {
      T *const line = memory.line[i], *const spare = memory.spare[i];
      value[i] = Index(i) < inputs ? fft_.row_to_points(memory.half[i], x, line, spare) : line;
      other[i] = value[i] == line ? spare : line;
    }
    const Index numbers = fft_.points() * row;
    MNO_INDEPENDENT_ITERATIONS
    for (Index j = 0; j < numbers; ++j) {
      std::array<T, inputs> v;
      for (std::size_t i = 0; i < std::size_t(inputs); ++i) v[i] = value[i][j];
      const std::array<T, outputs> w = Equation::nonlinearity(v);
      for (std::size_t o = 0; o < std::size_t(outputs); ++o) value[o][j] = w[o];
    }
    for (std::size_t o = 0; o < std::size_t(outputs); ++o)
      fft_.row_to_modes(value[o], other[o], x, memory.half[o]);
  }

  PlaneFft<T, Lanes> fft_;
  Index highest_;
  std::vector<Number> input_;   // s_i(k): (input, mode)
  std::vector<Number> output_;  // n_co(k) with scale and the transform's 1/N²: (channel, mode, output)
};

}  // namespace mno
