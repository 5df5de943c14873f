// expect: condition in the law's own coordinates
#include <mno/law/conditioning.hpp>
#include <mno/law/warp/log.hpp>

using WarpedLaw = mno::Law<double, 1, mno::Gaussian, mno::LogWarp>;
WarpedLaw ask(const WarpedLaw& law, std::span<const mno::Observation> seen) {
#ifdef MNO_CONTROL
  return mno::with_warp(mno::condition(mno::unwarped(law), 0, seen, 0.1), law.warp);
#else
  return mno::condition(law, 0, seen, 0.1);
#endif
}
