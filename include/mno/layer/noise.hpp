#pragma once
// Noise as an input: a random field ξ, drawn anew for every sample and visit, whatever x is.
//
//     ξ(x) = n^{−1/2} Σ_k √(m_k) Re(ζ_k e^{2πi k·x/L}),   Re ζ_k, Im ζ_k ~ N(0,1) independent,  |k_d| < M
//
// with the multiplicity m_k of wavenumbers.hpp and n = (2M−1)^D, the number of real waves: every wave has the
// same variance, and a point has variance 1. The ζ_k of a sample are the same on every grid, so a finer grid
// sees the same noise; a coarser one lacks the waves that it cannot carry. With M = 1 it is one number per
// channel: a latent.
//
// The draws are a function of (seed, sample, visit) alone: see Pass::noise.
#include <cmath>

#include "mno/layer/pass.hpp"
#include "mno/spectral/transform.hpp"

namespace mno {

/// The size of the noise, σ, by default.
struct UnitAmplitude {
  static constexpr double value = 1;
};

template <int In_, int Channels, int D, int Modes, class Amplitude = UnitAmplitude>
struct Noise : WithoutParameters {
  static_assert(Modes >= 1, "mno: Noise needs at least one mode (a constant)");
  static constexpr int inputs = In_, outputs = Channels, dimension = D, modes = Modes;
  static constexpr const char* name = "noise";
  static constexpr bool draws_noise = true;
  static constexpr double amplitude = Amplitude::value;
  static constexpr std::array settings{setting("dimension", D), setting("modes", Modes),
                                       setting("amplitude", amplitude)};

  template <class Pass> struct Trace {};

  template <class Pass>
  static void forward(Weights<Pass>, In<Pass>, Out<Pass> y, Trace<Pass>&, Pass& pass, Write write) {
    using T = typename Pass::Scalar;
    static_assert(Pass::dimension == D, "mno: this Noise was made for fields of another dimension");
    const auto& f = pass.template cached<Transform<T, D>>(transform_key<D>(y.grid, Channels, Modes));
    const Index visit = pass.noise_visit();
    const auto scope = pass.scope();
    const Spectrum<T> z{pass.scratch_values(f.modes() * y.batch * 2 * Channels), f.modes(), y.batch,
                        Channels};
    for (Index b = 0; b < y.batch; ++b)
      for (Index k = 0; k < f.modes(); ++k) draw(pass.noise(visit, b), f.waves(), k, z.at(k, b));
    f.expand(z, y, Weight::multiplicity, pass.scratch_arena(), write);
  }

  /// Nothing depends on x.
  template <class Pass>
  static void vjp(Weights<Pass>, In<Pass>, const Trace<Pass>&, WeightsBar<Pass>, Out<Pass> xbar, Pass& pass,
                  Write write) {
    if (xbar && write == Write::set) pass.clear(xbar);
  }

  /// ζ of the grid's k-th mode, scaled, from the stream of one sample: to is (re|im, channel). Every wave has
  /// its own place in the stream, whether a grid carries it or not; its two draws are one block of it.
  template <class To>
  MNO_HOST_DEVICE static void draw(const Stream& stream, const Wavenumbers<D>& waves, Index k, To&& to) {
    double count = 1;
    for (int d = 0; d < D; ++d) count *= 2 * Modes - 1;
    const double size = amplitude / std::sqrt(waves.multiplicity(k) * count);
    Stream random = stream.from_block(std::uint32_t(waves.weight_index(k) * Channels));
    for (Index c = 0; c < 2 * Channels; ++c)
      to[c] = std::remove_reference_t<decltype(to[c])>(size * random.normal());
  }
};

}  // namespace mno
