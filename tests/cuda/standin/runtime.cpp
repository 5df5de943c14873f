// The CUDA runtime of the stand-in. Signatures are those of cuda_runtime_api.h.
#include "runtime.hpp"

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <new>
#include <utility>

#include "streams.hpp"

namespace standin {
namespace {

struct Runtime {
  std::map<const std::byte*, std::size_t> pinned;
  std::vector<std::unique_ptr<CUevent_st>> events;
};
Runtime& runtime() {
  static Runtime& all = *new Runtime;  // outlives every static object that frees something
  return all;
}

thread_local cudaError_t last_error = cudaSuccess;  // as CUDA has it

/// The result of a call, kept for cudaGetLastError if it is an error.
cudaError_t result(cudaError_t error) {
  if (error != cudaSuccess) last_error = error;
  return error;
}

cudaError_t wrong(cudaError_t error, std::string violation) {
  report(std::move(violation));
  return result(error);
}

CUevent_st* find_event(cudaEvent_t event) {
  for (const auto& one : runtime().events)
    if (one.get() == event) return one.get();
  return nullptr;
}

/// A rectangle of `height` rows; a plain copy has one.
struct Copy {
  void* to;
  std::size_t to_pitch;
  const void* from;
  std::size_t from_pitch, width, height;

  std::size_t to_bytes() const { return (height - 1) * to_pitch + width; }
  std::size_t from_bytes() const { return (height - 1) * from_pitch + width; }
  void run() const {
    for (std::size_t row = 0; row < height; ++row)
      std::memcpy(static_cast<std::byte*>(to) + row * to_pitch,
                  static_cast<const std::byte*>(from) + row * from_pitch, width);
  }
};

/// Pinned memory is read and written when the copy runs. Pageable memory is read in the call ("staged"), and
/// written when the copy runs: the call "might be synchronous with respect to the host", so one that is not
/// is allowed too.
cudaError_t copy(const std::string& name, Copy what, cudaMemcpyKind kind, cudaStream_t stream, bool waits) {
  if (what.width > what.to_pitch || what.width > what.from_pitch)
    return wrong(cudaErrorInvalidPitchValue, name + ": a row is wider than its pitch");
  if (what.width == 0 || what.height == 0) return cudaSuccess;
  if (kind < cudaMemcpyHostToHost || kind > cudaMemcpyDefault) return result(cudaErrorInvalidMemcpyDirection);
  const bool to_device = memory().owns(what.to), from_device = memory().owns(what.from);
  if (kind != cudaMemcpyDefault &&
      (to_device != (kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice) ||
       from_device != (kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice)))
    return wrong(cudaErrorInvalidValue, name + ": source or destination is not where the kind of copy says");

  Operation operation{name, {}, {}, {}};
  (to_device ? operation.device : operation.pinned).push_back({what.to, what.to_bytes(), "the destination"});
  (from_device ? operation.device : operation.pinned).push_back({what.from, what.from_bytes(), "the source"});
  // Memory that cudaMallocHost does not know is pageable: there is nothing to check.
  std::erase_if(operation.pinned, [](const Range& range) { return !is_pinned(range.begin, 1); });
  if (to_device && from_device) {
    const auto *to = static_cast<const std::byte*>(what.to), *from = static_cast<const std::byte*>(what.from);
    if (what.height == 1 && to < from + what.width && from < to + what.width)
      return wrong(cudaErrorInvalidValue, name + ": source and destination overlap");
  }
  if (!from_device && !is_pinned(what.from, 1)) {
    Copy staging{nullptr, what.width, what.from, what.from_pitch, what.width, what.height};
    const auto stage = std::make_shared<std::vector<std::byte>>(what.width * what.height);
    staging.to = stage->data();
    staging.run();
    what.from_pitch = what.width;
    operation.run = [what, stage]() mutable {
      what.from = stage->data();
      what.run();
    };
  } else {
    operation.run = [what] { what.run(); };
  }
  const cudaError_t error = submit(stream, std::move(operation));
  if (error == cudaSuccess && (waits || (!to_device && !from_device))) reach(end_of(find_stream(stream)));
  return result(error);
}

Copy plain(void* to, const void* from, std::size_t bytes) { return {to, bytes, from, bytes, bytes, 1}; }

cudaError_t allocate_pinned(void** address, std::size_t bytes) {
  const Lock lock(mutex());
  if (fails(true)) return result(cudaErrorMemoryAllocation);
  if (address == nullptr) return result(cudaErrorInvalidValue);
  *address = nullptr;
  if (bytes == 0) return cudaSuccess;
  *address = ::operator new(bytes, std::align_val_t(Memory::alignment));
  std::memset(*address, 0xFF, bytes);
  runtime().pinned.emplace(static_cast<std::byte*>(*address), bytes);
  return cudaSuccess;
}

constexpr int only_device = 0;

/// Whether a place is reached; asking makes the stream go one operation further.
cudaError_t query(const Place& place) {
  if (reached(place)) return cudaSuccess;
  step(place.stream);
  // "Not actually an error", but cudaGetLastError reports it all the same.
  return result(cudaErrorNotReady);
}

struct ErrorText {
  cudaError_t error;
  const char *name, *text;
};
constexpr ErrorText error_texts[] = {
    {cudaSuccess, "cudaSuccess", "no error"},
    {cudaErrorInvalidValue, "cudaErrorInvalidValue", "invalid argument"},
    {cudaErrorMemoryAllocation, "cudaErrorMemoryAllocation", "out of memory"},
    {cudaErrorInvalidConfiguration, "cudaErrorInvalidConfiguration", "invalid configuration argument"},
    {cudaErrorInvalidPitchValue, "cudaErrorInvalidPitchValue", "invalid pitch argument"},
    {cudaErrorInvalidMemcpyDirection, "cudaErrorInvalidMemcpyDirection", "invalid copy direction for memcpy"},
    {cudaErrorInvalidDevice, "cudaErrorInvalidDevice", "invalid device ordinal"},
    {cudaErrorInvalidResourceHandle, "cudaErrorInvalidResourceHandle", "invalid resource handle"},
    {cudaErrorNotReady, "cudaErrorNotReady", "device not ready"},
    {cudaErrorLaunchOutOfResources, "cudaErrorLaunchOutOfResources",
     "too many resources requested for launch"},
    {cudaErrorLaunchFailure, "cudaErrorLaunchFailure", "unspecified launch failure"},
    {cudaErrorUnknown, "cudaErrorUnknown", "unknown error"},
};

}  // namespace

cudaError_t take_last_error() { return std::exchange(last_error, cudaSuccess); }
void leave_error(int code) { result(cudaError_t(code)); }
std::size_t pinned_count() { return runtime().pinned.size(); }
std::size_t event_count() { return runtime().events.size(); }

bool is_pinned(const void* address, std::size_t bytes) {
  const auto* const at = static_cast<const std::byte*>(address);
  const auto next = runtime().pinned.upper_bound(at);
  if (next == runtime().pinned.begin()) return false;
  const auto& [begin, length] = *std::prev(next);
  return at < begin + length && bytes <= std::size_t(begin + length - at);
}

}  // namespace standin

