// expect: a residual law needs draw(Stream&, std::span<double>) const
#include <mno/law/sample.hpp>

struct NoLaw {
#ifdef MNO_CONTROL
  void draw(mno::Stream&, std::span<double> xi) const {
    for (double& x : xi) x = 0;
  }
#endif
};
mno::Field<double, 1> draws(const mno::Law<double, 1>& law) {
  return mno::sample(mno::with_residual(law, NoLaw{}), 10, 1);
}
