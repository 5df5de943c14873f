// expect: mean and variance of a log-warped law need log_moment(s) of its residual law
#include <mno/law/quantile.hpp>
#include <mno/law/residual/student_t.hpp>
#include <mno/law/warp/log.hpp>

mno::Field<double, 1> ask(const mno::Law<double, 1, mno::StudentT, mno::LogWarp>& law) {
#ifdef MNO_CONTROL
  return mno::quantile(law, 0.5);
#else
  return mno::mean(law);
#endif
}
