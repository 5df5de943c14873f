// expect: a warp needs map(z, channel), inverse(u, channel) and slope(z, channel)
#include <mno/law/sample.hpp>

struct Shift {
  double map(double z, mno::Index) const { return z + 1; }
  double slope(double, mno::Index) const { return 1; }
#ifdef MNO_CONTROL
  double inverse(double u, mno::Index) const { return u - 1; }
#endif
};
mno::Field<double, 1> draws(const mno::Law<double, 1>& law) {
  return mno::sample(mno::with_warp(law, Shift{}), 10, 1);
}
