#pragma once
// What CUDA, cuFFT and cuBLAS report, as exceptions that name the call, its size and the device.
#include <cublas_v2.h>
#include <cuda_runtime_api.h>
#include <cufft.h>

#include <sstream>
#include <stdexcept>
#include <string>

#include "mno/core/error.hpp"

namespace mno {

/// A call into CUDA or one of its libraries failed.
class CudaError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// There is no device, or no driver for it.
class NoDevice : public CudaError {
 public:
  using CudaError::CudaError;
};

/// The device does not have that much memory left. What was stored before the call is unchanged.
class DeviceOutOfMemory : public CudaError {
 public:
  DeviceOutOfMemory(const std::string& sentence, std::size_t bytes) : CudaError(sentence), asked(bytes) {}
  std::size_t asked;
};

namespace cuda {

/// 1536 B, 12.5 MiB, …
inline std::string readable(std::size_t bytes) {
  const char* const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  double value = double(bytes);
  int unit = 0;
  for (; value >= 1024 && unit < 4; ++unit) value /= 1024;
  std::ostringstream out;
  out.precision(value < 10 && unit > 0 ? 2 : 4);
  out << value << " " << units[unit];
  return out.str();
}

inline const char* name_of(cufftResult result) {
  switch (result) {
    case CUFFT_SUCCESS:
      return "CUFFT_SUCCESS";
    case CUFFT_INVALID_PLAN:
      return "CUFFT_INVALID_PLAN";
    case CUFFT_ALLOC_FAILED:
      return "CUFFT_ALLOC_FAILED";
    case CUFFT_INVALID_VALUE:
      return "CUFFT_INVALID_VALUE";
    case CUFFT_INTERNAL_ERROR:
      return "CUFFT_INTERNAL_ERROR";
    case CUFFT_EXEC_FAILED:
      return "CUFFT_EXEC_FAILED";
    case CUFFT_SETUP_FAILED:
      return "CUFFT_SETUP_FAILED";
    case CUFFT_INVALID_SIZE:
      return "CUFFT_INVALID_SIZE";
    default:
      return "another error of cuFFT";
  }
}

/// Says what failed where: checks of one device know its name.
class Checks {
 public:
  std::string device = "no device yet";

  template <class... Size> void operator()(cudaError_t result, const char* call, const Size&... size) const {
    if (result == cudaSuccess) return;
    const std::string sentence =
        put(call, Text(size...).str(), cudaGetErrorName(result)) + ": " + cudaGetErrorString(result) + ".";
    cudaGetLastError();  // the runtime would report it once more
    if (result == cudaErrorNoDevice || result == cudaErrorInsufficientDriver) throw NoDevice(sentence);
    throw CudaError(sentence);
  }
  template <class... Size> void operator()(cufftResult result, const char* call, const Size&... size) const {
    if (result != CUFFT_SUCCESS) throw CudaError(put(call, Text(size...).str(), name_of(result)) + ".");
  }
  template <class... Size>
  void operator()(cublasStatus_t result, const char* call, const Size&... size) const {
    if (result != CUBLAS_STATUS_SUCCESS)
      throw CudaError(put(call, Text(size...).str(), cublasGetStatusString(result)) + ".");
  }

  /// What a call failed with, as the beginning of a sentence.
  std::string put(const char* call, const std::string& size, const std::string& what) const {
    return std::string("mno::Cuda: ") + call + (size.empty() ? "" : " (" + size + ")") + " on " + device +
           " failed with " + what;
  }
};

}  // namespace cuda
}  // namespace mno
