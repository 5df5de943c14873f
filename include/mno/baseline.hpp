#pragma once
// The whole library and the operators of others, to compare with.
#include "mno/mno.hpp"
