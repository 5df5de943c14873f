#pragma once
// Batches on their way to the GPU: gathered in pinned memory, copied on a stream of their own while the
// device computes.
#include <utility>

#include "mno/cuda/gradient.hpp"
#include "mno/data/ensemble.hpp"

namespace mno::cuda {

/// A stream beside the device's own.
class CopyStream {
 public:
  explicit CopyStream(const Checks& check) : check_(check) {
    check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "cudaStreamCreate");
  }
  ~CopyStream() {
    if (!stream_) return;
    cudaStreamSynchronize(stream_);
    cudaStreamDestroy(stream_);
  }
  CopyStream(const CopyStream&) = delete;
  CopyStream& operator=(const CopyStream&) = delete;
  cudaStream_t stream() const { return stream_; }
  void wait() const { check_(cudaStreamSynchronize(stream_), "cudaStreamSynchronize"); }

 private:
  const Checks& check_;
  cudaStream_t stream_ = nullptr;
};

class Event {
 public:
  explicit Event(const Checks& check) {
    check(cudaEventCreateWithFlags(&event_, cudaEventDisableTiming), "cudaEventCreate");
  }
  ~Event() {
    if (event_) cudaEventDestroy(event_);
  }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  cudaEvent_t get() const { return event_; }

 private:
  cudaEvent_t event_ = nullptr;
};

