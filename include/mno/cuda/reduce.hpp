#pragma once
// Sums on the device with the same bits in every run: which thread adds what depends on the sizes alone.
//
//   total[s] = Σ_{i<n} f(s, i)   for s < segments
//
// A thread adds every n-th term of one segment. The threads' sums are added up in the same way, until one
// number per segment is left. Nothing is shared between threads, so their order does not matter.
#include "mno/cuda/device.hpp"

namespace mno::cuda {

/// Two sums at a time.
struct Pair {
  double first = 0, second = 0;
  MNO_HOST_DEVICE Pair& operator+=(const Pair& other) {
    first += other.first;
    second += other.second;
    return *this;
  }
};

/// Which terms lie side by side in memory: neighbouring threads should read neighbours.
enum class Neighbours { terms, segments };

namespace detail {

inline constexpr Index terms_per_thread = 32;

template <class Sum, class F> struct PartialSums {
  F f;
  Sum* to;  // (segment, part)
  Index segments, parts, n;
  bool terms_first;
  MNO_HOST_DEVICE void operator()(Index i) const {
    const Index segment = terms_first ? i / parts : i % segments,
                part = terms_first ? i % parts : i / segments;
    Sum sum{};
    for (Index j = part; j < n; j += parts) sum += f(segment, j);
    to[segment * parts + part] = sum;
  }
};

template <class Sum> struct Stored {
  const Sum* values;
  Index parts;
  MNO_HOST_DEVICE Sum operator()(Index segment, Index part) const { return values[segment * parts + part]; }
};

}  // namespace detail

/// f is a struct with `MNO_HOST_DEVICE Sum operator()(Index segment, Index i) const`; total: (segment).
template <class Sum, class F>
void reduce(Cuda& device, Index segments, Index n, const F& f, Sum* total,
            Neighbours neighbours = Neighbours::terms) {
  const Index parts = (n + detail::terms_per_thread - 1) / detail::terms_per_thread;
  const bool terms_first = neighbours == Neighbours::terms;
  if (parts <= 1) {
    device.for_each(segments, detail::PartialSums<Sum, F>{f, total, segments, 1, n, terms_first});
    return;
  }
  const DeviceScope scope(device.arena());
  Sum* const some = device.arena().template scratch<Sum>(std::size_t(segments * parts));
  device.for_each(segments * parts, detail::PartialSums<Sum, F>{f, some, segments, parts, n, terms_first});
  reduce<Sum>(device, segments, parts, detail::Stored<Sum>{some, parts}, total);
}

}  // namespace mno::cuda
