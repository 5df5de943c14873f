#pragma once
// The variance of a law and draws u = w(m + Bᵀξ + η∘ζ) from it on the GPU. Gaussian ξ and ζ are drawn there,
// from the same integers as on the host; other residual laws draw them on the host. The fields z are made on
// the device, and warps are applied on the host.
#include "mno/cuda/elementwise.hpp"
#include "mno/law/sample.hpp"

namespace mno {

namespace cuda::detail {

/// (ξ, ζ) of every draw, as on the host: one thread per pair of numbers, which come from one block of the
/// draw's stream.
template <class T> struct DrawGaussian {
  std::uint64_t seed;
  Index sample, first_draw, numbers;
  T* xi;  // (draw, number)
  MNO_HOST_DEVICE static Index pairs(Index numbers) { return (numbers + 1) / 2; }
  MNO_HOST_DEVICE void operator()(Index i) const {
    const Index draw = i / pairs(numbers), pair = i % pairs(numbers), k = draw * numbers + 2 * pair;
    const std::uint64_t name = std::uint64_t(sample) << 32 | std::uint64_t(first_draw + draw);
    Stream stream = Stream(seed, name, mno::detail::residual_substream).from_block(std::uint32_t(pair));
    xi[k] = T(stream.normal());
    if (2 * pair + 1 < numbers) xi[k + 1] = T(stream.normal());
  }
};
/// B of every sample, (sample, k, entry) from (row, k, channel)
template <class T> struct FactorRows {
  const T* factor;
  Index points, channels, rank;
  T* to;
  MNO_HOST_DEVICE void operator()(Index i) const {
    const Index entries = points * channels, entry = i % entries, k = i / entries % rank,
                sample = i / entries / rank;
    to[i] = factor[((sample * points + entry / channels) * rank + k) * channels + entry % channels];
  }
};
/// m, or m + η∘ζ, for every draw of a sample
template <class T> struct MeanAndNoise {
  const T *mean, *nugget, *xi;  // nugget: null if there is none
  Index entries, numbers;
  T* to;
  MNO_HOST_DEVICE void operator()(Index i) const {
    const Index entry = i % entries, draw = i / entries;
    to[i] = mean[entry];
    if (nugget) to[i] += nugget[entry] * xi[draw * numbers + numbers - entries + entry];
  }
};
template <class T> struct VarianceInto {
  const T *factor, *nugget;  // nugget: null if there is none
  Index channels, rank;
  T* to;
  MNO_HOST_DEVICE void operator()(Index i) const {
    double v =
        mno::detail::row_variance(factor + i / channels * rank * channels, i % channels, channels, rank);
    if (nugget) v += double(nugget[i]) * double(nugget[i]);
    to[i] = T(v);
  }
};

}  // namespace cuda::detail

/// As on the CPU: draw j of sample s is entry s·count + j and depends on (seed, s, j) and the law of s alone.
template <class T, int D, class R, class W>
Field<T, D> sample(const Law<T, D, R, W>& law, Index count, std::uint64_t seed, Cuda& device) {
  require(count >= 1, "sample", "count", Text("at least one draw"), Text(count));
  require(count < (Index(1) << 32), "sample", "count", Text("less than 2^32 draws"), Text(count));
  Field<T, D> draws(law.batch() * count, law.grid(), law.channels());
  const bool nugget = law.has_nugget();
  const Index rank = law.rank(), n = law.size(), numbers = nugget ? rank + n : rank;
  constexpr bool there = std::is_same_v<R, Gaussian>;
  const Index at_a_time =
      std::min<Index>(count, std::max<Index>(1, (Index(1) << 24) / n));  // draws of a sample
  std::vector<T> xi(there ? 0 : std::size_t(at_a_time * numbers));
  std::vector<double> one(std::size_t(numbers), 0.0);
  for (Index s = 0; s < law.batch(); ++s)
    for (Index first = 0; first < count; first += at_a_time) {
      const Index some = std::min(at_a_time, count - first);
      if constexpr (!there)
        for (Index j = 0; j < some; ++j) {
          Stream stream(seed, std::uint64_t(s) << 32 | std::uint64_t(first + j), detail::residual_substream);
          law.residual.draw(stream, std::span<double>(one));
          for (Index k = 0; k < numbers; ++k) xi[std::size_t(j * numbers + k)] = T(one[std::size_t(k)]);
        }
      device.run(some, [&](Index m) {
        cuda::DeviceArena& arena = device.arena();
        T *const mean = arena.keep<T>(std::size_t(n)), *const factor = arena.keep<T>(std::size_t(n * rank)),
                 *const b = arena.keep<T>(std::size_t(n * rank)),
                 *const eta = nugget ? arena.keep<T>(std::size_t(n)) : nullptr,
                 *const z = arena.keep<T>(std::size_t(m * numbers)),
                 *const u = arena.keep<T>(std::size_t(m * n));
        device.upload(law.mean.data() + s * n, mean, std::size_t(n));
        device.upload(law.factor.data() + s * n * rank, factor, std::size_t(n * rank));
        if (nugget) device.upload(law.nugget.data() + s * n, eta, std::size_t(n));
        using Draw = cuda::detail::DrawGaussian<T>;
        if constexpr (there)
          device.for_each(m * Draw::pairs(numbers), Draw{seed, s, first, numbers, z});
        else
          device.upload(xi.data(), z, std::size_t(m * numbers));
        device.for_each(n * rank, cuda::detail::FactorRows<T>{factor, law.points(), law.channels(), rank, b});
        device.for_each(m * n, cuda::detail::MeanAndNoise<T>{mean, eta, z, n, numbers, u});
        device.multiply<T>({u, m, n, n}, {z, m, rank, numbers}, cuda::Op::plain, {b, rank, n, n},
                           cuda::Op::plain, Write::add);
        device.download(u, draws.data() + (s * count + first) * n, std::size_t(m * n));
        if (!device.measuring()) device.wait();
      });
    }
  to_user_units(draws, law.warp);
  return draws;
}

/// Var[u(c,x)] = Σ_k B_k(c,x)² + η(c,x)²
template <class T, int D, class R, class W> Field<T, D> variance(const Law<T, D, R, W>& law, Cuda& device) {
  static_assert(std::is_same_v<W, Unwarped>,
                "mno: the variance of a warped law is computed on the host: variance(law)");
  Field<T, D> result(law.batch(), law.grid(), law.channels());
  const Index n = law.size(), rank = law.rank();
  device.run(law.batch(), [&](Index samples) {
    T *const factor = device.arena().template keep<T>(std::size_t(samples * n * rank)),
             *const eta =
                 law.has_nugget() ? device.arena().template keep<T>(std::size_t(samples * n)) : nullptr,
             *const v = device.arena().template keep<T>(std::size_t(samples * n));
    device.upload(law.factor.data(), factor, std::size_t(samples * n * rank));
    if (eta) device.upload(law.nugget.data(), eta, std::size_t(samples * n));
    device.for_each(samples * n, cuda::detail::VarianceInto<T>{factor, eta, law.channels(), rank, v});
    device.download(v, result.data(), std::size_t(samples * n));
    if (!device.measuring()) device.wait();
  });
  return result;
}

}  // namespace mno
