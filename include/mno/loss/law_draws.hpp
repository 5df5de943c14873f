#pragma once
// Draws from the laws of a block by reparametrisation: noise goes in, fields come out, and derivatives pass
// from the fields to the law.
//
//   x = m + Σ_k B_k ξ_k + η ζ,   ξ, ζ = √S z,  z ~ N(0, 1) independent
//   m̄ += Σ x̄,   B̄_k += Σ x̄ ξ_k,   η̄ += Σ x̄ ζ        sums over the draws of a sample
//
// S = 1 for Gaussian residuals; for others it is one number per draw (law/residual.hpp), which does not
// depend on the law's mean, factor and nugget, so the adjoint is the same. ξ and ζ are a function of (seed,
// step, sample, draw): the same on every device and for any threads.
#include <cmath>

#include "mno/core/random.hpp"
#include "mno/law/block.hpp"
#include "mno/law/factor.hpp"

namespace mno::detail {

struct LawNoise {
  std::uint64_t seed = 0, step = 0;

  MNO_HOST_DEVICE Stream stream(Index sample, Index draw) const {
    constexpr std::uint32_t purpose = 0x64726177;  // "draw": apart from other uses of the same seed
    return Stream(seed, step << 32 | std::uint64_t(sample), purpose + std::uint32_t(draw));
  }
  /// ξ_1 … ξ_r of a draw.
  MNO_HOST_DEVICE void draw_xi(Index sample, Index draw, Index rank, double* xi) const {
    Stream random = stream(sample, draw);
    for (Index k = 0; k < rank; ++k) xi[k] = random.normal();
  }
  /// ζ of one entry; two entries share a block of the stream, behind those of ξ.
  MNO_HOST_DEVICE double zeta(Index sample, Index draw, Index rank, Index entry) const {
    Stream random = stream(sample, draw).from_block(std::uint32_t((rank + 1) / 2 + entry / 2));
    const double even = random.normal();
    return entry % 2 == 0 ? even : random.normal();
  }
  /// √S of a draw, from a stream of its own.
  template <class Residual> double deviation(const Residual& residual, Index sample, Index draw) const {
    constexpr std::uint32_t purpose = 0x6D697864;  // "mixd"
    Stream random(seed, step << 32 | std::uint64_t(sample), purpose + std::uint32_t(draw));
    return std::sqrt(residual.draw_variance(random));
  }
};

/// The draws of all samples of a block: sample·S + draw, with room for them and their cotangents.
template <class T, int D> struct LawDraws {
  LawBlock<T, D> law;
  Index draws = 1;
  double* xi = nullptr;       // (sample, draw, k)
  double* zeta = nullptr;     // (sample, draw, entry), or null: no nugget
  View<T, D> value{}, bar{};  // (sample·S + draw, grid…, C)

  MNO_HOST_DEVICE Index rank() const { return law.factor.channels / law.mean.channels; }
  MNO_HOST_DEVICE Index entries() const { return law.mean.points() * law.mean.channels; }

  // Noise of the i-th draw of all, i = sample·S + draw, and of one of its entries.
  MNO_HOST_DEVICE void fill_xi(const LawNoise& noise, Index i) const {
    noise.draw_xi(law.first + i / draws, i % draws, rank(), xi + i * rank());
  }
  MNO_HOST_DEVICE void fill_zeta(const LawNoise& noise, Index i, Index entry) const {
    zeta[i * entries() + entry] = noise.zeta(law.first + i / draws, i % draws, rank(), entry);
  }

  /// ξ and ζ of the i-th draw times √S.
  void scale(Index i, double deviation) const {
    for (Index k = 0; k < rank(); ++k) xi[i * rank() + k] *= deviation;
    if (zeta)
      for (Index entry = 0; entry < entries(); ++entry) zeta[i * entries() + entry] *= deviation;
  }

  /// x at an entry of the i-th draw; x̄ = 0 there.
  MNO_HOST_DEVICE void draw(Index i, Index entry) const {
    const Index c = law.mean.channels, row = i / draws * law.mean.points() + entry / c, channel = entry % c;
    const Index r = rank();
    double x = double(law.mean.row(row)[channel]);
    for (Index k = 0; k < r; ++k)
      x += double(law.factor.row(row)[factor_channel(k, channel, c)]) * xi[i * r + k];
    if (zeta) x += double(law.nugget.row(row)[channel]) * zeta[i * entries() + entry];
    value.data[i * entries() + entry] = T(x);
    bar.data[i * entries() + entry] = T(0);
  }
  /// x̄ of all draws of a sample at an entry, to the law's cotangents.
  MNO_HOST_DEVICE void pull_back(Index sample, Index entry) const {
    const Index c = law.mean.channels, row = sample * law.mean.points() + entry / c, channel = entry % c;
    const Index r = rank(), n = entries(), first = sample * draws;
    double mean_bar = 0, nugget_bar = 0;
    for (Index i = first; i < first + draws; ++i) {
      const double x_bar = double(bar.data[i * n + entry]);
      mean_bar += x_bar;
      if (zeta) nugget_bar += x_bar * zeta[i * n + entry];
    }
    law.mean_bar.row(row)[channel] += T(mean_bar);
    if (zeta) law.nugget_bar.row(row)[channel] += T(nugget_bar);
    for (Index k = 0; k < r; ++k) {
      double sum = 0;
      for (Index i = first; i < first + draws; ++i) sum += double(bar.data[i * n + entry]) * xi[i * r + k];
      law.factor_bar.row(row)[factor_channel(k, channel, c)] += T(sum);
    }
  }

  DrawBlock<T, D> block() const { return {law.first, draws, value, bar}; }
};

/// With memory from take<Number>(count).
template <class T, int D, class Memory>
LawDraws<T, D> law_draws(const LawBlock<T, D>& law, Index draws, Memory& memory) {
  LawDraws<T, D> all{law, draws};
  const Index fields = law.mean.batch * draws, n = all.entries();
  all.xi = memory.template take<double>(std::size_t(fields * all.rank()));
  if (law.nugget) all.zeta = memory.template take<double>(std::size_t(fields * n));
  const auto field = [&] {
    return View<T, D>{memory.template take<T>(std::size_t(fields * n)), fields, law.mean.grid,
                      law.mean.channels, law.mean.channels};
  };
  all.value = field();
  all.bar = field();
  return all;
}

}  // namespace mno::detail
