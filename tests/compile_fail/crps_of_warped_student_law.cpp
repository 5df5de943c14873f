// expect: under a log or an asinh warp the CRPS needs log_moment(s) of the residual law
#include <mno/law/marginal_crps.hpp>
#include <mno/law/residual/student_t.hpp>
#include <mno/law/warp/asinh.hpp>

mno::Field<double, 1> ask(const mno::Law<double, 1, mno::StudentT, mno::AsinhWarp>& law,
                          const mno::Field<double, 1>& values) {
#ifdef MNO_CONTROL
  return mno::crps(mno::unwarped(law), values);
#else
  return mno::crps(law, values);
#endif
}
