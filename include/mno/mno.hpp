#pragma once
// Everything: the one header that may include all the others.
#include "mno/core/buffer.hpp"
#include "mno/core/error.hpp"
#include "mno/core/field.hpp"
#include "mno/core/grid.hpp"
#include "mno/core/random.hpp"
#include "mno/core/tensor.hpp"