using namespace standin;

extern "C" {

// Memory

cudaError_t cudaMalloc(void** devPtr, size_t size) {
  const Lock lock(mutex());
  if (fails(true)) return result(cudaErrorMemoryAllocation);
  if (devPtr == nullptr) return result(cudaErrorInvalidValue);
  *devPtr = nullptr;
  if (size == 0) return cudaSuccess;
  *devPtr = memory().allocate(size, settings().total_memory);
  return result(*devPtr == nullptr ? cudaErrorMemoryAllocation : cudaSuccess);
}

cudaError_t cudaFree(void* devPtr) {
  const Lock lock(mutex());
  if (devPtr == nullptr) return cudaSuccess;
  if (settings().free_waits) reach_all();
  if (!memory().release(devPtr))
    return wrong(cudaErrorInvalidValue, "cudaFree was given an address that is not allocated");
  return cudaSuccess;
}

cudaError_t cudaMallocHost(void** ptr, size_t size) { return allocate_pinned(ptr, size); }
cudaError_t cudaHostAlloc(void** pHost, size_t size, unsigned int) { return allocate_pinned(pHost, size); }

cudaError_t cudaFreeHost(void* ptr) {
  const Lock lock(mutex());
  if (ptr == nullptr) return cudaSuccess;
  if (runtime().pinned.erase(static_cast<std::byte*>(ptr)) == 0)
    return wrong(cudaErrorInvalidValue, "cudaFreeHost was given an address that is not allocated");
  ::operator delete(ptr, std::align_val_t(Memory::alignment));
  return cudaSuccess;
}

cudaError_t cudaMemGetInfo(size_t* free, size_t* total) {
  const Lock lock(mutex());
  if (fails()) return result(cudaErrorUnknown);
  *total = settings().total_memory;
  *free = *total - std::min(*total, memory().bytes());
  return cudaSuccess;
}

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* ptr) {
  const Lock lock(mutex());
  if (fails()) return result(cudaErrorInvalidValue);
  *attributes = {};
  attributes->type = cudaMemoryTypeUnregistered;
  attributes->device = -2;  // as CUDA has it for memory that it does not know
  if (memory().complaint({ptr, 1, "the pointer"}).empty()) {
    attributes->type = cudaMemoryTypeDevice;
    attributes->device = only_device;
    attributes->devicePointer = const_cast<void*>(ptr);
  } else if (is_pinned(ptr, 1)) {
    attributes->type = cudaMemoryTypeHost;
    attributes->device = only_device;
    attributes->devicePointer = attributes->hostPointer = const_cast<void*>(ptr);
  }
  return cudaSuccess;
}

