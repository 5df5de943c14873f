// expect: a linear functional of a warped law has no closed form
#include <mno/law/functional.hpp>
#include <mno/law/warp/log.hpp>

mno::Marginal<> ask(const mno::Law<double, 1, mno::Gaussian, mno::LogWarp>& law,
                    const mno::Field<double, 1>& weight) {
#ifdef MNO_CONTROL
  return mno::functional(mno::unwarped(law), 0, weight);
#else
  return mno::functional(law, 0, weight);
#endif
}
