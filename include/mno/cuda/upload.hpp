#pragma once
// Copies the arguments of a call to the device, where they stay for as long as the computation runs.
#include "mno/cuda/elementwise.hpp"
#include "mno/data/condition.hpp"
#include "mno/data/target.hpp"

namespace mno::cuda {

template <class T> std::span<const T> uploaded(Cuda& device, std::span<const T> host) {
  T* const to = device.arena().template keep<T>(host.size());
  device.upload(host.data(), to, host.size());
  return {to, host.size()};
}
/// Dense, whatever it was.
template <class T, int D> View<const T, D> uploaded(Cuda& device, const View<const T, D>& host) {
  if (!host) return {};
  const std::size_t n = std::size_t(numbers(host));
  const auto there = [&](const T* values) {
    return View<const T, D>{uploaded(device, std::span<const T>(values, n)).data(), host.batch, host.grid,
                            host.channels, host.channels};
  };
  if (host.pitch == host.channels || device.measuring()) return there(host.data);
  std::vector<T> together(n);
  for (Index r = 0; r < host.rows(); ++r)
    std::copy_n(host.row(r), host.channels, together.data() + r * host.channels);
  const View<const T, D> result = there(together.data());
  device.wait();
  return result;
}

/// Samples [first, first + count) of an array that has one entry for all samples, or one for each.
template <class T> std::span<const T> some(std::span<const T> all, Index first, Index count) {
  return all.size() <= 1 ? all : all.subspan(std::size_t(first), std::size_t(count));
}

template <class T, int D>
Condition<T, D> uploaded(Cuda& device, const Condition<T, D>& condition, Index first, Index count) {
  const auto& known = condition.known;
  return {uploaded(device, condition.initial.samples(first, count)),
          uploaded(device, some(condition.times, first, count)),
          uploaded(device, known.batch > 1 ? known.samples(first, count) : known), condition.noise,
          condition.draws};
}

/// The first samples of a target.
template <class T, int D> Target<T, D> uploaded(Cuda& device, const Target<T, D>& target, Index count) {
  const auto first = [&](const View<const T, D>& view, Index rows) {
    return view ? uploaded(device, view.samples(0, rows)) : view;
  };
  Target<T, D> there{first(target.mean, count), first(target.variance, count),
                     uploaded(device, some(target.counts, 0, count)), first(target.covariance_factor, count)};
  if (target.members) there.members = first(target.members, target.first_member(count));
  if (!target.offsets.empty()) there.offsets = uploaded(device, target.offsets.first(std::size_t(count) + 1));
  there.step = target.step;
  return there;
}

}  // namespace mno::cuda
