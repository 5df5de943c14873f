#pragma once
// Memory that a pass through a model needs, taken once and used again: after the first step nothing is
// allocated any more.
#include <cstddef>
#include <cstring>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "mno/core/buffer.hpp"

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace mno {

namespace detail {

/// Uninitialised bytes. Where they are many, the system is asked for large pages: a pass over hundreds of
/// megabytes would spend much of its time looking up small ones.
class Chunk {
 public:
  Chunk() = default;
  explicit Chunk(std::size_t bytes) : size_(bytes) {
    data_ = static_cast<std::byte*>(::operator new(bytes, std::align_val_t(boundary())));
#ifdef MADV_HUGEPAGE
    if (bytes >= large_page) madvise(data_, bytes / large_page * large_page, MADV_HUGEPAGE);
#endif
  }
  Chunk(Chunk&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  Chunk& operator=(Chunk other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }
  ~Chunk() {
    if (data_) ::operator delete(data_, std::align_val_t(boundary()));
  }
  std::byte* data() const { return data_; }
  std::size_t size() const { return size_; }

 private:
  static constexpr std::size_t large_page = std::size_t{2} << 20;
  std::size_t boundary() const { return size_ >= large_page ? large_page : alignment; }

  std::byte* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace detail

/// Hands out aligned pieces of a few large chunks. The same sequence of requests finds the same chunks again.
class Arena {
 public:
  struct Mark {
    std::size_t chunk = 0, used = 0;
  };

  /// Uninitialised memory for n values.
  template <class T> T* take(std::size_t n) {
    const std::size_t bytes = (n * sizeof(T) + alignment - 1) / alignment * alignment;
    while (position_.chunk < chunks_.size() && position_.used + bytes > chunks_[position_.chunk].size())
      position_ = {position_.chunk + 1, 0};
    if (position_.chunk == chunks_.size())
      chunks_.emplace_back(bytes > smallest_chunk ? bytes : smallest_chunk);
    T* const piece = reinterpret_cast<T*>(chunks_[position_.chunk].data() + position_.used);
    position_.used += bytes;
#ifdef MNO_POISON_WORKSPACE  // tests: whoever reads before writing computes with NaN
    std::fill_n(piece, n, std::numeric_limits<T>::quiet_NaN());
#endif
    return piece;
  }

  Mark mark() const { return position_; }
  void release(Mark mark) { position_ = mark; }
  void release() { position_ = Mark{0, 0}; }

  std::size_t capacity() const {
    std::size_t bytes = 0;
    for (const auto& chunk : chunks_) bytes += chunk.size();
    return bytes;
  }

 private:
  static constexpr std::size_t smallest_chunk = std::size_t{1} << 20;
  std::vector<detail::Chunk> chunks_;
  Mark position_;
};

/// Whatever is taken from the arena during this object's life is given back at its end.
class ArenaScope {
 public:
  explicit ArenaScope(Arena& arena) : arena_(arena), mark_(arena.mark()) {}
  ~ArenaScope() { arena_.release(mark_); }
  ArenaScope(const ArenaScope&) = delete;
  ArenaScope& operator=(const ArenaScope&) = delete;

 private:
  Arena& arena_;
  Arena::Mark mark_;
};

namespace detail {

/// Things that are costly to make and depend on a few numbers only (Fourier tables, plans), made once.
class Cache {
 public:
  /// The object of type P whose `matches(key)` holds; made from the key the first time.
  template <class P, class Key> const P& get(const Key& key) {
    for (const auto& entry : entries_)
      if (entry->type == type_tag<P>() && static_cast<const Holder<P>&>(*entry).value.matches(key))
        return static_cast<const Holder<P>&>(*entry).value;
    entries_.push_back(std::make_unique<Holder<P>>(key));
    return static_cast<const Holder<P>&>(*entries_.back()).value;
  }
  /// The only object of type P, to be changed: memory that is kept from one call to the next.
  template <class P> P& only() {
    for (const auto& entry : entries_)
      if (entry->type == type_tag<P>()) return static_cast<Holder<P>&>(*entry).value;
    entries_.push_back(std::make_unique<Holder<P>>());
    return static_cast<Holder<P>&>(*entries_.back()).value;
  }

 private:
  struct Entry {
    explicit Entry(const void* tag) : type(tag) {}
    virtual ~Entry() = default;
    const void* type;
  };
  template <class P> struct Holder : Entry {
    Holder() : Entry(type_tag<P>()) {}
    template <class Key> explicit Holder(const Key& key) : Entry(type_tag<P>()), value(key) {}
    P value;
  };
  template <class P> static const void* type_tag() {
    static const char tag = 0;
    return &tag;
  }
  std::vector<std::unique_ptr<Entry>> entries_;
};

}  // namespace detail

/// One thread's memory: what forward leaves for vjp (`trace`), what lives inside one call (`scratch`), and
/// tables kept for good.
struct Workspace {
  Arena trace;
  Arena scratch;
  detail::Cache cache;
};

}  // namespace mno
