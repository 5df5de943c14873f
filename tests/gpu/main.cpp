// doctest's main for programs that need a GPU: without one they are skipped.
#define DOCTEST_CONFIG_IMPLEMENT
#include <cuda_runtime_api.h>
#include <doctest/doctest.h>

#include <cstdio>

int main(int argc, char** argv) {
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
    std::puts("Skipped: CUDA finds no device.");
    return 77;
  }
  return doctest::Context(argc, argv).run();
}
