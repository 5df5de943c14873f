#pragma once
// What the optimiser does to every number on the GPU: AdamW and the average of weights, the squares of a
// norm, and the scaling of a gradient that is clipped.
#include "mno/cuda/launch.hpp"
#include "mno/train/adamw.hpp"

namespace mno::cuda {

/// A step of one weight and of its moving average, in one launch: it happens as a whole or not at all.
template <class T> struct AdamWNumber {
  AdamWStep<T> step;
  T *weights, *first, *second;
  const T* gradient;
  T* average;  // or null
  T rate;      // the share of the new weight in it
  MNO_HOST_DEVICE void operator()(Index i) const {
    step(weights[i], first[i], second[i], gradient[i]);
    if (average) average[i] = rate == T(1) ? weights[i] : average[i] + rate * (weights[i] - average[i]);
  }
};
/// g² of a chunk's numbers; the last chunk may be shorter.
template <class T> struct SquareOf {
  const T* values;
  Index n, chunk;
  MNO_HOST_DEVICE double operator()(Index segment, Index i) const {
    const Index at = segment * chunk + i;
    return at < n ? double(values[at]) * double(values[at]) : 0.0;
  }
};
template <class T> struct ScaleBy {
  T* values;
  T factor;
  MNO_HOST_DEVICE void operator()(Index i) const { values[i] *= factor; }
};

}  // namespace mno::cuda
