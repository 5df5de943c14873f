// Peak memory of a training step: model, moments, gradient, workspaces and data, each case in its own
// process.
#include "memory_cases.hpp"
