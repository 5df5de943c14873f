#pragma once
// Moments of a law and draws u = m + Bᵀξ from it on the GPU. Gaussian ξ are drawn there, from the same
// integers as on the host; other residual laws draw ξ on the host, r numbers per draw, and the fields are
// made on the device.
#include "mno/cuda/elementwise.hpp"
#include "mno/law/sample.hpp"

namespace mno {

namespace cuda::detail {

/// ξ of every draw: one thread per draw, as on the host.
template <class T> struct DrawGaussian {
  std::uint64_t seed;
  Index first_sample, first_draw, draws, rank;
  T* xi;  // (sample, draw, k)
  MNO_HOST_DEVICE void operator()(Index i) const {
    const std::uint64_t sample = std::uint64_t(first_sample + i / draws),
                        draw = std::uint64_t(first_draw + i % draws);
    Stream stream(seed, sample << 32 | draw, mno::detail::residual_substream);
    for (Index k = 0; k < rank; ++k) xi[i * rank + k] = T(stream.normal());
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
template <class T> struct RepeatMean {
  const T* mean;
  Index entries, draws;
  T* to;
  MNO_HOST_DEVICE void operator()(Index i) const {
    to[i] = mean[i / entries / draws * entries + i % entries];
  }
};
template <class T> struct VarianceInto {
  const T* factor;
  Index channels, rank;
  T* to;
  MNO_HOST_DEVICE void operator()(Index i) const {
    to[i] =
        T(mno::detail::row_variance(factor + i / channels * rank * channels, i % channels, channels, rank));
  }
};

}  // namespace cuda::detail

/// As on the CPU: draw j of sample s is entry s·count + j and depends on (seed, s, j) and the law of s alone.
template <class T, int D, class R = Gaussian>
Field<T, D> sample(const Law<T, D>& law, Index count, std::uint64_t seed, const R& residual, Cuda& device) {
  static_assert(ResidualLaw<R>, "mno: a residual law needs draw(Stream&, std::span<double>) const");
  require(count >= 1, "sample", "count", Text("at least one draw"), Text(count));
  require(count < (Index(1) << 32), "sample", "count", Text("less than 2^32 draws"), Text(count));
  Field<T, D> draws(law.batch() * count, law.grid(), law.channels());
  const Index rank = law.rank(), n = law.size();
  constexpr bool there = std::is_same_v<R, Gaussian>;
  const Index at_a_time =
      std::min<Index>(count, std::max<Index>(1, (Index(1) << 24) / n));  // draws of a sample
  std::vector<T> xi(there ? 0 : std::size_t(at_a_time * rank));
  std::vector<double> one(std::size_t(rank), 0.0);
  for (Index s = 0; s < law.batch(); ++s)
    for (Index first = 0; first < count; first += at_a_time) {
      const Index some = std::min(at_a_time, count - first);
      if constexpr (!there)
        for (Index j = 0; j < some; ++j) {
          Stream stream(seed, std::uint64_t(s) << 32 | std::uint64_t(first + j), detail::residual_substream);
          residual.draw(stream, std::span<double>(one));
          for (Index k = 0; k < rank; ++k) xi[std::size_t(j * rank + k)] = T(one[std::size_t(k)]);
        }
      device.run(some, [&](Index m) {
        cuda::DeviceArena& arena = device.arena();
        T *const mean = arena.keep<T>(std::size_t(n)), *const factor = arena.keep<T>(std::size_t(n * rank)),
                 *const b = arena.keep<T>(std::size_t(n * rank)),
                 *const z = arena.keep<T>(std::size_t(m * rank)),
                 *const u = arena.keep<T>(std::size_t(m * n));
        device.upload(law.mean.data() + s * n, mean, std::size_t(n));
        device.upload(law.factor.data() + s * n * rank, factor, std::size_t(n * rank));
        if constexpr (there)
          device.for_each(m, cuda::detail::DrawGaussian<T>{seed, s, first, m, rank, z});
        else
          device.upload(xi.data(), z, std::size_t(m * rank));
        device.for_each(n * rank, cuda::detail::FactorRows<T>{factor, law.points(), law.channels(), rank, b});
        device.for_each(m * n, cuda::detail::RepeatMean<T>{mean, n, m, u});
        device.multiply<T>({u, m, n, n}, {z, m, rank, rank}, cuda::Op::plain, {b, rank, n, n},
                           cuda::Op::plain, Write::add);
        device.download(u, draws.data() + (s * count + first) * n, std::size_t(m * n));
        if (!device.measuring()) device.wait();
      });
    }
  return draws;
}
template <class T, int D>
Field<T, D> sample(const Law<T, D>& law, Index count, std::uint64_t seed, Cuda& device) {
  return sample(law, count, seed, Gaussian{}, device);
}

/// Var[u(c,x)] = Σ_k B_k(c,x)²
template <class T, int D> Field<T, D> variance(const Law<T, D>& law, Cuda& device) {
  Field<T, D> result(law.batch(), law.grid(), law.channels());
  const Index n = law.size(), rank = law.rank();
  device.run(law.batch(), [&](Index samples) {
    T *const factor = device.arena().template keep<T>(std::size_t(samples * n * rank)),
             *const v = device.arena().template keep<T>(std::size_t(samples * n));
    device.upload(law.factor.data(), factor, std::size_t(samples * n * rank));
    device.for_each(samples * n, cuda::detail::VarianceInto<T>{factor, law.channels(), rank, v});
    device.download(v, result.data(), std::size_t(samples * n));
    if (!device.measuring()) device.wait();
  });
  return result;
}

}  // namespace mno
