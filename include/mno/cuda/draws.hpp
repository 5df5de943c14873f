#pragma once
// Terms of draws on the device: the formulas are those of loss/, the sums around them are here. A thread has
// a pair of fields, or an entry of one.
#include "mno/cuda/loss_kernels.hpp"
#include "mno/loss/fair_crps.hpp"
#include "mno/loss/fair_energy_score.hpp"

namespace mno::cuda {

namespace detail {

/// ‖x_i − p_j‖ of all pairs: (condition, draw, partner), with room for `most` partners.
template <class T, int D> struct PairDistances {
  FairEnergyScore term;
  mno::detail::DrawPairs<T, D> pairs;
  Index most;
  double* to;
  MNO_HOST_DEVICE void operator()(Index at) const {
    const Index j = at % most, i = at / most % pairs.block.draws, b = at / most / pairs.block.draws;
    to[at] = j < pairs.partners(b) ? term.distance(pairs, b, i, j) : 0;
  }
};
/// The value of each pair, to be summed over a condition.
template <class T, int D> struct PairValue {
  mno::detail::DrawPairs<T, D> pairs;
  Index most;
  const double* distances;
  MNO_HOST_DEVICE double operator()(Index b, Index at) const {
    const Index j = at % most, i = at / most;
    return j < pairs.partners(b) ? pairs.weight(b, i, j) * distances[b * pairs.block.draws * most + at] : 0;
  }
};
template <class T, int D> struct EnergyBars {
  PairValue<T, D> of;
  double share;
  MNO_HOST_DEVICE void operator()(Index row, Index channel) const {
    const auto& pairs = of.pairs;
    const Index points = pairs.block.value.points(), sample = row / points, point = row % points;
    const Index b = sample / pairs.block.draws, i = sample % pairs.block.draws;
    const double x = pairs.draw(b, i)(point, channel);
    double sum = 0;
    for (Index j = 0; j < pairs.partners(b); ++j)
      sum += FairEnergyScore::factor(pairs, b, i, j, of.distances[sample * of.most + j]) *
             (x - pairs.partner(b, j)(point, channel));
    pairs.block.value_bar.row(row)[channel] += T(share * sum);
  }
};

/// The shares of a condition's entries, and their cotangents.
template <class T, int D> struct CrpsValue {
  FairCrps term;
  mno::detail::DrawPairs<T, D> pairs;
  MNO_HOST_DEVICE double operator()(Index b, Index at) const {
    const auto& like = pairs.block.value;
    const Index n = like.points() * like.channels, entry = at % n;
    return term.entry(pairs, b, at / n, entry / like.channels, entry % like.channels).value;
  }
};
template <class T, int D> struct CrpsBars {
  CrpsValue<T, D> of;
  double share;
  MNO_HOST_DEVICE void operator()(Index row, Index channel) const {
    const auto& block = of.pairs.block;
    const Index points = block.value.points(), sample = row / points;
    const auto at =
        of.term.entry(of.pairs, sample / block.draws, sample % block.draws, row % points, channel);
    block.value_bar.row(row)[channel] += T(share * at.bar);
  }
};
/// values[b] += factor · sums[b]
struct AddScaled {
  const double* sums;
  double factor;
  double* values;
  MNO_HOST_DEVICE void operator()(Index b) const { values[b] += factor * sums[b]; }
};

// The draws of laws: noise, fields, and back.
template <class T, int D> struct FillXi {
  mno::detail::LawDraws<T, D> all;
  mno::detail::LawNoise noise;
  MNO_HOST_DEVICE void operator()(Index i) const { all.fill_xi(noise, i); }
};
template <class T, int D> struct DrawEntry {
  mno::detail::LawDraws<T, D> all;
  mno::detail::LawNoise noise;
  MNO_HOST_DEVICE void operator()(Index at) const {
    const Index i = at / all.entries(), entry = at % all.entries();
    if (all.zeta) all.fill_zeta(noise, i, entry);
    all.draw(i, entry);
  }
};
template <class T, int D> struct PullBackEntry {
  mno::detail::LawDraws<T, D> all;
  MNO_HOST_DEVICE void operator()(Index at) const { all.pull_back(at / all.entries(), at % all.entries()); }
};

/// Memory of the device, with the interface of the host's Arena.
struct Scratch {
  DeviceArena& arena;
  template <class Number> Number* take(std::size_t n) { return arena.template scratch<Number>(n); }
};

}  // namespace detail

/// Draws and target are in the device's memory; `host` is the target as the host sees it.
template <class T, int D> class DrawsOnDevice {
 public:
  DrawsOnDevice(Pass<T, D, Cuda>& pass, const DrawBlock<T, D>& block, const Target<T, D>& target,
                const Target<T, D>& host)
      : pass_(pass), device_(pass.device()), pairs_{block, target}, host_(host) {}

  /// Adds the cotangents of all terms, and their values per condition, weights and scale included.
  template <class... Terms> void add(const OnDraws<Terms...>& draws, double* values) {
    pairs_.block.members = draws.members;
    draws.for_each_term([&]<class Term>(const Term& term) {
      static_assert(
          std::is_same_v<Term, FairEnergyScore> || std::is_same_v<Term, FairCrps>,
          "mno: this term of draws has no version for mno::Cuda: FairEnergyScore and FairCrps have");
      term.need(pairs_.block, host_);
      const DeviceScope scope(device_.arena());
      one(term, draws.weight * term.weight / double(pairs_.target.samples()), values);
    });
  }

 private:
  void one(const FairEnergyScore& term, double share, double* values) {
    Index most = 1;
    if (host_.members)
      for (const Index count : host_.counts) most = std::max(most, count);
    most += draws_;
    double* const distances = take(conditions_ * draws_ * most);
    device_.for_each(conditions_ * draws_ * most, detail::PairDistances<T, D>{term, pairs_, most, distances});
    const detail::PairValue<T, D> value{pairs_, most, distances};
    sum(value, draws_ * most, share, values);
    pass_.for_each(pairs_.block.value, detail::EnergyBars<T, D>{value, share});
  }
  void one(const FairCrps& term, double share, double* values) {
    const detail::CrpsValue<T, D> value{term, pairs_};
    share /= pairs_.entries();
    sum(value, draws_ * Index(pairs_.entries()), share, values);
    pass_.for_each(pairs_.block.value, detail::CrpsBars<T, D>{value, share});
  }
  template <class F> void sum(const F& f, Index n, double share, double* values) {
    double* const sums = take(conditions_);
    reduce<double>(device_, conditions_, n, f, sums);
    device_.for_each(conditions_, detail::AddScaled{sums, share, values});
  }
  double* take(Index n) { return device_.arena().template scratch<double>(std::size_t(n)); }

  Pass<T, D, Cuda>& pass_;
  Cuda& device_;
  mno::detail::DrawPairs<T, D> pairs_;
  Target<T, D> host_;
  Index draws_ = pairs_.block.draws, conditions_ = pairs_.block.conditions();
};

/// The same on draws from laws.
template <class T, int D, class... Terms>
void add_draws_of_law(Pass<T, D, Cuda>& pass, const OnDraws<Terms...>& term, const LawBlock<T, D>& law,
                      const Target<T, D>& target, const Target<T, D>& host, double* values) {
  require(term.residual.gaussian(), "OnDraws", "residual",
          Text("gaussian, as what is drawn from laws on a GPU is"), Text(term.residual.text()));
  Cuda& device = pass.device();
  const DeviceScope scope(device.arena());
  detail::Scratch memory{device.arena()};
  const auto all = mno::detail::law_draws(law, term.draws, memory);
  const mno::detail::LawNoise noise{term.seed, target.step};
  device.for_each(all.value.batch, detail::FillXi<T, D>{all, noise});
  device.for_each(all.value.batch * all.entries(), detail::DrawEntry<T, D>{all, noise});
  DrawsOnDevice<T, D>(pass, all.block(), target, host).add(term, values);
  device.for_each(law.mean.batch * all.entries(), detail::PullBackEntry<T, D>{all});
}

}  // namespace mno::cuda
