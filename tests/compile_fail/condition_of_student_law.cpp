// expect: conditioning is exact for Gaussian residuals only
#include <mno/law/conditioning.hpp>
#include <mno/law/residual/student_t.hpp>

mno::Index ask(const mno::Law<double, 1, mno::StudentT>& law, std::span<const mno::Observation> seen) {
#ifdef MNO_CONTROL
  return mno::condition(mno::with_residual(law, mno::Gaussian{}), 0, seen, 0.1).rank();
#else
  return mno::condition(law, 0, seen, 0.1).rank();
#endif
}
