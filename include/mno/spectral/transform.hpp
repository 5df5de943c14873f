#pragma once
// Truncated real Fourier transforms of channel-last fields, and their adjoints.
//
// With the real inner product on coefficients, ⟨ẑ,ŵ⟩ = Σ_k (Re ẑ_k Re ŵ_k + Im ẑ_k Im ŵ_k), write
//     project_s: z_k = s_k Σ_j x_j e^{−2πi k·j/N},        expand_s: y_j = Re Σ_k s_k z_k e^{2πi k·j/N}.
// Each is the adjoint of the other for the same s, so two routines with two weights are all there is:
//     forward = project_a,  forward adjoint = expand_a,  inverse = expand_m,  inverse adjoint = project_m,
// with the analysis weight a and the multiplicity m of wavenumbers.hpp.
//
// A transform is a product with folded cosine and sine tables, axis after axis; where many modes are kept and
// FFTW is at hand, FFTW does it. On the last axis, which is real, z_k = C_k − iS_k. On the others z is
// complex and both k and −k are kept: z_{±k} = C_k ∓ iS_k. Weights are products over the axes, and so are
// part of the tables.
#include <memory>
#include <vector>

#include "mno/core/field.hpp"
#include "mno/spectral/folded.hpp"
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

/// The coefficients of a block of samples: (mode, sample, re|im, channel). The block may be part of a larger
/// batch: then a mode has more samples in memory than the block.
template <class T> struct Spectrum {
  T* data = nullptr;
  Index modes = 0, batch = 0, channels = 0;
  Index stored = batch;  // samples of a mode in memory

  template <class U>
  requires(!std::is_const_v<T> && std::is_same_v<U, const T>) operator Spectrum<U>() const {
    return {data, modes, batch, channels, stored};
  }
  std::size_t size() const { return std::size_t(modes * pitch()); }
  /// Numbers from one mode to the next.
  Index pitch() const { return stored * 2 * channels; }
  T* at(Index mode, Index sample) const { return data + mode * pitch() + sample * 2 * channels; }
  /// All samples' real parts of one mode as a matrix (sample, channel), and the imaginary parts.
  MatrixView<T> real(Index mode) const { return {at(mode, 0), batch, channels, 2 * channels}; }
  MatrixView<T> imaginary(Index mode) const {
    return {at(mode, 0) + channels, batch, channels, 2 * channels};
  }
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
    for (std::size_t d = 0; d < std::size_t(D); ++d) {
      const bool last = d + 1 == std::size_t(D);
      const Index n = key.points[d], highest = waves_.lowest[d] + waves_.count[d] - 1;
      std::vector<std::vector<double>> weights(2);
      for (Index k = 0; k <= highest; ++k) {
        weights[std::size_t(Weight::analysis)].push_back(1 / double(2 * k == n ? 2 * n : n));
        weights[std::size_t(Weight::multiplicity)].push_back(last && k > 0 ? 2 : 1);
      }
      axes_[d] = FoldedAxis<T>(n, highest, weights);
    }
  }

  using Nothing = typename FoldedAxis<T>::Nothing;

  bool matches(const TransformKey<D>& key) const { return key == key_; }
  const Wavenumbers<D>& waves() const { return waves_; }
  Index modes() const { return waves_.size(); }

  /// spectrum_k = s_k Σ_j x_j e^{−2πi k·j/N}   (overwrites)
  void project(const View<const T, D>& x, const Spectrum<T>& spectrum, Weight weight, Arena& scratch) const {
    for (Index b = 0; b < x.batch; ++b) project(x.samples(b, 1), spectrum, b, weight, scratch);
  }
  /// The same for sample b of the spectrum alone. Before points [first, first + count) of x are read,
  /// `needed(first, count)` is called.
  template <class Needed = Nothing>
  void project(const View<const T, D>& x, const Spectrum<T>& spectrum, Index b, Weight weight, Arena& scratch,
               Needed&& needed = {}) const {
    const ArenaScope scope(scratch);
#ifdef MNO_HAS_FFTW
    if (fftw_) {
      needed(0, x.rows());
      const T* const z = fftw_->project(x, waves_, scratch);  // (mode, re|im, channel)
      for (Index k = 0; k < modes(); ++k)
        for (Index c = 0; c < 2 * x.channels; ++c)
          spectrum.at(k, b)[c] = weights(weight)[k] * z[k * 2 * x.channels + c];
      return;
    }
#endif
    project_sample(x, spectrum.at(0, b), spectrum.pitch(), std::size_t(weight), scratch, needed);
  }

  /// y_j += Re Σ_k s_k spectrum_k e^{2πi k·j/N}, or is set to it.
  void expand(const Spectrum<const T>& spectrum, const View<T, D>& y, Weight weight, Arena& scratch,
              Write write = Write::add) const {
    for (Index b = 0; b < y.batch; ++b) expand(spectrum, b, y.samples(b, 1), weight, scratch, write);
  }
  /// The same for sample b alone. When points [first, first + count) of y are there, `done(first, count)` is
  /// called.
  template <class Done = Nothing>
  void expand(const Spectrum<const T>& spectrum, Index b, const View<T, D>& y, Weight weight, Arena& scratch,
              Write write = Write::add, Done&& done = {}) const {
    const ArenaScope scope(scratch);
#ifdef MNO_HAS_FFTW
    if (fftw_) {
      if (write == Write::set)
        for (Index r = 0; r < y.rows(); ++r) std::fill_n(y.row(r), y.channels, T(0));
      T* const z = scratch.take<T>(std::size_t(modes() * 2 * y.channels));  // (mode, re|im, channel)
      for (Index k = 0; k < modes(); ++k)
        for (Index c = 0; c < 2 * y.channels; ++c)
          z[k * 2 * y.channels + c] = weights(weight)[k] * spectrum.at(k, b)[c];
      fftw_->expand(z, y, waves_, scratch);
      return done(0, y.rows());
    }
#endif
    expand_sample(spectrum.at(0, b), spectrum.pitch(), y, std::size_t(weight), write, scratch, done);
  }

 private:
  static constexpr Index most_table_modes = 64;  // beyond it FFTW is faster than the tables

  const T* weights(Weight weight) const {
    return (weight == Weight::analysis ? analysis_ : multiplicity_).data();
  }

  /// Mode m of the sample goes to z + m·pitch: (re|im, channel).
  template <class Needed>
  void project_sample(const View<const T, D>& x, T* z, Index pitch, std::size_t weight, Arena& scratch,
                      Needed&& needed) const {
    const Index channels = x.channels, pair = 2 * channels;
    const auto& last = axes_[std::size_t(D - 1)];
    if constexpr (D == 1)
      return last.project(
          {x.data, last.points(), channels, x.pitch}, {z, last.highest() + 1, channels, pitch},
          {z + channels, last.highest() + 1, channels, pitch}, T(-1), weight, scratch, needed);
    Index outer = x.points() / last.points();                      // points on the axes still in space
    Index inner = last.highest() + 1;                              // modes on the axes that are done
    T* done = scratch.take<T>(std::size_t(outer * inner * pair));  // (outer, mode, re|im, channel)
    for (Index o = 0; o < outer; ++o) {
      needed(o * last.points(), last.points());
      last.project({x.row(o * last.points()), last.points(), channels, x.pitch},
                   {done + o * inner * pair, inner, channels, pair},
                   {done + o * inner * pair + channels, inner, channels, pair}, T(-1), weight, scratch);
    }
    for (int d = D - 2; d >= 0; --d) {
      const auto& axis = axes_[std::size_t(d)];
      const Index highest = axis.highest(), count = 2 * highest + 1;
      outer /= axis.points();
      T* const next = d == 0 ? z : scratch.take<T>(std::size_t(outer * count * inner * pair));
      const Index step = d == 0 ? pitch : pair;
      T* const cosine = scratch.take<T>(std::size_t(2 * (highest + 1) * pair));
      T* const sine = cosine + (highest + 1) * pair;
      for (Index o = 0; o < outer; ++o)
        for (Index m = 0; m < inner; ++m) {
          axis.project({done + (o * axis.points() * inner + m) * pair, axis.points(), pair, inner * pair},
                       {cosine, highest + 1, pair, pair}, {sine, highest + 1, pair, pair}, T(1), weight,
                       scratch);
          for (Index k = 0; k <= highest; ++k)  // z_{±k} = C ∓ iS
            turn(cosine + k * pair, sine + k * pair, channels,
                 next + ((o * count + highest + k) * inner + m) * step,
                 next + ((o * count + highest - k) * inner + m) * step);
        }
      inner *= count;
      done = next;
    }
  }

  template <class Done>
  void expand_sample(const T* z, Index pitch, const View<T, D>& y, std::size_t weight, Write write,
                     Arena& scratch, Done&& done) const {
    const Index channels = y.channels, pair = 2 * channels;
    Index outer = 1, inner = modes(), step = pitch;
    for (int d = 0; d <= D - 2; ++d) {
      const auto& axis = axes_[std::size_t(d)];
      const Index highest = axis.highest(), count = 2 * highest + 1;
      inner /= count;
      T* const next = scratch.take<T>(std::size_t(outer * axis.points() * inner * pair));
      T* const cosine = scratch.take<T>(std::size_t(2 * (highest + 1) * pair));
      T* const sine = cosine + (highest + 1) * pair;
      for (Index o = 0; o < outer; ++o)
        for (Index m = 0; m < inner; ++m) {
          for (Index k = 0; k <= highest; ++k)  // C = z_k + z_{−k},  S = i(z_k − z_{−k})
            gather(z + ((o * count + highest + k) * inner + m) * step,
                   z + ((o * count + highest - k) * inner + m) * step, k == 0, channels, cosine + k * pair,
                   sine + k * pair);
          axis.expand({cosine, highest + 1, pair, pair}, {sine, highest + 1, pair, pair}, T(1),
                      {next + (o * axis.points() * inner + m) * pair, axis.points(), pair, inner * pair},
                      weight, Write::set, scratch);
        }
      outer *= axis.points();
      z = next;
      step = pair;
    }
    const auto& last = axes_[std::size_t(D - 1)];
    for (Index o = 0; o < outer; ++o)
      last.expand({z + o * inner * step, inner, channels, step},
                  {z + o * inner * step + channels, inner, channels, step}, T(-1),
                  {y.row(o * last.points()), last.points(), channels, y.pitch}, weight, write, scratch,
                  [&](Index first, Index count) { done(o * last.points() + first, count); });
  }

  /// plus = C − iS, minus = C + iS; all are (re|im, channel).
  static void turn(const T* cosine, const T* sine, Index channels, T* plus, T* minus) {
    using namespace packet;
    for_each_packet<T>(channels, [&](auto load, auto store) {
      const Packet<T> c_re = load(cosine), c_im = load(cosine + channels);
      const Packet<T> s_re = load(sine), s_im = load(sine + channels);
      store(minus, psub(c_re, s_im));
      store(minus + channels, padd(c_im, s_re));
      store(plus, padd(c_re, s_im));
      store(plus + channels, psub(c_im, s_re));
    });
  }
  /// C = plus + minus, S = i(plus − minus); the wave 0 is its own mirror image.
  static void gather(const T* plus, const T* minus, bool mean, Index channels, T* cosine, T* sine) {
    using namespace packet;
    if (mean) {
      std::copy_n(plus, 2 * channels, cosine);
      std::fill_n(sine, 2 * channels, T(0));
      return;
    }
    for_each_packet<T>(channels, [&](auto load, auto store) {
      const Packet<T> p_re = load(plus), p_im = load(plus + channels);
      const Packet<T> m_re = load(minus), m_im = load(minus + channels);
      store(cosine, padd(p_re, m_re));
      store(cosine + channels, padd(p_im, m_im));
      store(sine, psub(m_im, p_im));
      store(sine + channels, psub(p_re, m_re));
    });
  }

  TransformKey<D> key_;
  Wavenumbers<D> waves_;
  std::vector<T> analysis_, multiplicity_;
  std::array<FoldedAxis<T>, std::size_t(D)> axes_;
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
