#pragma once
// What a model needs of a GPU: a version of every layer, and passes of the whole batch at once. Everything
// here is queued, nothing waits.
#include "mno/cuda/fourier.hpp"
#include "mno/cuda/leaves.hpp"
#include "mno/cuda/nodes.hpp"
#include "mno/cuda/perceptron.hpp"
#include "mno/expression/pull_back.hpp"

namespace mno::detail {

template <class T, int D, class Body> void for_each_pass(Cuda& device, Index batch, Index, Body&& body) {
  Pass<T, D, Cuda> pass(device);
  body(pass, 0, batch);
}

template <class T> class BatchMemory<T, Cuda> {
 public:
  explicit BatchMemory(Cuda& device) : arena_(device.arena()) {}
  T* take(Index n) const { return arena_.template keep<T>(std::size_t(n)); }

 private:
  cuda::DeviceArena& arena_;
};

/// Forward, loss and back of all samples. Weights and gradient are in the device's memory.
template <class E, class T, int D, class Work>
double pull_back(std::span<const T> weights, Work& work, std::span<T> gradient, const BlockSizes&,
                 Cuda& device) {
  using PassType = Pass<T, D, Cuda>;
  PassType pass(device);
  device.fill(gradient.data(), Index(gradient.size()), T(0));
  work.condition(pass, 0, work.batch());
  const View<const T, D> x = work.input(pass, 0, work.batch());
  const View<T, D> y = pass.keep_uninitialised(x.batch, output_grid<E>(x.grid), E::outputs);
  TraceOf<E, PassType> trace;
  forward_of<E, PassType>(weights, x, y, trace, pass, Write::set);
  const View<T, D> ybar = pass.keep(y, E::outputs);
  const double value = work.loss(pass, 0, y, ybar);
  const View<T, D> xbar = work.wants_input_bar() ? pass.keep_uninitialised(x, E::inputs) : View<T, D>{};
  vjp_of<E, PassType>(weights, ybar, trace, gradient, xbar, pass, Write::set);
  if (xbar) work.take_input_bar(pass, 0, xbar);
  return value;
}

}  // namespace mno::detail
