#pragma once
// What the stand-in's runtime keeps beside memory and streams: the last error, pinned memory, events.
#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

namespace standin {

/// The error that cudaGetLastError would give; it is then forgotten.
cudaError_t take_last_error();
std::size_t pinned_count();
std::size_t event_count();
/// The number of this launch since the last reset.
std::uint64_t count_launch();

}  // namespace standin
