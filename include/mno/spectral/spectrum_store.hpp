#pragma once
// The coefficients of all samples of a batch, kept until the cotangents of mixing weights are made of them.
//
// A spectral convolution has a matrix R_k for every mode, in all as many numbers as thousands of points have
// values. Adding to their cotangent block by block reads and writes all of them for a few samples' worth of
// arithmetic. So forward leaves û and vjp leaves Ȳ of every sample here, and at the end
//
//     R̄_k = Σ_visits Σ_samples û_kᴴ Ȳ_k
//
// is one product per mode and visit, which threads can share without sums of their own.
//
// A layer may be visited several times in a pass, on several grids (a tied layer, a solver's step): every
// visit has a place of its own. Which visits there are is learned from one pass that only notes them.
#include <algorithm>
#include <span>
#include <vector>

#include "mno/core/error.hpp"
#include "mno/spectral/transform.hpp"

namespace mno {

template <class T, int D> class SpectrumStore {
 public:
  /// One visit of a convolution in a pass, and its coefficients on both sides.
  struct Visit {
    std::size_t offset = 0;  // where the weights begin in the model
    Grid<D> grid{};
    Index modes = 0, inputs = 0, outputs = 0;
    T *u = nullptr, *ybar = nullptr;  // (mode, sample, re|im, channel)
    bool operator==(const Visit& other) const {
      return offset == other.offset && grid == other.grid && modes == other.modes && inputs == other.inputs &&
             outputs == other.outputs;
    }
  };

  /// From now on, visits of the layers whose weights begin at these offsets (ascending) are noted.
  void learn(std::span<const T> weights, std::span<const std::size_t> offsets) {
    weights_ = weights;
    offsets_.assign(offsets.begin(), offsets.end());
    visits_.clear();
    learning_ = true;
  }
  /// From now on, `visits` are what a pass has: as they were noted.
  void use(std::span<const T> weights, std::span<const std::size_t> offsets, std::span<const Visit> visits) {
    weights_ = weights;
    offsets_.assign(offsets.begin(), offsets.end());
    visits_.assign(visits.begin(), visits.end());
    learning_ = false;
  }
  std::span<const Visit> visits() const { return visits_; }

  /// Numbers that a sample needs.
  std::size_t numbers_per_sample() const {
    std::size_t n = 0;
    for (const Visit& v : visits_) n += std::size_t(2 * v.modes * (v.inputs + v.outputs));
    return n;
  }
  /// Room for that many samples, the first of which is the batch's `first`.
  void begin(Index first, Index samples) {
    first_ = first;
    samples_ = samples;
    const std::size_t bytes = numbers_per_sample() * std::size_t(samples) * sizeof(T);
    if (memory_.size() < bytes) memory_ = detail::Chunk(bytes);
    T* at = reinterpret_cast<T*>(memory_.data());
    for (Visit& v : visits_) {
      v.u = at;
      v.ybar = v.u + 2 * v.modes * samples * v.inputs;
      at = v.ybar + 2 * v.modes * samples * v.outputs;
    }
  }
  Index first() const { return first_; }
  Index samples() const { return samples_; }

  /// Is R̄ of the layer with these weights made here?
  bool collects(const T* w) const {
    if (std::less<>{}(w, weights_.data()) || !std::less<>{}(w, weights_.data() + weights_.size()))
      return false;
    return std::binary_search(offsets_.begin(), offsets_.end(), std::size_t(w - weights_.data()));
  }
  /// û of samples [first, first + batch) at the pass's visit of that number. Empty while visits are noted.
  Spectrum<T> input(Index number, const T* w, Visit visit, Index first, Index batch) {
    visit.offset = std::size_t(w - weights_.data());
    if (learning_) {
      visits_.resize(std::size_t(number) + 1);  // visits in between collect nothing
      visits_.back() = visit;
      return {};
    }
    if (std::size_t(number) >= visits_.size() || !(visits_[std::size_t(number)] == visit))
      throw Error(
          "mno: a layer was visited in another order, or on another grid, than in the first block of "
          "samples; "
          "the layers of an expression are visited alike for all samples.");
    const Visit& v = visits_[std::size_t(number)];
    return {v.u + (first - first_) * 2 * v.inputs, v.modes, batch, v.inputs, samples_};
  }
  /// Ȳ of the same.
  Spectrum<T> output_bar(Index number, Index first, Index batch) const {
    const Visit& v = visits_[std::size_t(number)];
    return {v.ybar + (first - first_) * 2 * v.outputs, v.modes, batch, v.outputs, samples_};
  }

  std::size_t memory() const { return memory_.size(); }

 private:
  std::span<const T> weights_;
  std::vector<std::size_t> offsets_;
  std::vector<Visit> visits_;
  bool learning_ = false;
  detail::Chunk memory_;
  Index first_ = 0, samples_ = 0;
};

}  // namespace mno
