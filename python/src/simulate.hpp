#pragma once
// Ensembles of equations by name.
#include "arrays.hpp"
#include "session.hpp"

namespace package {

std::vector<std::string> equations();

/// u0, uT, t, length and bounded, as files of ensembles have them.
nb::dict simulate(const std::string& name, const nb::dict& constants, Index samples, Index members,
                  std::uint64_t seed, Index first_sample, const std::vector<double>& times, int threads);

}  // namespace package
