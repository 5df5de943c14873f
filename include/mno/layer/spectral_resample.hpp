#pragma once
// The same periodic function on a grid of points·Up/Down per axis: the trigonometric interpolant through the
// points, evaluated there (spectral/resample.hpp). Waves that the coarser grid does not carry are left out.
#include "mno/layer/pass.hpp"

namespace mno {

template <int Channels, int Up, int Down> struct SpectralResample : WithoutParameters {
  static_assert(Up >= 1 && Down >= 1, "mno: a SpectralResample multiplies and divides by at least one");
  static constexpr int inputs = Channels, outputs = Channels;
  static constexpr const char* name = "resample";
  static constexpr std::array settings{setting("up", Up), setting("down", Down)};

  template <class Pass> struct Trace {};

  template <int D> static Grid<D> grid(Grid<D> in) {
    for (int d = 0; d < D; ++d) {
      Index& points = in.points[std::size_t(d)];
      require(points * Up % Down == 0, "SpectralResample", "x",
              Text("points of which ", Up, "/", Down, " is a whole number"), Text(points, " on axis ", d));
      points = points * Up / Down;
    }
    return in;
  }

  template <class Pass>
  static void forward(Weights<Pass>, In<Pass> x, Out<Pass> y, Trace<Pass>&, Pass& pass, Write write) {
    pass.resample(x, y, write);
  }

  /// x̄ = F* (F⁻¹)* ȳ, the transforms of y = F⁻¹ F x in the other order.
  template <class Pass>
  static void vjp(Weights<Pass>, In<Pass> ybar, const Trace<Pass>&, WeightsBar<Pass>, Out<Pass> xbar,
                  Pass& pass, Write write) {
    if (xbar) pass.resample_adjoint(ybar, xbar, write);
  }
};

template <int Channels, int K> using SpectralUp = SpectralResample<Channels, K, 1>;
template <int Channels, int K> using SpectralDown = SpectralResample<Channels, 1, K>;

}  // namespace mno
