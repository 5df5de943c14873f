#pragma once
// What the blocks of one training step share: the weights made ready once, the coefficients of all samples,
// and which parameters have a sum in every lane.
#include "mno/expression/leaves.hpp"
#include "mno/model/predict.hpp"
#include "mno/spectral/spectrum_store.hpp"

namespace mno::detail {

/// A layer whose weight cotangent is made at the end, of what was collected.
template <class L, class T>
concept Collects = requires(std::size_t offset) {
  L::template to_collect<T>(offset);
};

/// Kept by the device from one step to the next.
template <class T> struct StepMemory {
  SpectrumStore<T> spectra;
  Chunk ready;                                     // matrices transposed, in the layout of the parameters
  std::vector<Cpu::Range> summed;                  // parameters that are not collected
  std::size_t most_bytes = std::size_t{32} << 20;  // of coefficients at a time, but some for every lane
};

template <class E, class T> class Step {
 public:
  Step(std::span<const T> weights, Index batch, Index samples_per_block, Cpu& device)
      : memory_(device.own<StepMemory<T>>()), weights_(weights), device_(device) {
    memory_.spectra.forget();
    memory_.summed.clear();
    std::size_t at = 0;
    for_each_owner<E>(Unnamed{}, 0, [&]<class L>(Unnamed, std::size_t offset) {
      if constexpr (Collects<L, T>) {
        memory_.spectra.add(L::template to_collect<T>(offset));
        if (offset > at) memory_.summed.push_back({at, offset});
        at = offset + L::parameters;
      }
    });
    if (at < E::parameters) memory_.summed.push_back({at, E::parameters});
    round_ = batch;
    if (!memory_.spectra.empty()) {
      const Index least = samples_per_block * Cpu::most_lanes;
      const Index fit = Index(memory_.most_bytes / (memory_.spectra.numbers_per_sample() * sizeof(T)));
      round_ = std::max<Index>(1, fit / least) * least;
    }
    if (batch > samples_per_block) make_ready();
  }

  /// Samples whose coefficients are kept at a time.
  Index round() const { return round_; }
  SpectrumStore<T>* spectra() const { return memory_.spectra.empty() ? nullptr : &memory_.spectra; }
  const T* ready() const { return ready_; }
  std::span<const Cpu::Range> summed() const { return memory_.summed; }

  /// R̄ of a round, for all layers that leave it to the end.
  template <int D> void collect(std::span<T> gradient, const Grid<D>& grid, Write write) const {
    if (memory_.spectra.empty()) return;
    device_.for_each_lane(Cpu::most_lanes, [&](Index share, Workspace& workspace) {
      workspace.scratch.release();
      Pass<T, D> pass(workspace);
      for_each_owner<E>(Unnamed{}, 0, [&]<class L>(Unnamed, std::size_t offset) {
        if constexpr (Collects<L, T>)
          L::collect(memory_.spectra, offset, gradient.subspan(offset, L::parameters), grid, share,
                     Cpu::most_lanes, write, pass);
      });
    });
  }

 private:
  void make_ready() {
    const std::size_t bytes = E::parameters * sizeof(T);
    if (memory_.ready.size() < bytes) memory_.ready = Chunk(bytes);
    const std::span<T> ready(reinterpret_cast<T*>(memory_.ready.data()), E::parameters);
    ready_ = ready.data();
    device_.for_each_lane(Cpu::most_lanes, [&](Index share, Workspace&) {
      for_each_owner<E>(Unnamed{}, 0, [&]<class L>(Unnamed, std::size_t offset) {
        const auto w = weights_.subspan(offset, L::parameters);
        const auto to = ready.subspan(offset, L::parameters);
        if constexpr (requires { L::template prepare_adjoint<T>(w, to, share, share); })
          L::template prepare_adjoint<T>(w, to, share, Cpu::most_lanes);
        else if constexpr (requires { L::template prepare<T>(w, to); })
          if (share == 0) L::template prepare<T>(w, to);
      });
    });
  }

  StepMemory<T>& memory_;
  std::span<const T> weights_;
  Cpu& device_;
  const T* ready_ = nullptr;
  Index round_ = 0;
};

}  // namespace mno::detail