// Copies

cudaError_t cudaMemcpy(void* dst, const void* src, size_t count, cudaMemcpyKind kind) {
  const Lock lock(mutex());
  if (fails()) return result(cudaErrorUnknown);
  return copy("cudaMemcpy", plain(dst, src, count), kind, nullptr, true);
}

cudaError_t cudaMemcpyAsync(void* dst, const void* src, size_t count, cudaMemcpyKind kind,
                            cudaStream_t stream) {
  const Lock lock(mutex());
  if (fails()) return result(cudaErrorUnknown);
  return copy("cudaMemcpyAsync", plain(dst, src, count), kind, stream, false);
}

cudaError_t cudaMemcpy2DAsync(void* dst, size_t dpitch, const void* src, size_t spitch, size_t width,
                              size_t height, cudaMemcpyKind kind, cudaStream_t stream) {
  const Lock lock(mutex());
  if (fails()) return result(cudaErrorUnknown);
  return copy("cudaMemcpy2DAsync", {dst, dpitch, src, spitch, width, height}, kind, stream, false);
}

cudaError_t cudaMemsetAsync(void* devPtr, int value, size_t count, cudaStream_t stream) {
  const Lock lock(mutex());
  if (fails()) return result(cudaErrorUnknown);
  return result(submit(stream, {"cudaMemsetAsync", {{devPtr, count, "the destination"}}, {}, [=] {
                                  std::memset(devPtr, value, count);
                                }}));
}

// Streams

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* pStream, unsigned int flags) {
  const Lock lock(mutex());
  if (fails()) return result(cudaErrorMemoryAllocation);
  if (pStream == nullptr || flags > cudaStreamNonBlocking) return result(cudaErrorInvalidValue);
  *pStream = create_stream(flags != cudaStreamNonBlocking);
  return cudaSuccess;
}

cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  const Lock lock(mutex());
  if (!destroy_stream(stream))
    return wrong(cudaErrorInvalidResourceHandle, "cudaStreamDestroy was given a stream that does not exist");
  return cudaSuccess;
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  const Lock lock(mutex());
  if (fails()) return result(cudaErrorLaunchFailure);
  // An empty operation: on the default stream it waits for the blocking streams, as all its work does.
  const cudaError_t error = submit(stream, {"cudaStreamSynchronize", {}, {}, [] {}});
  if (error == cudaSuccess) reach(end_of(find_stream(stream)));
  return result(error);
}

cudaError_t cudaStreamQuery(cudaStream_t stream) {
  const Lock lock(mutex());
  if (fails()) return result(cudaErrorLaunchFailure);
  const StreamOwner found = find_stream(stream);
  return found ? query(end_of(found)) : result(cudaErrorInvalidResourceHandle);
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned int) {
  const Lock lock(mutex());
  if (fails()) return result(cudaErrorUnknown);
  const StreamOwner found = find_stream(stream);
  const CUevent_st* const what = find_event(event);
  if (!found || what == nullptr)
    return wrong(cudaErrorInvalidResourceHandle, "cudaStreamWaitEvent: no such stream or event");
  enqueue(found, {"cudaStreamWaitEvent", {}, {}, [] {}}, {what->record});
  return cudaSuccess;
}

cudaError_t cudaDeviceSynchronize() {
  const Lock lock(mutex());
  if (fails()) return result(cudaErrorLaunchFailure);
  reach_all();
  return cudaSuccess;
}

// Events

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned int flags) {
  const Lock lock(mutex());
  if (fails()) return result(cudaErrorMemoryAllocation);
  if (event == nullptr) return result(cudaErrorInvalidValue);
  runtime().events.push_back(std::make_unique<CUevent_st>());
  *event = runtime().events.back().get();
  (*event)->timed = (flags & cudaEventDisableTiming) == 0;
  return cudaSuccess;
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  const Lock lock(mutex());
  if (fails()) return result(cudaErrorUnknown);
  CUevent_st* const what = find_event(event);
  const StreamOwner found = find_stream(stream);
  if (what == nullptr || !found)
    return wrong(cudaErrorInvalidResourceHandle, "cudaEventRecord: no such stream or event");
  const auto time = std::make_shared<CUevent_st::Clock::time_point>();
  enqueue(found, {"cudaEventRecord", {}, {}, [time] { *time = CUevent_st::Clock::now(); }});
  what->record = end_of(found);
  what->time = time;
  return cudaSuccess;
}

cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  const Lock lock(mutex());
  if (fails()) return result(cudaErrorLaunchFailure);
  const CUevent_st* const what = find_event(event);
  if (what == nullptr) return wrong(cudaErrorInvalidResourceHandle, "cudaEventSynchronize: no such event");
  reach(what->record);
  return cudaSuccess;
}

