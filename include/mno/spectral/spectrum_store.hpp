#pragma once
// The coefficients of all samples of a batch, kept until the cotangents of mixing weights are made of them.
//
// A spectral convolution has a matrix R_k for every mode, in all as many numbers as thousands of points have
// values. Adding to their cotangent block by block reads and writes all of them for a few samples' worth of
// arithmetic. So forward leaves û and vjp leaves Ȳ of every sample here, and at the end
//
//     R̄_k = Σ_samples û_kᴴ Ȳ_k
//
// is one product per mode, which threads can share without sums of their own.
#include <vector>

#include "mno/core/error.hpp"
#include "mno/spectral/transform.hpp"

namespace mno {

template <class T> class SpectrumStore {
 public:
  /// Where the weights of a convolution begin in the model, and its coefficients on both sides.
  struct Layer {
    std::size_t offset = 0, parameters = 0;
    Index modes = 0, inputs = 0, outputs = 0;  // modes: at most
    T *u = nullptr, *ybar = nullptr;           // (mode, sample, re|im, channel)
  };

  void forget() { layers_.clear(); }
  void add(const Layer& layer) { layers_.push_back(layer); }
  const std::vector<Layer>& layers() const { return layers_; }
  bool empty() const { return layers_.empty(); }

  /// Numbers that a sample needs.
  std::size_t numbers_per_sample() const {
    std::size_t n = 0;
    for (const Layer& l : layers_) n += std::size_t(2 * l.modes * (l.inputs + l.outputs));
    return n;
  }
  /// Room for that many samples, the first of which is the batch's `first`.
  void begin(Index first, Index samples) {
    first_ = first;
    samples_ = samples;
    const std::size_t bytes = numbers_per_sample() * std::size_t(samples) * sizeof(T);
    if (memory_.size() < bytes) memory_ = Chunk(bytes);
    T* at = reinterpret_cast<T*>(memory_.data());
    for (Layer& l : layers_) {
      l.u = at;
      l.ybar = l.u + 2 * l.modes * samples * l.inputs;
      at = l.ybar + 2 * l.modes * samples * l.outputs;
    }
  }
  Index samples() const { return samples_; }

  const Layer& layer(std::size_t offset) const {
    for (const Layer& l : layers_)
      if (l.offset == offset) return l;
    throw Error("mno::SpectrumStore: no layer has its weights there.");
  }
  /// û or Ȳ of samples [first, first + batch) of the whole batch.
  Spectrum<T> input(const Layer& l, Index modes, Index first, Index batch) const {
    return {l.u + (first - first_) * 2 * l.inputs, modes, batch, l.inputs, samples_};
  }
  Spectrum<T> output_bar(const Layer& l, Index modes, Index first, Index batch) const {
    return {l.ybar + (first - first_) * 2 * l.outputs, modes, batch, l.outputs, samples_};
  }

  std::size_t memory() const { return memory_.size(); }

 private:
  std::vector<Layer> layers_;
  Chunk memory_;
  Index first_ = 0, samples_ = 0;
};

}  // namespace mno
