#pragma once
// A learned field that is the same for every sample: the part of a law that does not depend on the condition.
// It is a Fourier series, so it exists on every grid.
#include "mno/core/random.hpp"
#include "mno/layer/pass.hpp"
#include "mno/spectral/transform.hpp"

namespace mno {

/// y(x) = Re Σ_k m_k ŵ_k e^{2πi k·x/L}, with the multiplicities m of wavenumbers.hpp. Stands beside a head
/// (head + FixedField), so it has the head's inputs, which it does not read.
template <int In_, int Channels, int D, int Modes> struct FixedField {
  static constexpr int inputs = In_, outputs = Channels;
  static constexpr const char* name = "fixed";
  static constexpr Index modes = mode_count<D>(Modes);
  static constexpr std::array leaves{parameter("series", modes, 2, Channels)};  // ŵ
  static constexpr std::size_t parameters = total(leaves);
  static constexpr std::array settings{setting("dimension", D), setting("modes", Modes)};

  template <class Pass> struct Trace {};

  /// Nothing at first.
  template <class T> static void initialise(std::span<T> w, Stream&) { std::fill(w.begin(), w.end(), T(0)); }

  template <class Pass>
  static void forward(Weights<Pass> w, In<Pass>, Out<Pass> y, Trace<Pass>&, Pass& pass) {
    using T = typename Pass::Scalar;
    const auto scope = pass.scope();
    const auto& f = transform<T>(y.grid, pass);
    const Spectrum<T> series{pass.scratch_values(f.modes() * 2 * Channels), f.modes(), 1, Channels};
    for (Index k = 0; k < f.modes(); ++k)
      std::copy_n(w.data() + f.waves().weight_index(k) * 2 * Channels, 2 * Channels, series.at(k, 0));
    const View<T, D> field = pass.scratch_uninitialised(1, y.grid, Channels);
    f.expand(series, field, Weight::multiplicity, pass.scratch_arena(), Write::set);
    for (Index r = 0; r < y.rows(); ++r) {
      const T* const from = field.row(r % y.points());
      for (Index c = 0; c < Channels; ++c) y.row(r)[c] += from[c];
    }
  }

  /// ŵ-bar = (F⁻¹)* Σ_b ȳ_b;  nothing for x̄
  template <class Pass>
  static void vjp(Weights<Pass>, In<Pass> ybar, const Trace<Pass>&, WeightsBar<Pass> wbar, Out<Pass>,
                  Pass& pass) {
    using T = typename Pass::Scalar;
    const auto scope = pass.scope();
    const auto& f = transform<T>(ybar.grid, pass);
    const View<T, D> sum = pass.scratch_uninitialised(1, ybar.grid, Channels);
    pass.clear(sum);
    for (Index r = 0; r < ybar.rows(); ++r) {
      T* const to = sum.row(r % ybar.points());
      for (Index c = 0; c < Channels; ++c) to[c] += ybar.row(r)[c];
    }
    const Spectrum<T> series{pass.scratch_values(f.modes() * 2 * Channels), f.modes(), 1, Channels};
    f.project(sum, series, Weight::multiplicity, pass.scratch_arena());
    for (Index k = 0; k < f.modes(); ++k) {
      T* const to = wbar.data() + f.waves().weight_index(k) * 2 * Channels;
      for (Index c = 0; c < 2 * Channels; ++c) to[c] += series.at(k, 0)[c];
    }
  }

 private:
  template <class T, class Pass> static const Transform<T, D>& transform(const Grid<D>& grid, Pass& pass) {
    return pass.template cached<Transform<T, D>>(transform_key<D>(grid, Channels, Modes));
  }
};

}  // namespace mno
