#pragma once
// cuFFT's plans, made once for every size. Their work area is the caller's, so that a kept plan takes no
// memory.
#include <array>
#include <climits>
#include <memory>
#include <vector>

#include "mno/core/grid.hpp"
#include "mno/cuda/error.hpp"

namespace mno::cuda {

/// A transform of `batch` real fields side by side, each one dense.
struct FftKey {
  int rank = 0;
  std::array<Index, 3> points{};
  Index batch = 0;
  bool is_float = true, inverse = false;
  bool operator==(const FftKey&) const = default;
};

struct FftPlan {
  FftKey key;
  cufftHandle handle = 0;
  std::size_t work = 0;  // bytes
};

class FftPlans {
 public:
  FftPlans() = default;
  FftPlans(const FftPlans&) = delete;
  FftPlans& operator=(const FftPlans&) = delete;
  ~FftPlans() { clear(); }

  void clear() {
    for (const auto& plan : plans_) cufftDestroy(plan->handle);
    plans_.clear();
  }

  const FftPlan& get(const FftKey& key, cudaStream_t stream, const Checks& check) {
    for (const auto& plan : plans_)
      if (plan->key == key) return *plan;
    int n[3], half[3];
    long long size = 1, half_size = 1;
    for (int d = 0; d < key.rank; ++d) {
      require(key.points[std::size_t(d)] <= Index(INT_MAX), "Cuda::transform", "points",
              Text("less than 2^31 per axis"), Text(key.points[std::size_t(d)]));
      n[d] = int(key.points[std::size_t(d)]);
      half[d] = d + 1 == key.rank ? n[d] / 2 + 1 : n[d];
      size *= n[d];
      half_size *= half[d];
    }
    require(size <= INT_MAX && key.batch <= Index(INT_MAX), "Cuda::transform", "points",
            Text("fields that cuFFT can count, below 2^31 points and fields"),
            Text(size, " points, ", key.batch, " fields"));
    auto plan = std::make_unique<FftPlan>(FftPlan{key});
    check(cufftCreate(&plan->handle), "cufftCreate");
    const auto make = [&] {
      check(cufftSetAutoAllocation(plan->handle, 0), "cufftSetAutoAllocation");
      const cufftType type =
          key.is_float ? (key.inverse ? CUFFT_C2R : CUFFT_R2C) : (key.inverse ? CUFFT_Z2D : CUFFT_D2Z);
      int *const in = key.inverse ? half : n, *const out = key.inverse ? n : half;
      const int in_distance = int(key.inverse ? half_size : size),
                out_distance = int(key.inverse ? size : half_size);
      check(cufftMakePlanMany(plan->handle, key.rank, n, in, 1, in_distance, out, 1, out_distance, type,
                              int(key.batch), &plan->work),
            "cufftMakePlanMany", key.batch, " fields of ", size, " points");
      check(cufftSetStream(plan->handle, stream), "cufftSetStream");
    };
    try {
      make();
    } catch (...) {
      cufftDestroy(plan->handle);
      throw;
    }
    plans_.push_back(std::move(plan));
    return *plans_.back();
  }

 private:
  std::vector<std::unique_ptr<FftPlan>> plans_;
};

}  // namespace mno::cuda
