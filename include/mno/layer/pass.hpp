#pragma once
// One pass of a block of samples through an expression: the memory it runs in, and what it is conditioned on.
#include <algorithm>
#include <span>

#include "mno/core/layer.hpp"
#include "mno/device/cpu.hpp"
#include "mno/device/product.hpp"
#include "mno/spectral/spectrum_store.hpp"

namespace mno {

template <class T, int D, class Device = Cpu> class Pass {
 public:
  using Scalar = T;
  static constexpr int dimension = D;

  explicit Pass(typename Device::Workspace& workspace) : workspace_(workspace) {}

  /// Does vjp follow? If not, traces may stay empty.
  bool recording = true;

  /// A model's weights, and a buffer of the same layout with its matrices transposed, if it was prepared (for
  /// vjp the mixing weights too, as Rᴴ).
  const T *weights = nullptr, *prepared = nullptr;
  /// Wᵀ of a (rows, columns) matrix among the weights; without preparation it is made, and is valid inside
  /// the enclosing `scope()`.
  const T* transposed(const T* w, Index rows, Index columns) {
    if (prepared) return prepared + (w - weights);
    T* const to = scratch_values(rows * columns);
    transpose(w, columns, to, rows, rows, columns);
    return to;
  }

  /// Where coefficients go if R̄ is made at the end, and which sample of the batch the pass begins with.
  SpectrumStore<T>* collected = nullptr;
  Index first = 0;

  /// What the law is conditioned on: gates read the times, separable heads read u_0.
  View<const T, D> initial{};  // (sample, grid…, channel)
  std::span<const T> times{};  // (sample)
  View<T, D> initial_bar{};    // where parts other than the lift add their share of ū_0, if asked for
  std::span<T> times_bar{};    // likewise for t̄

  /// A zeroed field like x with other channels, kept until the pass is over: for what a trace points to.
  View<T, D> keep(const View<const T, D>& like, Index channels) {
    return zeroed(workspace_.trace, like, channels);
  }
  /// The same, valid inside the enclosing `scope()`.
  View<T, D> scratch(const View<const T, D>& like, Index channels) {
    return zeroed(workspace_.scratch, like, channels);
  }
  /// As keep and scratch, for those who write every number before they read it.
  View<T, D> keep_uninitialised(const View<const T, D>& like, Index channels) {
    return {keep_values(like.rows() * channels), like.batch, like.grid, channels, channels};
  }
  View<T, D> scratch_uninitialised(const View<const T, D>& like, Index channels) {
    return {scratch_values(like.rows() * channels), like.batch, like.grid, channels, channels};
  }
  T* keep_values(Index n) { return workspace_.trace.template take<T>(std::size_t(n)); }
  T* scratch_values(Index n) { return workspace_.scratch.template take<T>(std::size_t(n)); }
  ArenaScope scope() { return ArenaScope(workspace_.scratch); }
  Arena& scratch_arena() { return workspace_.scratch; }

  /// A table or plan made once: pass.cached<Transform<T, D>>(key).
  template <class P, class Key> const P& cached(const Key& key) {
    return workspace_.cache.template get<P>(key);
  }

 private:
  static View<T, D> zeroed(Arena& arena, const View<const T, D>& like, Index channels) {
    const std::size_t n = std::size_t(like.rows() * channels);
    T* const data = arena.template take<T>(n);
    std::fill_n(data, n, T(0));
    return {data, like.batch, like.grid, channels, channels};
  }

  typename Device::Workspace& workspace_;
};

/// All points of all samples as a matrix (sample·point, channel).
template <class T, int D> Matrix<T> matrix(const View<T, D>& v) {
  return {v.data, v.rows(), v.channels, v.pitch};
}

}  // namespace mno
