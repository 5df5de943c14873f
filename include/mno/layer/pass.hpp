#pragma once
// One pass of a block of samples through an expression: the memory it runs in, and what it is conditioned on.
#include <algorithm>
#include <span>

#include "mno/core/layer.hpp"
#include "mno/device/cpu.hpp"
#include "mno/device/product.hpp"
#include "mno/spectral/resample.hpp"
#include "mno/spectral/spectrum_store.hpp"

namespace mno {

/// A model's matrices transposed once for many passes, in the layout of its parameters (for vjp the mixing
/// weights too, as Rᴴ). It holds only what the layers at these offsets need.
template <class T> struct PreparedWeights {
  std::span<const T> weights;
  const T* values = nullptr;
  std::span<const std::size_t> offsets;  // ascending

  /// What was prepared of the weights that begin at w, or null.
  const T* find(const T* w) const {
    if (std::less<>{}(w, weights.data()) || !std::less<>{}(w, weights.data() + weights.size()))
      return nullptr;
    const auto offset = std::size_t(w - weights.data());
    return std::binary_search(offsets.begin(), offsets.end(), offset) ? values + offset : nullptr;
  }
};

/// Where a visit of a sample draws its noise from.
MNO_HOST_DEVICE inline Stream noise_stream(std::uint64_t seed, Index sample, Index visit) {
  return Stream(seed, std::uint64_t(sample), std::uint32_t(visit));
}

/// Numbers for the next visits. Noise has a count of its own: a device may number other layers too, and still
/// draws the same noise as every other device.
struct VisitCounts {
  Index layers = 0, noise = 0;
};

/// What a pass knows, the same on every device.
template <class T, int D> struct PassState {
  using Scalar = T;
  static constexpr int dimension = D;

  /// Does vjp follow? If not, traces may stay empty.
  bool recording = true;
  /// Weights made ready, or null: a GPU needs none.
  const PreparedWeights<T>* prepared = nullptr;

  /// What the law is conditioned on: gates read the times, separable heads read u_0.
  Index first = 0;             // which sample of the batch the pass begins with
  View<const T, D> initial{};  // (sample, grid…, channel)
  std::span<const T> times{};  // (sample)
  View<T, D> initial_bar{};    // where parts other than the lift add their share of ū_0, if asked for
  std::span<T> times_bar{};    // likewise for t̄

  /// Noise is an input like any other: a function of (seed, sample, visit), whatever block or thread asks.
  std::uint64_t noise_seed = 0;
  Stream noise(Index visit, Index sample) const { return noise_stream(noise_seed, first + sample, visit); }

  /// A number for this visit of a layer, or of one that draws noise: 0, 1, 2, … in the order of forward, the
  /// same for every block.
  VisitCounts visits{};
  Index visit() { return visits.layers++; }
  Index noise_visit() { return visits.noise++; }
};

/// The memory of a pass and what it does to whole fields: every device has its own.
template <class T, int D, class Device> class DevicePass;

template <class T, int D> class DevicePass<T, D, Cpu> : public PassState<T, D> {
 public:
  explicit DevicePass(Workspace& workspace) : workspace_(workspace) {}

  /// Wᵀ of a (rows, columns) matrix among the weights; without preparation it is made, and is valid inside
  /// the enclosing `scope()`.
  const T* transposed(const T* w, Index rows, Index columns) {
    if (const T* const ready = this->prepared ? this->prepared->find(w) : nullptr) return ready;
    T* const to = scratch_values(rows * columns);
    packet::transpose(w, columns, to, rows, rows, columns);
    return to;
  }

  /// Where coefficients go if R̄ is made at the end.
  SpectrumStore<T, D>* collected = nullptr;

  T* keep_values(Index n) { return workspace_.trace.template take<T>(std::size_t(n)); }
  T* scratch_values(Index n) { return workspace_.scratch.template take<T>(std::size_t(n)); }
  ArenaScope scope() { return ArenaScope(workspace_.scratch); }
  Arena& scratch_arena() { return workspace_.scratch; }
  Workspace& workspace() { return workspace_; }

  /// f(row, channel) for every number of a field like y; no two of them may write the same number.
  template <class F> static void for_each(const View<const T, D>& y, const F& f) {
    for (Index r = 0; r < y.rows(); ++r)
      for (Index c = 0; c < y.channels; ++c) f(r, c);
  }
  /// sums[sample] += Σ_x y(sample, x), of a field with one channel.
  static void add_sample_sums(const View<const T, D>& y, T* sums) {
    for (Index r = 0; r < y.rows(); ++r) sums[r / y.points()] += y.row(r)[0];
  }
  /// to = the periodic function `from` on to's grid, or to += that; and the adjoint.
  void resample(const View<const T, D>& from, const View<T, D>& to, Write write) {
    detail::resampling<T>(from.grid, to.grid, from.channels, workspace_.cache)
        .apply(from, to, write, workspace_.scratch);
  }
  void resample_adjoint(const View<const T, D>& to_bar, const View<T, D>& from_bar, Write write) {
    detail::resampling<T>(from_bar.grid, to_bar.grid, from_bar.channels, workspace_.cache)
        .adjoint(to_bar, from_bar, write, workspace_.scratch);
  }

  static void clear(const View<T, D>& y) {
    if (y.pitch == y.channels)
      std::fill_n(y.data, y.rows() * y.channels, T(0));
    else
      for (Index r = 0; r < y.rows(); ++r) std::fill_n(y.row(r), y.channels, T(0));
  }

  /// y = c x, or y += c x.
  static void transfer(const View<const T, D>& x, const View<T, D>& y, Write write, double c = 1) {
    for (Index r = 0; r < y.rows(); ++r)
      for_each_packet<T>(y.channels, [&](auto load, auto store) {
        const Packet<T> scaled = packet::pmul(packet::everywhere(T(c)), load(x.row(r)));
        store(y.row(r), write == Write::add ? Packet<T>(packet::padd(load(y.row(r)), scaled)) : scaled);
      });
  }
  /// y = a b, or y += a b, number by number.
  static void multiply(const View<const T, D>& a, const View<const T, D>& b, const View<T, D>& y,
                       Write write) {
    for (Index r = 0; r < y.rows(); ++r)
      for_each_packet<T>(y.channels, [&](auto load, auto store) {
        const Packet<T> product = packet::pmul(load(a.row(r)), load(b.row(r)));
        store(y.row(r), write == Write::add ? Packet<T>(packet::padd(load(y.row(r)), product)) : product);
      });
  }

  /// A table or plan made once: pass.cached<Transform<T, D>>(key).
  template <class P, class Key> const P& cached(const Key& key) {
    return workspace_.cache.template get<P>(key);
  }

 private:
  Workspace& workspace_;
};

template <class T, int D, class Device = Cpu> class Pass : public DevicePass<T, D, Device> {
 public:
  using DevicePass<T, D, Device>::DevicePass;

  /// A field with uninitialised numbers, kept until the pass is over: for what a trace points to.
  View<T, D> keep_uninitialised(Index batch, const Grid<D>& grid, Index channels) {
    return {this->keep_values(batch * grid.size() * channels), batch, grid, channels, channels};
  }
  View<T, D> keep_uninitialised(const View<const T, D>& like, Index channels) {
    return keep_uninitialised(like.batch, like.grid, channels);
  }
  /// The same, valid inside the enclosing `scope()`.
  View<T, D> scratch_uninitialised(Index batch, const Grid<D>& grid, Index channels) {
    return {this->scratch_values(batch * grid.size() * channels), batch, grid, channels, channels};
  }
  View<T, D> scratch_uninitialised(const View<const T, D>& like, Index channels) {
    return scratch_uninitialised(like.batch, like.grid, channels);
  }
  /// A zeroed field like x with other channels.
  View<T, D> keep(const View<const T, D>& like, Index channels) {
    const View<T, D> field = keep_uninitialised(like, channels);
    this->clear(field);
    return field;
  }
};

/// All points of all samples as a matrix (sample·point, channel).
template <class T, int D> MatrixView<T> as_matrix(const View<T, D>& v) {
  return {v.data, v.rows(), v.channels, v.pitch};
}

}  // namespace mno
