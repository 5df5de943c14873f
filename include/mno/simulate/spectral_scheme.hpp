#pragma once
// The numbers that define a spectral simulation on [0,1), and what they must satisfy.
#include <cmath>

#include "mno/simulate/initial.hpp"
#include "mno/simulate/noise.hpp"

namespace mno {

/// What a spectral equation is to the stepper.
struct SpectralScheme {
  const char* name;
  const char* remedy;    // what to change when it blows up
  double sigma;          // of the noise
  double dt;             // time step
  Index points;          // of the grid it is simulated on
  Index kept;            // points that are handed out, a divisor of `points`
  Index highest;         // modes |k| ≤ highest are kept
  InitialField initial;  // u_0
  Noise noise;           // q_k

  void check() const {
    initial.check();
    noise.check();
    require(std::isfinite(sigma) && sigma >= 0, name, "sigma", text("a number that is not negative"),
            text(sigma));
    require(std::isfinite(dt) && dt > 0, name, "time", text("a positive time in at least one step"),
            text("steps of ", dt));
    require(points >= 4, name, "simulated", text("at least 4 points"), text(points));
    require(kept >= 1 && points % kept == 0, name, "kept", text("a divisor of the simulated ", points),
            text(kept));
    require(initial.modes <= highest, name, "initial.modes",
            text("at most ", highest, ", what ", points, " points carry"), text(initial.modes));
    require(noise.modes() <= highest, name, "noise",
            text("at most ", highest, " modes on ", points, " points"), text(noise.modes()));
  }
};

}  // namespace mno
