#pragma once
// Factorised spectral convolution, y = Σ_d F_d⁻¹(R_d · F_d u): a convolution along every axis, added up.
// Along an axis, every line of points is a sample of a one-dimensional SpectralConv, and its adjoint is used.
#include "mno/layer/spectral.hpp"

namespace mno {

/// Weights are stored (axis, mode, re|im, input, output).
template <int In_, int Out_, int D, int Modes> struct FactorisedSpectralConv {
  static_assert(Modes >= 1, "mno: FactorisedSpectralConv needs at least one mode (the mean)");
  static constexpr int inputs = In_, outputs = Out_, dimension = D, modes = Modes;
  static constexpr const char* name = "factorised-spectral";
  static constexpr std::array leaves{parameter("weight", D, Modes, 2, inputs, outputs)};
  static constexpr std::size_t parameters = total(leaves);
  static constexpr std::array settings{setting("dimension", D), setting("modes", Modes)};
  using Axis = SpectralConv<In_, Out_, 1, Modes>;

  template <class Pass> struct Trace {
    std::array<Spectrum<typename Pass::Scalar>, std::size_t(D)>
        coefficients;  // F_d u: (mode, line, re|im, input)
  };

  /// As SpectralConv, per axis.
  template <class T> static void initialise(std::span<T> w, Stream& random) {
    Axis::template initialise<T>(w, random);
  }

  template <class Pass>
  static void forward(Weights<Pass> w, In<Pass> x, Out<Pass> y, Trace<Pass>& trace, Pass& pass, Write write) {
    using T = typename Pass::Scalar;
    static_assert(Pass::dimension == D,
                  "mno: this FactorisedSpectralConv was made for fields of another dimension");
    for (int d = 0; d < D; ++d) {
      const auto& from = transform<T>(x.grid, d, inputs, pass);
      const auto& to = transform<T>(x.grid, d, outputs, pass);
      const Lines lines(x, d);
      auto& u = trace.coefficients[std::size_t(d)];
      if (pass.recording)
        u = {pass.keep_values(from.modes() * lines.count * 2 * inputs), from.modes(), lines.count, inputs};
      for (Index first = 0; first < lines.count; first += most_lines) {
        const Index count = std::min(most_lines, lines.count - first);
        const auto scope = pass.scope();
        const Spectrum<T> some = pass.recording ? part(u, first, count) : room<T>(from, count, inputs, pass);
        const Spectrum<T> mixed = room<T>(to, count, outputs, pass);
        for (Index b = 0; b < count; ++b)
          from.project(lines.line(x, first + b), some, b, Weight::analysis, pass.scratch_arena());
        Axis::template mix<T>(slice(w, d), some, mixed, to.waves(), pass);
        for (Index b = 0; b < count; ++b)
          to.expand(mixed, b, lines.line(y, first + b), Weight::multiplicity, pass.scratch_arena(),
                    d == 0 ? write : Write::add);
      }
    }
  }

  /// Per axis, with Ȳ = (F⁻¹)* ȳ:  R̄_k = Σ û_kᴴ Ȳ_k over samples and lines,  ū = F* (Ȳ_k R_kᴴ).
  template <class Pass>
  static void vjp(Weights<Pass> w, In<Pass> ybar, const Trace<Pass>& trace, WeightsBar<Pass> wbar,
                  Out<Pass> xbar, Pass& pass, Write write) {
    using T = typename Pass::Scalar;
    for (int d = 0; d < D; ++d) {
      const auto& from = transform<T>(ybar.grid, d, inputs, pass);
      const auto& to = transform<T>(ybar.grid, d, outputs, pass);
      const Lines lines(ybar, d);
      for (Index first = 0; first < lines.count; first += most_lines) {
        const Index count = std::min(most_lines, lines.count - first);
        const auto scope = pass.scope();
        const Spectrum<T> mixed_bar = room<T>(to, count, outputs, pass);
        for (Index b = 0; b < count; ++b)
          to.project(lines.line(ybar, first + b), mixed_bar, b, Weight::multiplicity, pass.scratch_arena());
        Axis::template mix_weights_adjoint<T>(part(trace.coefficients[std::size_t(d)], first, count),
                                              mixed_bar, slice(wbar, d), from.waves(), 0, from.modes(),
                                              Write::add, pass);
        if (!xbar) continue;
        const Spectrum<T> u_bar = room<T>(from, count, inputs, pass);
        Axis::template mix_adjoint<T>(slice(w, d), mixed_bar, u_bar, from.waves(), pass);
        for (Index b = 0; b < count; ++b)
          from.expand(u_bar, b, lines.line(xbar, first + b), Weight::analysis, pass.scratch_arena(),
                      d == 0 ? write : Write::add);
      }
    }
  }

 private:
  static constexpr Index most_lines = 64;  // at a time: their coefficients stay in cache

  /// The lines of a field along one axis: (outer, inner), the axis between them.
  struct Lines {
    template <class V> Lines(const V& field, int axis) : points(field.grid.points[std::size_t(axis)]) {
      for (int d = axis + 1; d < D; ++d) inner *= field.grid.points[std::size_t(d)];
      count = field.rows() / points;
    }
    template <class T> View<T, 1> line(const View<T, D>& field, Index i) const {
      return {field.row(i / inner * points * inner + i % inner), 1, Grid<1>{{points}}, field.channels,
              inner * field.pitch};
    }
    Index points, inner = 1, count;
  };

  template <class T, class Pass>
  static const Transform<T, 1>& transform(const Grid<D>& grid, int axis, Index channels, Pass& pass) {
    return Axis::template transform<T>(Grid<1>{{grid.points[std::size_t(axis)]}}, channels, pass);
  }
  template <class T> static std::span<T> slice(std::span<T> w, int axis) {
    return w.subspan(std::size_t(axis) * Axis::parameters, Axis::parameters);
  }
  template <class T> static Spectrum<T> part(const Spectrum<T>& all, Index first, Index count) {
    return {all.at(0, first), all.modes, count, all.channels, all.stored};
  }
  template <class T, class Pass>
  static Spectrum<T> room(const Transform<T, 1>& f, Index lines, Index channels, Pass& pass) {
    return {pass.scratch_values(f.modes() * lines * 2 * channels), f.modes(), lines, channels};
  }
};

}  // namespace mno
