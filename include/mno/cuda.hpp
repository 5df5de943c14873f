#pragma once
// The whole library with a GPU as a device: mno::Cuda in the place of mno::Cpu. Needs CUDA's headers and
// libraries, which the CMake target mno::cuda brings, and NVIDIA's compiler.
#include "mno/cuda/device.hpp"
#include "mno/cuda/gradient.hpp"
#include "mno/cuda/loss.hpp"
#include "mno/cuda/model.hpp"
#include "mno/cuda/predict.hpp"
#include "mno/cuda/sample.hpp"
#include "mno/cuda/train.hpp"
#include "mno/mno.hpp"
