#pragma once
// What the tests of the stand-in share: memory, streams and events that go with their test, and a clean
// start.
#include <cuda_runtime_api.h>
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <string>
#include <vector>

#include "mno/core/random.hpp"
#include "mno/cuda/launch.hpp"
#include "standin.hpp"

namespace standin::test {

/// Device memory that is freed at the end of a test.
template <class T> struct Array {
  explicit Array(std::size_t n) : size(n) { REQUIRE(cudaMalloc(&address, n * sizeof(T)) == cudaSuccess); }
  explicit Array(const std::vector<T>& values) : Array(values.size()) {
    REQUIRE(cudaMemcpy(address, values.data(), size * sizeof(T), cudaMemcpyHostToDevice) == cudaSuccess);
  }
  ~Array() { cudaFree(address); }
  Array(const Array&) = delete;
  Array& operator=(const Array&) = delete;
  T* data() const { return static_cast<T*>(address); }
  std::vector<T> values() const {
    std::vector<T> result(size);
    REQUIRE(cudaMemcpy(result.data(), address, size * sizeof(T), cudaMemcpyDeviceToHost) == cudaSuccess);
    return result;
  }
  void* address = nullptr;
  std::size_t size;
};

struct Stream {
  explicit Stream(unsigned flags = cudaStreamNonBlocking) {
    REQUIRE(cudaStreamCreateWithFlags(&handle, flags) == cudaSuccess);
  }
  ~Stream() { cudaStreamDestroy(handle); }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  operator cudaStream_t() const { return handle; }
  cudaStream_t handle = nullptr;
};

struct Event {
  explicit Event(unsigned flags = cudaEventDisableTiming) {
    REQUIRE(cudaEventCreateWithFlags(&handle, flags) == cudaSuccess);
  }
  ~Event() { cudaEventDestroy(handle); }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  operator cudaEvent_t() const { return handle; }
  cudaEvent_t handle = nullptr;
};

struct Fill {
  float* to;
  float value;
  void operator()(mno::Index i) const { to[i] = value; }
};
template <class T> std::vector<T> noise(std::size_t n, std::uint64_t seed) {
  mno::Stream stream(seed);
  std::vector<T> values(n);
  for (T& value : values) value = T(stream.normal());
  return values;
}
template <class T> std::vector<std::complex<T>> complex_noise(std::size_t n, std::uint64_t seed) {
  const std::vector<T> parts = noise<T>(2 * n, seed);
  std::vector<std::complex<T>> values(n);
  for (std::size_t i = 0; i < n; ++i) values[i] = {parts[2 * i], parts[2 * i + 1]};
  return values;
}

/// Whether a violation contains these words.
inline bool mentions(const char* words) {
  const auto all = standin::violations();
  return std::any_of(all.begin(), all.end(), [&](const auto& one) { return one.find(words) != one.npos; });
}

template <class T> bool all_nan(const std::vector<T>& values) {
  return std::all_of(values.begin(), values.end(), [](T value) { return std::isnan(value); });
}

/// Every test starts clean, and ends without a violation that it did not expect and clear.
struct Clean {
  Clean() { standin::reset(); }
  ~Clean() {
    for (const std::string& violation : standin::violations()) FAIL_CHECK(violation);
    standin::reset();
  }
};

}  // namespace standin::test
