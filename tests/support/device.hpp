#pragma once
// The device that a test runs on: the processor, or, where a test is compiled once more with MNO_TEST_CUDA, a
// GPU: the host stand-in of one, or a real one where there is (MNO_TEST_GPU).
#ifdef MNO_TEST_CUDA
#ifndef MNO_TEST_GPU
#include "standin.hpp"
#endif
#include "mno/cuda.hpp"
#include "mno/cuda/oracle.hpp"
#else
#include "mno/device/cpu.hpp"
#endif

#include <cstdio>
#include <cstdlib>

namespace mno::test {

#ifdef MNO_TEST_CUDA
using Device = Cuda;
#else
using Device = Cpu;
#endif

inline Device& device() {
  static Device one;
  return one;
}

/// f(device) under all circumstances that must not change a bit of its result.
template <class F> void on_each_device(F&& f) {
#if defined(MNO_TEST_GPU)
  for (int time = 0; time < 2; ++time) f(device());
#elif defined(MNO_TEST_CUDA)
  for (const std::uint64_t order : {0u, 1u, 2u, 3u}) {  // of the threads; the last time there are few of them
    standin::settings().thread_order = order;
    standin::settings().blocks = order == 3 ? 3 : 0;
    standin::settings().threads = order == 3 ? 5 : 0;
    standin::settings().progress = order == 1 ? standin::Progress::early : standin::Progress::late;
    f(device());
  }
  standin::settings() = {};
#else
  for (const int threads : {1, 2, 4, 7}) {
    Cpu one(threads);
    f(one);
  }
#endif
}

#if defined(MNO_TEST_CUDA) && !defined(MNO_TEST_GPU)
/// Device code that does what CUDA does not allow fails the program, whatever its results were.
struct NothingForbidden {
  ~NothingForbidden() {
    const auto violations = standin::violations();
    for (const auto& violation : violations) std::fprintf(stderr, "forbidden: %s\n", violation.c_str());
    if (!violations.empty()) std::_Exit(1);
  }
};
inline const NothingForbidden nothing_forbidden;
#endif

}  // namespace mno::test
