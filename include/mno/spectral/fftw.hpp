#pragma once
// FFTW behind the two routines of transform.hpp. Only included where FFTW was found.
#include <fftw3.h>

#include <algorithm>
#include <array>
#include <mutex>

#include "mno/core/field.hpp"
#include "mno/device/workspace.hpp"
#include "mno/spectral/wavenumbers.hpp"

namespace mno {

/// FFTW's planner is not thread-safe: one lock around plan and destroy. A process has one planner, but every
/// library that hides its symbols has a lock of its own: a program that loads such libraries makes them share
/// one.
class FftwPlanner {
 public:
  void lock() { lock_ ? lock_() : mutex_.lock(); }
  void unlock() { unlock_ ? unlock_() : mutex_.unlock(); }
  /// Uses these functions as the lock from now on. Call it while no thread plans.
  void share(void (*lock)(), void (*unlock)()) {
    lock_ = lock;
    unlock_ = unlock;
  }

 private:
  std::mutex mutex_{};
  void (*lock_)() = nullptr;
  void (*unlock_)() = nullptr;
};
inline FftwPlanner& fftw_planner() {
  static FftwPlanner planner;
  return planner;
}

template <class T> struct FftwApi;
template <> struct FftwApi<double> {
  using Plan = fftw_plan;
  using Complex = fftw_complex;
  static constexpr auto plan_forward = fftw_plan_many_dft_r2c;
  static constexpr auto plan_inverse = fftw_plan_many_dft_c2r;
  static constexpr auto execute_forward = fftw_execute_dft_r2c;
  static constexpr auto execute_inverse = fftw_execute_dft_c2r;
  static constexpr auto destroy = fftw_destroy_plan;
};
template <> struct FftwApi<float> {
  using Plan = fftwf_plan;
  using Complex = fftwf_complex;
  static constexpr auto plan_forward = fftwf_plan_many_dft_r2c;
  static constexpr auto plan_inverse = fftwf_plan_many_dft_c2r;
  static constexpr auto execute_forward = fftwf_execute_dft_r2c;
  static constexpr auto execute_inverse = fftwf_execute_dft_c2r;
  static constexpr auto destroy = fftwf_destroy_plan;
};

/// Plans for one sample (grid…, channel); FFTW_ESTIMATE, because measured plans differ from run to run and
/// with them the last bits of every result.
template <class T, int D> class Fftw {
  using Api = FftwApi<T>;
  using Complex = typename Api::Complex;

 public:
  Fftw(const std::array<Index, D>& points, Index channels)
      : points_(points), half_{points}, channels_(channels) {
    int n[D];
    for (std::size_t d = 0; d < std::size_t(D); ++d) n[d] = int(points[d]);
    Buffer<T> real{std::size_t(real_size())};
    Buffer<T> complex{std::size_t(2 * complex_size())};
    auto* const spectrum = reinterpret_cast<Complex*>(complex.data());
    const int howmany = int(channels), stride = int(channels);
    const std::lock_guard lock(fftw_planner());
    forward_ = Api::plan_forward(D, n, howmany, real.data(), nullptr, stride, 1, spectrum, nullptr, stride, 1,
                                 FFTW_ESTIMATE);
    inverse_ = Api::plan_inverse(D, n, howmany, spectrum, nullptr, stride, 1, real.data(), nullptr, stride, 1,
                                 FFTW_ESTIMATE);
  }
  ~Fftw() {
    const std::lock_guard lock(fftw_planner());
    Api::destroy(forward_);
    Api::destroy(inverse_);
  }
  Fftw(const Fftw&) = delete;
  Fftw& operator=(const Fftw&) = delete;

  /// Σ_j x_j e^{−2πi k·j/N} for the kept k: (mode, re|im, channel).
  const T* project(View<const T, D> x, const Wavenumbers<D>& waves, Arena& scratch) const {
    T* const z = scratch.take<T>(std::size_t(waves.size() * 2 * channels_));
    T* const real = scratch.take<T>(std::size_t(real_size()));
    T* const complex = scratch.take<T>(std::size_t(2 * complex_size()));
    for (Index p = 0; p < x.points(); ++p) std::copy_n(x.row(p), channels_, real + p * channels_);
    Api::execute_forward(forward_, real, reinterpret_cast<Complex*>(complex));
    for (Index i = 0; i < waves.size(); ++i) {
      const T* const from = complex + 2 * channels_ * half_.bin(waves.wave(i), 1);
      for (Index c = 0; c < channels_; ++c) {
        z[(2 * i) * channels_ + c] = from[2 * c];
        z[(2 * i + 1) * channels_ + c] = from[2 * c + 1];
      }
    }
    return z;
  }

  /// y_j += Re Σ_k z_k e^{2πi k·j/N}. FFTW expects the half spectrum of a real field, so z goes in half as
  /// itself at k and half conjugated at −k; on the planes k_D = 0 and k_D = N/2 both lie in the half spectrum
  /// and are added up, elsewhere −k is implied.
  void expand(const T* z, View<T, D> y, const Wavenumbers<D>& waves, Arena& scratch) const {
    T* const real = scratch.take<T>(std::size_t(real_size()));
    T* const complex = scratch.take<T>(std::size_t(2 * complex_size()));
    std::fill_n(complex, 2 * complex_size(), T(0));
    for (Index i = 0; i < waves.size(); ++i) {
      const auto k = waves.wave(i);
      T* const here = complex + 2 * channels_ * half_.bin(k, 1);
      for (Index c = 0; c < channels_; ++c) {
        here[2 * c] += z[2 * i * channels_ + c] / 2;
        here[2 * c + 1] += z[(2 * i + 1) * channels_ + c] / 2;
      }
      if (!half_.mirrored(k)) continue;
      T* const mirrored = complex + 2 * channels_ * half_.bin(k, -1);
      for (Index c = 0; c < channels_; ++c) {
        mirrored[2 * c] += z[2 * i * channels_ + c] / 2;
        mirrored[2 * c + 1] -= z[(2 * i + 1) * channels_ + c] / 2;
      }
    }
    Api::execute_inverse(inverse_, reinterpret_cast<Complex*>(complex), real);
    for (Index p = 0; p < y.points(); ++p)
      for (Index c = 0; c < channels_; ++c) y.row(p)[c] += real[p * channels_ + c];
  }

 private:
  Index real_size() const {
    Index n = channels_;
    for (Index p : points_) n *= p;
    return n;
  }
  Index complex_size() const { return channels_ * half_.size(); }
  std::array<Index, D> points_;
  HalfSpectrum<D> half_;
  Index channels_;
  typename Api::Plan forward_, inverse_;
};

}  // namespace mno
