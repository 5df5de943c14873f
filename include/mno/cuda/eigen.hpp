#pragma once
// Eigen's GpuDevice on the stream of a Cuda: elementwise Tensor expressions run in order with all else there.
//
//   y.device(eigen(device)) = 0.5f * x + x.square();     // TensorMaps of device memory
//
// Elementwise expressions only: Eigen's contractions take long to compile for a GPU or fail, and its fft() on
// a GpuDevice would loop on the host over the device's memory. Products are device.multiply, transforms are
// device.transform.
//
// With EIGEN_USE_GPU, nvcc compiles Eigen's host code with other vectors than other compilers do. So include
// this only in a source file without models: mno/cuda.hpp does not include it.
#ifndef EIGEN_USE_GPU
#error "mno: define EIGEN_USE_GPU before anything of Eigen is included"
#endif
#include <unsupported/Eigen/CXX11/Tensor>

#include "mno/cuda/device.hpp"

namespace mno::cuda {

/// What GpuDevice asks for. Expressions that need memory of their own get it from CUDA.
class EigenStream : public Eigen::StreamInterface {
 public:
  explicit EigenStream(Cuda& device) : device_(device), stream_(device.stream()) {}

  const cudaStream_t& stream() const override { return stream_; }
  const cudaDeviceProp& deviceProperties() const override { return device_.properties(); }
  void* allocate(std::size_t bytes) const override {
    void* memory = nullptr;
    device_.check(cudaMalloc(&memory, bytes), "cudaMalloc", readable(bytes));
    return memory;
  }
  void deallocate(void* memory) const override { cudaFree(memory); }
  void* scratchpad() const override {
    throw CudaError("mno::Cuda: only elementwise Tensor expressions run here.");
  }
  unsigned int* semaphore() const override {
    throw CudaError("mno::Cuda: only elementwise Tensor expressions run here.");
  }

 private:
  Cuda& device_;
  cudaStream_t stream_;
};

/// An EigenStream and the GpuDevice on it.
class EigenDevice {
 public:
  explicit EigenDevice(Cuda& device) : stream_(device), gpu_(&stream_) {}
  EigenDevice(const EigenDevice&) = delete;
  EigenDevice& operator=(const EigenDevice&) = delete;
  const Eigen::GpuDevice& gpu() const { return gpu_; }

 private:
  EigenStream stream_;
  Eigen::GpuDevice gpu_;
};

/// n values of the device's memory as a tensor.
template <class T>
Eigen::TensorMap<Eigen::Tensor<T, 1, Eigen::RowMajor, Eigen::Index>> tensor(T* data, Index n) {
  return {data, n};
}

}  // namespace mno::cuda
