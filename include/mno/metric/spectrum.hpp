#pragma once
// Energy per wavenumber, averaged over conditions and summed over channels:
//
//   E_s = Σ_{k : round|k| = s} |f̂_k|²,   Σ_s E_s = ∫ f² dx / |D|   (Parseval)
//
// with f̂_k the coefficients of the trigonometric interpolant as spectral/wavenumbers.hpp has them, so a field
// has the same spectrum on every grid that resolves it; the wave ±N/2 of an even grid counts as the cosine
// that it stands for, with mean square ½. In a box with unequal sides, |k| is the physical wavenumber in
// units of 2π over the longest side. A field with walls has the spectrum of its periodic box
// (spectral/box.hpp), whose sides are a quarter longer: read as periodic, it would jump from one wall to the
// other, and the jump would hide its short waves.
#include <algorithm>
#include <cmath>
#include <vector>

#include "mno/metric/moments.hpp"
#include "mno/spectral/box.hpp"
#include "mno/spectral/transform.hpp"

namespace mno::metric {

template <int D> class EnergySpectrum {
 public:
  EnergySpectrum(const Grid<D>& grid, Index channels)
      : grid_(grid),
        box_(box_of(grid)),
        channels_(checked(grid, channels)),
        transform_(
            transform_key(box_, channels, 1 + *std::max_element(box_.points.begin(), box_.points.end()))),
        coefficients_(std::size_t(transform_.modes() * 2 * channels)),
        in_box_(std::size_t(box_.size() * channels)) {
    const auto& length = box_.domain.length;
    const double longest = *std::max_element(length.begin(), length.end());
    for (Index i = 0; i < transform_.modes(); ++i) {
      const auto k = transform_.waves().wave(i);
      double square = 0;
      for (std::size_t d = 0; d < std::size_t(D); ++d)
        square += std::pow(double(k[d]) * longest / length[d], 2);
      shells_.push_back(std::size_t(std::lround(std::sqrt(square))));
    }
    energy_.assign(1 + *std::max_element(shells_.begin(), shells_.end()), 0.0);
  }

  /// One flattened field, entry x·C + c.
  void add(const Eigen::VectorXd& field) {
    detail::require_entries("metric::EnergySpectrum", "field", grid_.size() * channels_, field.size());
    const mno::Spectrum<double> spectrum{coefficients_.data(), transform_.modes(), 1, channels_};
    const mno::detail::ExtendToBox<double, D> extend{{field.data(), 1, grid_, channels_, channels_},
                                                     {in_box_.data(), 1, box_, channels_, channels_}};
    for (Index p = 0; p < box_.size(); ++p)
      for (Index c = 0; c < channels_; ++c) extend(p, c);
    transform_.project(extend.box, spectrum, Weight::analysis, scratch_);
    for (Index i = 0; i < transform_.modes(); ++i) {
      const Eigen::Map<const Eigen::VectorXd> both(spectrum.at(i, 0), 2 * channels_);  // re|im, channel
      energy_[shells_[std::size_t(i)]] += transform_.waves().multiplicity(i) * both.squaredNorm();
    }
    ++count_;
  }

  /// E_s for s = 0, 1, …
  std::vector<double> value() const {
    std::vector<double> result;
    for (const double e : energy_)
      result.push_back(detail::Average{e, count_}.value("metric::EnergySpectrum"));
    return result;
  }

 private:
  static Index checked(const Grid<D>& grid, Index channels) {
    require(channels >= 1, "metric::EnergySpectrum", "channels", Text("at least one"), Text(channels));
    require(*std::min_element(grid.points.begin(), grid.points.end()) >= 1, "metric::EnergySpectrum", "grid",
            Text("at least one point on every axis"), Text(grid.str()));
    return channels;
  }
  Grid<D> grid_, box_;
  Index channels_;
  Transform<double, D> transform_;
  std::vector<double> coefficients_, in_box_, energy_;
  std::vector<std::size_t> shells_;
  Index count_ = 0;
  Arena scratch_;
};

/// Spectra of the mean field and of the variance field.
template <int D> class MomentSpectra {
 public:
  MomentSpectra(const Grid<D>& grid, Index channels) : mean_(grid, channels), variance_(grid, channels) {}

  void add(const Moments& moments) {
    mean_.add(moments.mean);
    variance_.add(moments.variance);
  }
  std::vector<double> mean() const { return mean_.value(); }
  std::vector<double> variance() const { return variance_.value(); }

 private:
  EnergySpectrum<D> mean_, variance_;
};

}  // namespace mno::metric
