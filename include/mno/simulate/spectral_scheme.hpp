#pragma once
// The numbers that define a spectral simulation on a periodic line or square, and what they must satisfy.
#include <array>
#include <cmath>

#include "mno/simulate/initial.hpp"
#include "mno/simulate/noise.hpp"

namespace mno {

/// What a spectral equation is to the stepper.
template <class Initial, class Noise, Index Channels = 1> struct SpectralSchemeOf {
  const char* name;
  const char* remedy;                               // what to change when it blows up
  std::array<double, std::size_t(Channels)> sigma;  // of each channel's noise
  double dt;                                        // time step
  Index points;                                     // of the grid it is simulated on, per axis
  Index kept;                                       // points that are handed out, a divisor of `points`
  Index highest;                                    // modes |k| ≤ highest are kept on every axis
  Initial initial;                                  // u_0
  Noise noise;                                      // q_k

  void check() const {
    initial.check();
    noise.check();
    for (const double s : sigma)
      require(std::isfinite(s) && s >= 0, name, "sigma", Text("a number that is not negative"), Text(s));
    require(std::isfinite(dt) && dt > 0, name, "time", Text("a positive time in at least one step"),
            Text("steps of ", dt));
    require(points >= 4, name, "simulated", Text("at least 4 points"), Text(points));
    require(kept >= 1 && points % kept == 0, name, "kept", Text("a divisor of the simulated ", points),
            Text(kept));
    require(initial.modes <= highest, name, "initial.modes",
            Text("at most ", highest, ", what ", points, " points carry"), Text(initial.modes));
    require(noise.modes() <= highest, name, "noise",
            Text("at most ", highest, " modes on ", points, " points"), Text(noise.modes()));
  }
};
/// … of one channel on a line.
using SpectralScheme = SpectralSchemeOf<InitialField, ModalNoise>;

}  // namespace mno
