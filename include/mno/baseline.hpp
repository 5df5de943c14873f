#pragma once
// The whole library and the operators of others, to compare with.
#include "mno/baseline/diffusion.hpp"
#include "mno/baseline/diffusion_data.hpp"
#include "mno/baseline/f_spdeno.hpp"
#include "mno/baseline/fit_diffusion.hpp"
#include "mno/baseline/neural_cde.hpp"
#include "mno/baseline/neural_sde.hpp"
#include "mno/baseline/neural_spde.hpp"
#include "mno/baseline/noise_ffno.hpp"
#include "mno/baseline/noise_fno.hpp"
#include "mno/baseline/sdeno.hpp"
#include "mno/baseline/wiener_chaos.hpp"
#include "mno/mno.hpp"
