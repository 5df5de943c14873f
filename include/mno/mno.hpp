#pragma once
// Martingale Neural Operators: everything. A program that needs less includes less.
#include "mno/core/tensor.hpp"
#include "mno/law/conditioning.hpp"
#include "mno/law/covariance.hpp"
#include "mno/law/density.hpp"
#include "mno/law/distance.hpp"
#include "mno/law/functional.hpp"
#include "mno/law/quantile.hpp"
#include "mno/law/sample.hpp"
#include "mno/model/gradient.hpp"
#include "mno/spectral/resample.hpp"