cudaError_t cudaEventQuery(cudaEvent_t event) {
  const Lock lock(mutex());
  if (fails()) return result(cudaErrorLaunchFailure);
  const CUevent_st* const what = find_event(event);
  return what == nullptr ? result(cudaErrorInvalidResourceHandle) : query(what->record);
}

cudaError_t cudaEventElapsedTime(float* ms, cudaEvent_t start, cudaEvent_t end) {
  const Lock lock(mutex());
  if (fails()) return result(cudaErrorUnknown);
  const CUevent_st *const from = find_event(start), *const to = find_event(end);
  for (const CUevent_st* one : {from, to})
    if (one == nullptr || !one->timed || !one->time) return result(cudaErrorInvalidResourceHandle);
  if (!reached(from->record) || !reached(to->record)) return result(cudaErrorNotReady);
  *ms = std::chrono::duration<float, std::milli>(*to->time - *from->time).count();
  return cudaSuccess;
}

cudaError_t cudaEventDestroy(cudaEvent_t event) {
  const Lock lock(mutex());
  if (find_event(event) == nullptr)
    return wrong(cudaErrorInvalidResourceHandle, "cudaEventDestroy was given an event that does not exist");
  std::erase_if(runtime().events, [&](const auto& one) { return one.get() == event; });
  return cudaSuccess;
}

// The device

cudaError_t cudaGetDeviceCount(int* count) {
  const Lock lock(mutex());
  if (fails()) return result(cudaErrorUnknown);
  *count = 1;
  return cudaSuccess;
}

cudaError_t cudaGetDevice(int* device) {
  const Lock lock(mutex());
  if (fails()) return result(cudaErrorUnknown);
  *device = only_device;
  return cudaSuccess;
}

cudaError_t cudaSetDevice(int device) {
  const Lock lock(mutex());
  if (fails()) return result(cudaErrorUnknown);
  return result(device == only_device ? cudaSuccess : cudaErrorInvalidDevice);
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* prop, int device) {
  const Lock lock(mutex());
  if (fails()) return result(cudaErrorUnknown);
  if (device != only_device) return result(cudaErrorInvalidDevice);
  *prop = {};
  std::strcpy(prop->name, "Stand-in on the host");
  prop->totalGlobalMem = settings().total_memory;
  prop->sharedMemPerBlock = 48 << 10;
  prop->warpSize = 32;
  prop->maxThreadsPerBlock = 1024;
  prop->maxThreadsPerMultiProcessor = 2048;
  prop->multiProcessorCount = 4;
  prop->major = 9;
  prop->minor = 0;
  return cudaSuccess;
}

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attr, int device) {
  cudaDeviceProp properties;
  if (const cudaError_t error = cudaGetDeviceProperties(&properties, device); error != cudaSuccess)
    return error;
  switch (attr) {
    case cudaDevAttrMaxThreadsPerBlock:
      *value = properties.maxThreadsPerBlock;
      break;
    case cudaDevAttrMaxSharedMemoryPerBlock:
      *value = int(properties.sharedMemPerBlock);
      break;
    case cudaDevAttrWarpSize:
      *value = properties.warpSize;
      break;
    case cudaDevAttrMultiProcessorCount:
      *value = properties.multiProcessorCount;
      break;
    case cudaDevAttrMaxThreadsPerMultiProcessor:
      *value = properties.maxThreadsPerMultiProcessor;
      break;
    case cudaDevAttrComputeCapabilityMajor:
      *value = properties.major;
      break;
    case cudaDevAttrComputeCapabilityMinor:
      *value = properties.minor;
      break;
    default:
      return wrong(cudaErrorInvalidValue, "cudaDeviceGetAttribute: the stand-in has no attribute " +
                                              std::to_string(int(attr)) + "; add it to runtime.cpp");
  }
  return cudaSuccess;
}

cudaError_t cudaRuntimeGetVersion(int* runtimeVersion) {
  *runtimeVersion = CUDART_VERSION;
  return cudaSuccess;
}
cudaError_t cudaDriverGetVersion(int* driverVersion) {
  *driverVersion = CUDART_VERSION;
  return cudaSuccess;
}

// Errors

cudaError_t cudaGetLastError() {
  const Lock lock(mutex());
  return take_last_error();
}
cudaError_t cudaPeekAtLastError() {
  const Lock lock(mutex());
  return last_error;
}

const char* cudaGetErrorName(cudaError_t error) {
  for (const ErrorText& one : error_texts)
    if (one.error == error) return one.name;
  return "unrecognized error code";
}
const char* cudaGetErrorString(cudaError_t error) {
  for (const ErrorText& one : error_texts)
    if (one.error == error) return one.text;
  return "unrecognized error code";
}
}