/// Conditions of an ensemble side by side: one piece of pinned memory, and the same piece on the device.
template <class T, int D> class DeviceBatch {
 public:
  DeviceBatch(const Ensemble<T, D>& data, const View<const T, D>& known, Index capacity, const Checks& check)
      : data_(data), ready_(check) {
    parts_ = {Part{&data.initial}, Part{&data.mean}, Part{&data.variance}, Part{&data.covariance_factor}};
    if (data.known.batch() > 1) parts_.push_back(Part{&data.known});
    std::size_t bytes = 0;
    const auto place = [&](std::size_t size) { return std::exchange(bytes, bytes + rounded(size)); };
    for (Part& part : parts_) part.offset = place(part.numbers() * std::size_t(capacity) * sizeof(T));
    members_.offset =
        place(members_.numbers() * std::size_t(most_members(data.counts, capacity)) * sizeof(T));
    times_ = place(std::size_t(capacity) * sizeof(T));
    counts_ = place(std::size_t(capacity) * sizeof(Index));
    offsets_ = place(std::size_t(capacity + 1) * sizeof(Index));
    pinned_ = PinnedBuffer<std::byte>(bytes, check);
    device_ = DeviceBuffer<std::byte>(bytes, check);
    known_ = known;
  }

  bool holds(std::span<const Index> conditions) const {
    return !conditions.empty() &&
           std::equal(conditions.begin(), conditions.end(), conditions_.begin(), conditions_.end());
  }

  /// Call it when the data has changed since the conditions were gathered.
  void forget() { conditions_.clear(); }

  /// Gathers conditions [begin, end) of a batch and begins to copy them to their places in it; the others'
  /// places stay as they are. The copy before must be done.
  void fetch(std::span<const Index> conditions, std::size_t begin, std::size_t end, cudaStream_t stream,
             const Checks& check) {
    conditions_.clear();
    const std::size_t count = conditions.size();
    for (const Part& part : parts_) {
      const std::size_t n = part.numbers();
      T* const to = reinterpret_cast<T*>(pinned_.data() + part.offset);
      for (std::size_t i = begin; i < end; ++i)
        std::copy_n(part.field->data() + std::size_t(conditions[i]) * n, n, to + i * n);
      copy(part.offset + begin * n * sizeof(T), (end - begin) * n * sizeof(T), stream, check);
    }
    T* const times = reinterpret_cast<T*>(pinned_.data() + times_);
    Index* const counts = reinterpret_cast<Index*>(pinned_.data() + counts_);
    for (std::size_t i = 0; i < count; ++i) {
      times[i] = data_.times[std::size_t(conditions[i])];
      counts[i] = data_.counts[std::size_t(conditions[i])];
    }
    copy(times_, count * sizeof(T), stream, check);
    copy(counts_, count * sizeof(Index), stream, check);
    if (members_.numbers() > 0) {
      Index* const offsets = reinterpret_cast<Index*>(pinned_.data() + offsets_);
      write_member_offsets({counts, count}, {offsets, count + 1});
      copy_members<T, D>(data_, conditions.subspan(begin, end - begin), {counts + begin, end - begin},
                         {offsets + begin, end - begin},
                         reinterpret_cast<T*>(pinned_.data() + members_.offset));
      copy(offsets_, (count + 1) * sizeof(Index), stream, check);
      const std::size_t row = members_.numbers() * sizeof(T);
      copy(members_.offset + std::size_t(offsets[begin]) * row,
           std::size_t(offsets[end] - offsets[begin]) * row, stream, check);
    }
    check(cudaEventRecord(ready_.get(), stream), "cudaEventRecord");
    conditions_.assign(conditions.begin(), conditions.end());
  }
  /// Work that is queued on `stream` from here on waits for the conditions.
  void before(cudaStream_t stream, const Checks& check) const {
    check(cudaStreamWaitEvent(stream, ready_.get(), 0), "cudaStreamWaitEvent");
  }

  /// In the device's memory.
  Condition<T, D> condition(Index samples) const {
    return {view(parts_[0], samples, device_.data()),
            {reinterpret_cast<const T*>(device_.data() + times_), std::size_t(samples)},
            parts_.size() > 4 ? view(parts_[4], samples, device_.data()) : known_};
  }
  Target<T, D> target(Index samples) const { return target_in(device_.data(), samples); }
  /// The same target as the host sees it, for its shape and counts.
  Target<T, D> host_target(Index samples) const { return target_in(pinned_.data(), samples); }

 private:
  struct Part {
    const Field<T, D>* field;
    std::size_t offset = 0;
    /// Of one row.
    std::size_t numbers() const {
      return field->size() == 0 ? 0 : std::size_t(field->points() * field->channels());
    }
  };
  static std::size_t rounded(std::size_t bytes) {
    return (bytes + DeviceArena::boundary - 1) / DeviceArena::boundary * DeviceArena::boundary;
  }
  void copy(std::size_t offset, std::size_t bytes, cudaStream_t stream, const Checks& check) {
    if (bytes > 0)
      check(cudaMemcpyAsync(device_.data() + offset, pinned_.data() + offset, bytes, cudaMemcpyHostToDevice,
                            stream),
            "cudaMemcpyAsync", readable(bytes));
  }
  View<const T, D> view(const Part& part, Index rows, const std::byte* memory) const {
    if (part.numbers() == 0) return {};
    return {reinterpret_cast<const T*>(memory + part.offset), rows, part.field->grid(),
            part.field->channels(), part.field->channels()};
  }
  Target<T, D> target_in(const std::byte* memory, Index samples) const {
    const auto part = [&](std::size_t i) { return view(parts_[i], samples, memory); };
    const auto numbers = [&](std::size_t offset, Index count) {
      return std::span(reinterpret_cast<const Index*>(memory + offset), std::size_t(count));
    };
    Target<T, D> target{part(1), part(2), numbers(counts_, samples), part(3), {}, part(0)};
    if (members_.numbers() > 0) {
      // Memory may be measured for more samples than there are; then only the shape of a target is used.
      const Index* const offsets = reinterpret_cast<const Index*>(pinned_.data() + offsets_);
      target.members = view(members_, offsets[std::min(std::size_t(samples), conditions_.size())], memory);
      target.offsets = numbers(offsets_, samples + 1);
    }
    return target;
  }

  const Ensemble<T, D>& data_;
  std::vector<Part> parts_;
  Part members_{&data_.members};
  std::size_t times_ = 0, counts_ = 0, offsets_ = 0;
  PinnedBuffer<std::byte> pinned_;
  DeviceBuffer<std::byte> device_;
  View<const T, D> known_{};
  std::vector<Index> conditions_;
  Event ready_;
};

}  // namespace mno::cuda
