// An elementwise expression of Eigen's Tensor module on the stream of a Cuda.
#define EIGEN_USE_GPU
#include "mno/cuda/eigen.hpp"

#include <doctest/doctest.h>

TEST_CASE("an elementwise expression runs on the GpuDevice") {
  mno::Cuda device;
  const mno::cuda::EigenDevice eigen(device);
  const std::vector<float> x{-1, 0, 0.5f, 2};
  std::vector<float> y(4);
  device.run(1, [&](mno::Index) {
    float *const a = device.arena().keep<float>(4), *const b = device.arena().keep<float>(4);
    device.upload(x.data(), a, 4);
    if (!device.measuring()) {
      auto to = mno::cuda::tensor(b, 4);
      const auto from = mno::cuda::tensor(a, 4);
      to.device(eigen.gpu()) = from * 2.0f + from.exp();
    }
    device.download(b, y.data(), 4);
  });
  device.wait();
  for (std::size_t i = 0; i < 4; ++i) CHECK(y[i] == doctest::Approx(2 * x[i] + std::exp(x[i])));
}
