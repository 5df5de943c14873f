// expect: a log density needs a residual law with log_density(q, n)
#include <mno/law/density.hpp>
#include <mno/law/residual/compound_poisson.hpp>
#include <mno/law/residual/laplace.hpp>

#ifdef MNO_CONTROL
using Residual = mno::Laplace;
#else
using Residual = mno::CompoundPoisson;
#endif
double ask(const mno::Law<double, 1, Residual>& law) { return mno::log_density(law, law.mean)[0]; }
