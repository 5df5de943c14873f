#pragma once
// Spectral convolution, y = F⁻¹(R · F u): the integral operator of a Fourier layer.
#include <cmath>

#include "mno/core/random.hpp"
#include "mno/core/tree.hpp"
#include "mno/device/complex_product.hpp"
#include "mno/layer/pass.hpp"
#include "mno/spectral/transform.hpp"

namespace mno {

/// For every kept wave vector k a complex (inputs × outputs) matrix R_k acts on the row of coefficients:
/// ŷ_k = û_k R_k. Weights are stored (mode, re|im, input, output).
template <int In_, int Out_, int D, int Modes> struct SpectralConv {
  static_assert(Modes >= 1, "mno: SpectralConv needs at least one mode (the mean)");
  static constexpr int inputs = In_, outputs = Out_, dimension = D, modes = Modes;
  static constexpr const char* name = "spectral";
  static constexpr bool collects = true;  // R̄ is made at the end of a step: see spectrum_store.hpp
  static constexpr std::array leaves{parameter("weight", mode_count<D>(Modes), 2, inputs, outputs)};
  static constexpr std::size_t parameters = total(leaves);
  static constexpr std::array settings{setting("dimension", D), setting("modes", Modes)};

  template <class Pass> struct Trace {
    Spectrum<typename Pass::Scalar> coefficients;  // F u: (mode, sample, re|im, input)
    Grid<Pass::dimension> grid;
    Index visit;  // its number in the store that R̄ is made from; −1: vjp makes R̄
  };

  /// Real and imaginary parts uniform in [0, 1/(inputs·outputs)).
  template <class T> static void initialise(std::span<T> w, Stream& random) {
    for (T& value : w) value = T(random.uniform() / (double(inputs) * outputs));
  }

  template <class Pass>
  static void forward(Weights<Pass> w, In<Pass> x, Out<Pass> y, Trace<Pass>& trace, Pass& pass, Write write) {
    using T = typename Pass::Scalar;
    static_assert(Pass::dimension == D, "mno: this SpectralConv was made for fields of another dimension");
    const auto& from = transform<T>(x.grid, inputs, pass);
    const auto& to = transform<T>(x.grid, outputs, pass);
    coefficients(w, from, x, trace, pass);

    const auto scope = pass.scope();
    const auto mixed =
        spectrum(pass.scratch_values(to.modes() * x.batch * 2 * outputs), to, x.batch, outputs);
    mix(w, trace.coefficients, mixed, to.waves(), pass);
    to.expand(mixed, y, Weight::multiplicity, pass.scratch_arena(), write);
  }

  /// With Ȳ = (F⁻¹)* ȳ:  R̄_k = û_kᴴ Ȳ_k,  ū = F* (Ȳ_k R_kᴴ).
  template <class Pass>
  static void vjp(Weights<Pass> w, In<Pass> ybar, const Trace<Pass>& trace, WeightsBar<Pass> wbar,
                  Out<Pass> xbar, Pass& pass, Write write) {
    using T = typename Pass::Scalar;
    const auto& to = transform<T>(trace.grid, outputs, pass);
    const auto scope = pass.scope();
    const auto mixed_bar = coefficients_bar(to, ybar.batch, trace, pass);
    to.project(ybar, mixed_bar, Weight::multiplicity, pass.scratch_arena());
    mix_vjp(w, trace, mixed_bar, wbar, xbar, pass, write);
  }

  // The pieces, for kernels that do more in one go.

  template <class T, class Pass>
  static const Transform<T, D>& transform(const Grid<D>& grid, Index channels, Pass& pass) {
    return pass.template cached<Transform<T, D>>(transform_key<D>(grid, channels, Modes));
  }
  /// û = F x, into the pass's own memory or the store of all samples. `trace` is this layer's, or one with
  /// the same members.
  template <class T, class TraceType, class Pass>
  static void coefficients(std::span<const T> w, const Transform<T, D>& f, const View<const T, D>& x,
                           TraceType& trace, Pass& pass) {
    trace.grid = x.grid;
    trace.visit = pass.visit();
    trace.coefficients = {};
    if (pass.collected && pass.collected->collects(w.data()))
      trace.coefficients = pass.collected->input(
          trace.visit, w.data(), {0, x.grid, f.modes(), inputs, outputs}, pass.first, x.batch);
    if (!trace.coefficients.data) {
      trace.visit = -1;
      trace.coefficients = spectrum(pass.keep_values(f.modes() * x.batch * 2 * inputs), f, x.batch, inputs);
    }
    f.project(x, trace.coefficients, Weight::analysis, pass.scratch_arena());
  }
  /// Where Ȳ goes: into memory of the enclosing `scope()`, or into the store of all samples.
  template <class T, class TraceType, class Pass>
  static Spectrum<T> coefficients_bar(const Transform<T, D>& f, Index batch, const TraceType& trace,
                                      Pass& pass) {
    if (trace.visit >= 0) return pass.collected->output_bar(trace.visit, pass.first, batch);
    return spectrum(pass.scratch_values(f.modes() * batch * 2 * outputs), f, batch, outputs);
  }
  /// Makes R̄ of Ȳ, unless that is left to the end, and x̄, if it is needed.
  template <class T, class TraceType, class Pass>
  static void mix_vjp(std::span<const T> w, const TraceType& trace, const Spectrum<T>& ybar,
                      std::span<T> wbar, const View<T, D>& xbar, Pass& pass, Write write) {
    const auto& from = transform<T>(trace.grid, inputs, pass);
    if (trace.visit < 0)
      mix_weights_adjoint(trace.coefficients, ybar, wbar, from.waves(), 0, from.modes(), Write::add, pass);
    if (!xbar) return;
    const auto scope = pass.scope();
    const auto u_bar =
        spectrum(pass.scratch_values(from.modes() * ybar.batch * 2 * inputs), from, ybar.batch, inputs);
    mix_adjoint(w, ybar, u_bar, from.waves(), pass);
    from.expand(u_bar, xbar, Weight::analysis, pass.scratch_arena(), write);
  }
  /// R̄ of the collected coefficients, over all visits and the samples of one node of the tree, for one share
  /// of the modes.
  template <class T, class Pass>
  static void collect(const SpectrumStore<T, D>& store, std::size_t offset, std::span<T> wbar,
                      const Shards& shards, const TreeNode& node, Index share, Index shares, Pass& pass) {
    constexpr Index all = mode_count<D>(Modes), size = 2 * inputs * outputs;
    const Index begin = all * share / shares, end = all * (share + 1) / shares;  // of the weights' modes
    const ShardRange range = shards.of(node);
    const auto scope = pass.scope();
    T* const room =
        pass.scratch_values(3 * std::min(samples_at_once, shards.group() * shards.largest()) * inputs);
    T* const partial = pass.scratch_values((TreeStack::most - 1) * size);  // sums over nodes, but the first
    for (Index m = begin; m < end; ++m) {
      const auto sum = [&](Index position) {
        return position == 0 ? wbar.data() + m * size : partial + (position - 1) * size;
      };
      TreeStack stack(shards.count());
      for (Index shard = range.begin; shard < range.end; shard += shards.group()) {
        T* const to = sum(stack.size());
        const Index first = shards.first_sample(shard);
        const Index count = shards.first_sample(std::min(shard + shards.group(), range.end)) - first;
        Write write = Write::set;
        for (const auto& visit : store.visits()) {
          if (visit.offset != offset || visit.modes == 0) continue;
          const Index k = transform<T>(visit.grid, inputs, pass).waves().mode_of_weight(m);
          if (k < 0) continue;  // a wave that this grid does not have
          const auto some = [&](T* data, Index channels) {
            return Spectrum<T>{data + (first - store.first()) * 2 * channels, visit.modes, count, channels,
                               store.samples()};
          };
          add_mode_product(to, some(visit.u, inputs), some(visit.ybar, outputs), k, write, room);
          write = Write::add;
        }
        if (write == Write::set) std::fill_n(to, size, T(0));
        stack.push({shard, shards.group()}, [&](Index left, Index right) {
          for_each_packet<T>(size, [a = sum(left), b = sum(right)](auto load, auto store) {
            store(a, packet::padd(load(a), load(b)));
          });
        });
      }
    }
  }
  /// Rᴴ of all modes, (mode, re|im, output, input), where `mix_adjoint` will look for it; one share of it.
  template <class T>
  static void prepare_adjoint(std::span<const T> w, std::span<T> to, Index share, Index shares) {
    const Index all = mode_count<D>(Modes);
    for (Index k = all * share / shares; k < all * (share + 1) / shares; ++k)
      adjoint_of(mode<const T>(w.data(), k), to.data() + k * 2 * inputs * outputs);
  }
  template <class T>
  static Spectrum<T> spectrum(T* data, const Transform<T, D>& f, Index batch, Index channels) {
    return {data, f.modes(), batch, channels};
  }
  /// ŷ_k = û_k R_k
  template <class T, class Pass>
  static void mix(std::span<const T> w, const Spectrum<T>& u, const Spectrum<T>& y,
                  const Wavenumbers<D>& waves, Pass& pass) {
    const auto scope = pass.scope();
    T* const room = pass.scratch_values(3 * u.batch * inputs);
    for (Index k = 0; k < u.modes; ++k)
      detail::complex_product<T>(parts(y, k), left(u, k, T(1), room, inputs, 1),
                                 mode<const T>(w.data(), waves.weight_index(k)), Write::set,
                                 2 * inputs * outputs);
  }
  /// R̄_k += û_kᴴ Ȳ_k, or = that, for the modes [begin, end).
  template <class T, class Pass>
  static void mix_weights_adjoint(const Spectrum<T>& u, const Spectrum<T>& ybar, std::span<T> wbar,
                                  const Wavenumbers<D>& waves, Index begin, Index end, Write write,
                                  Pass& pass) {
    const auto scope = pass.scope();
    T* const room = pass.scratch_values(3 * std::min(samples_at_once, u.batch) * inputs);
    for (Index k = begin; k < end; ++k)
      add_mode_product(wbar.data() + waves.weight_index(k) * 2 * inputs * outputs, u, ybar, k, write, room);
  }
  /// û-bar_k = Ȳ_k R_kᴴ
  template <class T, class Pass>
  static void mix_adjoint(std::span<const T> w, const Spectrum<T>& ybar, const Spectrum<T>& ubar,
                          const Wavenumbers<D>& waves, Pass& pass) {
    const auto scope = pass.scope();
    T* const room = pass.scratch_values(3 * ybar.batch * outputs);
    const T* const ready = pass.prepared ? pass.prepared->find(w.data()) : nullptr;
    T* const made = ready ? nullptr : pass.scratch_values(2 * inputs * outputs);
    for (Index k = 0; k < ybar.modes; ++k) {
      const T* adjoint = made;  // Rᴴ: (re|im, output, input)
      const Index index = waves.weight_index(k);
      if (made)
        adjoint_of(mode<const T>(w.data(), index), made);
      else
        adjoint = ready + index * 2 * inputs * outputs;
      detail::complex_product<T>(
          parts(ubar, k), left(ybar, k, T(1), room, outputs, 1),
          {{adjoint, outputs, inputs, inputs}, {adjoint + inputs * outputs, outputs, inputs, inputs}},
          Write::set, made ? 0 : 2 * inputs * outputs);
    }
  }

 private:
  static constexpr Index samples_at_once = 64;  // what the product of a mode reads stays in cache

  /// R̄_k += û_kᴴ Ȳ_k, or = that, for one mode; `to` is the mode's (re|im, input, output), `room` has three
  /// numbers for every sample at once and input.
  template <class T>
  static void add_mode_product(T* to, const Spectrum<T>& u, const Spectrum<T>& ybar, Index k, Write write,
                               T* room) {
    for (Index b = 0; b < u.batch; b += samples_at_once) {
      const Index n = std::min(samples_at_once, u.batch - b);
      detail::complex_product<T>(mode<T>(to, 0), left(some(u, b, n), k, T(-1), room, 1, inputs),
                                 parts<const T>(some(ybar, b, n), k), b == 0 ? write : Write::add);
    }
  }
  /// Samples [first, first + count) of a spectrum.
  template <class T> static Spectrum<T> some(const Spectrum<T>& z, Index first, Index count) {
    return {z.data + first * 2 * z.channels, z.modes, count, z.channels, z.stored};
  }
  template <class T> static void adjoint_of(const ComplexMatrix<const T>& r, T* to) {
    packet::transpose<T>(r.real.data, outputs, to, inputs, inputs, outputs);
    packet::transpose<T>(r.imaginary.data, outputs, to + inputs * outputs, inputs, inputs, outputs, T(-1));
  }
  /// The coefficients of mode k as left factor, (a, ±b, a ± b) each as (sample, channel).
  template <class T>
  static detail::ComplexLeft<T> left(const Spectrum<T>& z, Index k, T sign, T* room, Index row, Index step) {
    const Index n = z.batch * z.channels;
    using namespace packet;
    const Packet<T> s = everywhere(sign);
    for (Index b = 0; b < z.batch; ++b) {
      const T* const from = z.at(k, b);
      T* const to = room + b * z.channels;
      for_each_packet<T>(z.channels, [&](auto load, auto store) {
        const Packet<T> re = load(from), im = pmul(s, load(from + z.channels));
        store(to, re);
        store(to + n, im);
        store(to + 2 * n, padd(re, im));
      });
    }
    return {room, room + n, room + 2 * n, row, step};
  }
  template <class U, class T> static ComplexMatrix<U> parts(const Spectrum<T>& z, Index k) {
    return {z.real(k), z.imaginary(k)};
  }
  template <class T> static ComplexMatrix<T> parts(const Spectrum<T>& z, Index k) {
    return parts<T, T>(z, k);
  }
  /// The real and the imaginary part of one mode's matrix.
  template <class T> static ComplexMatrix<T> mode(T* w, Index k) {
    T* const matrix = w + k * 2 * inputs * outputs;
    return {{matrix, inputs, outputs, outputs}, {matrix + inputs * outputs, inputs, outputs, outputs}};
  }
};

}  // namespace mno
