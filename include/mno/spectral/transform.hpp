#pragma once
// Truncated real Fourier transforms of channel-last fields, and their adjoints.
//
// With the real inner product on coefficients, ⟨ẑ,ŵ⟩ = Σ_k (Re ẑ_k Re ŵ_k + Im ẑ_k Im ŵ_k), write
//     project_s: z_k = s_k Σ_j x_j e^{−2πi k·j/N},        expand_s: y_j = Re Σ_k s_k z_k e^{2πi k·j/N}.
// Each is the adjoint of the other for the same s, so two routines with two weights are all there is:
//     forward = project_a,  forward adjoint = expand_a,  inverse = expand_m,  inverse adjoint = project_m,
// with the analysis weight a and the multiplicity m of wavenumbers.hpp.
//
// A transform is a product with a cosine and a sine table, axis after axis; where many modes are kept and
// FFTW is at hand, FFTW does it.
#include <cmath>
#include <memory>
#include <numbers>
#include <vector>

#include "mno/core/field.hpp"
#include "mno/device/product.hpp"
#include "mno/device/workspace.hpp"
#include "mno/spectral/wavenumbers.hpp"
#ifdef MNO_HAS_FFTW
#include "mno/spectral/fftw.hpp"
#endif

namespace mno {

enum class Weight { analysis, multiplicity };
enum class TransformBackend { automatic, tables, fftw };

/// What a transform depends on.
template <int D> struct TransformKey {
  std::array<Index, D> points{};
  std::array<Index, D> modes{};
  Index channels = 0;
  TransformBackend backend = TransformBackend::automatic;
  bool operator==(const TransformKey&) const = default;
};

/// The coefficients of a block of samples: (mode, sample, re|im, channel).
template <class T> struct Spectrum {
  T* data = nullptr;
  Index modes = 0, batch = 0, channels = 0;

  template <class U>
  requires(!std::is_const_v<T> && std::is_same_v<U, const T>) operator Spectrum<U>() const {
    return {data, modes, batch, channels};
  }
  std::size_t size() const { return std::size_t(modes * batch * 2 * channels); }
  T* at(Index mode, Index sample) const { return data + (mode * batch + sample) * 2 * channels; }
  /// All samples' real parts of one mode as a matrix (sample, channel), and the imaginary parts.
  Matrix<T> real(Index mode) const { return {at(mode, 0), batch, channels, 2 * channels}; }
  Matrix<T> imaginary(Index mode) const { return {at(mode, 0) + channels, batch, channels, 2 * channels}; }
};

template <class T, int D> class Transform {
 public:
  explicit Transform(const TransformKey<D>& key) : key_(key), waves_(key.points, key.modes) {
    for (Index i = 0; i < waves_.size(); ++i) {
      analysis_.push_back(T(waves_.analysis_weight(i)));
      multiplicity_.push_back(T(waves_.multiplicity(i)));
    }
#ifdef MNO_HAS_FFTW
    const bool many = waves_.count[std::size_t(D - 1)] > most_table_modes;
    if (key.backend == TransformBackend::fftw || (key.backend == TransformBackend::automatic && many)) {
      fftw_ = std::make_unique<Fftw<T, D>>(key.points, key.channels);
      return;
    }
#endif
    for (std::size_t d = 0; d < std::size_t(D); ++d)
      tables_[d] = Table(key.points[d], waves_.lowest[d], waves_.count[d]);
  }

  bool matches(const TransformKey<D>& key) const { return key == key_; }
  const Wavenumbers<D>& waves() const { return waves_; }
  Index modes() const { return waves_.size(); }

  /// spectrum_k = s_k Σ_j x_j e^{−2πi k·j/N}   (overwrites)
  void project(View<const T, D> x, Spectrum<T> spectrum, Weight weight, Arena& scratch) const {
    const T* const s = weights(weight);
    for (Index b = 0; b < x.batch; ++b) {
      ArenaScope scope(scratch);
      const T* const z = project_sample(x.samples(b, 1), scratch);  // (mode, re|im, channel)
      for (Index k = 0; k < modes(); ++k)
        for (Index c = 0; c < 2 * x.channels; ++c) spectrum.at(k, b)[c] = s[k] * z[k * 2 * x.channels + c];
    }
  }

  /// y_j += Re Σ_k s_k spectrum_k e^{2πi k·j/N}
  void expand(Spectrum<const T> spectrum, View<T, D> y, Weight weight, Arena& scratch) const {
    const T* const s = weights(weight);
    for (Index b = 0; b < y.batch; ++b) {
      ArenaScope scope(scratch);
      T* const z = scratch.take<T>(std::size_t(modes() * 2 * y.channels));  // (mode, re|im, channel)
      for (Index k = 0; k < modes(); ++k)
        for (Index c = 0; c < 2 * y.channels; ++c) z[k * 2 * y.channels + c] = s[k] * spectrum.at(k, b)[c];
      expand_sample(z, y.samples(b, 1), scratch);
    }
  }

 private:
  static constexpr Index most_table_modes = 32;  // beyond it FFTW is faster than the tables

  /// cos and sin of 2π k j / N, (k, j); the angle is reduced in integers, so every entry is correctly rounded
  /// to within an ulp on any grid.
  struct Table {
    Table() = default;
    Table(Index n, Index lowest, Index count)
        : points(n), modes(count), cosine(std::size_t(n * count)), sine(cosine) {
      for (Index k = 0; k < count; ++k)
        for (Index j = 0; j < n; ++j) {
          const Index turn = (((lowest + k) * j) % n + n) % n;
          const double angle = 2 * std::numbers::pi * double(turn) / double(n);
          cosine.data()[k * n + j] = 4 * turn == n || 4 * turn == 3 * n ? T(0) : T(std::cos(angle));
          sine.data()[k * n + j] = turn == 0 || 2 * turn == n ? T(0) : T(std::sin(angle));
        }
    }
    Matrix<const T> cos() const { return {cosine.data(), modes, points, points}; }
    Matrix<const T> sin() const { return {sine.data(), modes, points, points}; }
    Index points = 0, modes = 0;
    Buffer<T> cosine, sine;
  };

  const T* weights(Weight weight) const {
    return (weight == Weight::analysis ? analysis_ : multiplicity_).data();
  }

  const T* project_sample(View<const T, D> x, Arena& scratch) const {
#ifdef MNO_HAS_FFTW
    if (fftw_) return fftw_->project(x, waves_, scratch);
#endif
    const Index channels = x.channels, last = key_.points[std::size_t(D - 1)];
    const Table& table = tables_[std::size_t(D - 1)];
    Index outer = x.points() / last;  // points on the axes still in space
    Index inner = table.modes * 2 * channels;
    T* z = zeros(scratch, outer * inner);  // (outer, mode, re|im, channel)
    for (Index o = 0; o < outer; ++o) {
      const Matrix<const T> rows{x.row(o * last), last, channels, x.pitch};
      multiply_add<T>({z + o * inner, table.modes, channels, 2 * channels}, table.cos(), rows);
      multiply_add<T>({z + o * inner + channels, table.modes, channels, 2 * channels}, table.sin(), rows,
                      T(-1));
    }
    for (int d = D - 2; d >= 0; --d) {  // e^{−iθ} z = (cos θ) z − (sin θ) iz
      const Table& axis = tables_[std::size_t(d)];
      outer /= axis.points;
      const T* const turned = times_i(z, outer * axis.points * inner, channels, scratch);
      T* const next = zeros(scratch, outer * axis.modes * inner);
      for (Index o = 0; o < outer; ++o) {
        const Matrix<T> to{next + o * axis.modes * inner, axis.modes, inner, inner};
        multiply_add<T>(to, axis.cos(), {z + o * axis.points * inner, axis.points, inner, inner});
        multiply_add<T>(to, axis.sin(), {turned + o * axis.points * inner, axis.points, inner, inner}, T(-1));
      }
      inner *= axis.modes;
      z = next;
    }
    return z;
  }

  void expand_sample(const T* z, View<T, D> y, Arena& scratch) const {
#ifdef MNO_HAS_FFTW
    if (fftw_) return fftw_->expand(z, y, waves_, scratch);
#endif
    const Index channels = y.channels;
    Index outer = 1;
    Index inner = modes() * 2 * channels;
    for (int d = 0; d <= D - 2; ++d) {  // e^{iθ} z = (cos θ) z + (sin θ) iz
      const Table& axis = tables_[std::size_t(d)];
      inner /= axis.modes;
      const T* const turned = times_i(z, outer * axis.modes * inner, channels, scratch);
      T* const next = zeros(scratch, outer * axis.points * inner);
      for (Index o = 0; o < outer; ++o) {
        const Matrix<T> to{next + o * axis.points * inner, axis.points, inner, inner};
        multiply_add_transposed_left<T>(to, axis.cos(),
                                        {z + o * axis.modes * inner, axis.modes, inner, inner});
        multiply_add_transposed_left<T>(to, axis.sin(),
                                        {turned + o * axis.modes * inner, axis.modes, inner, inner});
      }
      outer *= axis.points;
      z = next;
    }
    const Table& table = tables_[std::size_t(D - 1)];
    for (Index o = 0; o < outer; ++o) {
      const Matrix<T> to{y.row(o * table.points), table.points, channels, y.pitch};
      multiply_add_transposed_left<T>(to, table.cos(), {z + o * inner, table.modes, channels, 2 * channels});
      multiply_add_transposed_left<T>(to, table.sin(),
                                      {z + o * inner + channels, table.modes, channels, 2 * channels}, T(-1));
    }
  }

  static T* zeros(Arena& scratch, Index n) {
    T* const z = scratch.take<T>(std::size_t(n));
    std::fill_n(z, n, T(0));
    return z;
  }
  static const T* times_i(const T* z, Index n, Index channels, Arena& scratch) {
    T* const turned = scratch.take<T>(std::size_t(n));
    for (Index i = 0; i < n; i += 2 * channels)
      for (Index c = 0; c < channels; ++c) {
        turned[i + c] = -z[i + channels + c];
        turned[i + channels + c] = z[i + c];
      }
    return turned;
  }

  TransformKey<D> key_;
  Wavenumbers<D> waves_;
  std::vector<T> analysis_, multiplicity_;
  std::array<Table, std::size_t(D)> tables_;
#ifdef MNO_HAS_FFTW
  std::unique_ptr<Fftw<T, D>> fftw_;
#endif
};

/// The key of a transform that keeps the same number of modes on every axis.
template <int D> TransformKey<D> transform_key(const Grid<D>& grid, Index channels, Index modes) {
  TransformKey<D> key{grid.points, {}, channels};
  key.modes.fill(modes);
  return key;
}

}  // namespace mno
