// expect: a covariance as an operator belongs to the law's own coordinates
#include <mno/law/covariance.hpp>
#include <mno/law/warp/log.hpp>

mno::Covariance<double> ask(const mno::Law<double, 1, mno::Gaussian, mno::LogWarp>& law) {
#ifdef MNO_CONTROL
  return mno::covariance(mno::unwarped(law), 0);
#else
  return mno::covariance(law, 0);
#endif
}
