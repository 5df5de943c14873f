#pragma once
// Eigen's GpuDevice without NVIDIA's compiler: Eigen declares how an expression is run on it, and leaves the
// definition to nvcc. Here it is a launch of the stand-in, one coefficient per index.
//
// Include this before any other header of Eigen: it sets EIGEN_USE_GPU.
#ifndef EIGEN_USE_GPU
#define EIGEN_USE_GPU
#endif
#include <unsupported/Eigen/CXX11/Tensor>

#include "mno/cuda/launch.hpp"
#include "standin.hpp"

#ifndef EIGEN_GPUCC
namespace Eigen::internal {

template <class Evaluator> struct StandinCoefficients {
  // Its bytes are copied into the launch, as nvcc copies the arguments of a kernel: it may own nothing.
  static_assert(std::is_trivially_destructible_v<Evaluator>, "An expression on the device may own nothing.");
  mutable Evaluator evaluator;  // evalScalar is not const, though it changes nothing but the result
  void operator()(mno::Index i) const { evaluator.evalScalar(i); }
};

template <typename Expression, bool Vectorizable, TiledEvaluation Tiling>
void TensorExecutor<Expression, GpuDevice, Vectorizable, Tiling>::run(const Expression& expression,
                                                                      const GpuDevice& device) {
  using Evaluator = TensorEvaluator<Expression, GpuDevice>;
  Evaluator evaluator(expression, device);
  if (evaluator.evalSubExprsIfNeeded(nullptr)) {
    const auto error = mno::cuda::launch(mno::Index(array_prod(evaluator.dimensions())),
                                         StandinCoefficients<Evaluator>{evaluator}, device.stream());
    // Eigen's own launch returns nothing: who wants to know asks cudaGetLastError.
    if (error != cudaSuccess) standin::leave_error(error);
  }
  evaluator.cleanup();
}

}  // namespace Eigen::internal
#endif
