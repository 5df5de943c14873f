#pragma once
// The whole library and the operators of others, to compare with.
#include "mno/baseline/residual_covariance.hpp"
#include "mno/mno.hpp"
