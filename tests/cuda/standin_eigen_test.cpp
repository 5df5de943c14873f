// Eigen's GpuDevice on the stand-in.
#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include "eigen_gpu.hpp"
#include "support.hpp"

using namespace standin::test;

namespace {
/// What Eigen's GpuDevice needs of a stream.
class OwnStream final : public Eigen::StreamInterface {
 public:
  explicit OwnStream(cudaStream_t stream) : stream_(stream) { cudaGetDeviceProperties(&properties_, 0); }
  const cudaStream_t& stream() const override { return stream_; }
  const cudaDeviceProp& deviceProperties() const override { return properties_; }
  void* allocate(std::size_t bytes) const override {
    void* address = nullptr;
    cudaMalloc(&address, bytes);
    return address;
  }
  void deallocate(void* address) const override { cudaFree(address); }
  void* scratchpad() const override { return nullptr; }
  unsigned* semaphore() const override { return nullptr; }

 private:
  cudaStream_t stream_;
  cudaDeviceProp properties_;
};
}  // namespace

TEST_CASE_FIXTURE(Clean, "an Eigen expression runs on the stream of its device, one coefficient per index") {
  standin::settings().thread_order = 6;
  const Stream stream;
  const OwnStream own(stream);
  const Eigen::GpuDevice gpu(&own);
  const std::vector<float> values = noise<float>(1000, 8);
  const Array<float> from(values), to(values.size());
  const Eigen::TensorMap<Eigen::Tensor<const float, 2, Eigen::RowMajor>> x(from.data(), 50, 20);
  Eigen::TensorMap<Eigen::Tensor<float, 2, Eigen::RowMajor>> y(to.data(), 50, 20);
  y.device(gpu) = x * 2.f + x.exp();
  CHECK(standin::queued() == 1);
  CHECK(all_nan(to.values()));
  cudaStreamSynchronize(stream);
  const auto result = to.values();
  for (std::size_t i = 0; i < values.size(); ++i)
    CHECK(result[i] == doctest::Approx(values[i] * 2 + std::exp(values[i])).epsilon(1e-6));

  y.device(gpu) = x;  // Eigen makes this a copy
  cudaStreamSynchronize(stream);
  CHECK(to.values() == values);
  standin::fail_call(1);
  y.device(gpu) = x + 1.f;
  CHECK(cudaGetLastError() == cudaErrorLaunchOutOfResources);
}
