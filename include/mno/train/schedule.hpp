#pragma once
// The learning rate as a function of the step: linear warm-up, then constant or a half cosine.
#include <cmath>
#include <numbers>

#include "mno/core/error.hpp"
#include "mno/core/grid.hpp"

namespace mno {

enum class Decay { none, cosine };

/// Steps are counted from 0. During warm-up η_i = peak (i+1)/(warmup+1), so that the peak is reached at step
/// `warmup`; from there, with decay, η_i = final + ½(peak − final)(1 + cos π(i−warmup)/(steps−warmup)), which
/// is `final` at step `steps` and stays there.
struct Schedule {
  double peak = 1e-3;
  Decay decay = Decay::none;
  Index steps = 0;  // of the whole run; used with decay
  Index warmup = 0;
  double final = 0;

  static Schedule constant(double rate, Index warmup = 0) { return {.peak = rate, .warmup = warmup}; }
  static Schedule cosine(double peak, Index steps, Index warmup = 0, double final = 0) {
    return {.peak = peak, .decay = Decay::cosine, .steps = steps, .warmup = warmup, .final = final};
  }

  double operator()(Index step) const {
    require(step >= 0 && warmup >= 0, "Schedule", "step", Text("steps that are not negative"),
            Text(step, " with a warm-up of ", warmup));
    if (step < warmup) return peak * double(step + 1) / double(warmup + 1);
    if (decay == Decay::none) return peak;
    require(steps > warmup, "Schedule", "steps", Text("more steps than the warm-up has, ", warmup),
            Text(steps));
    if (step >= steps) return final;
    const double progress = double(step - warmup) / double(steps - warmup);
    return final + 0.5 * (peak - final) * (1 + std::cos(std::numbers::pi * progress));
  }
};

}  // namespace mno
