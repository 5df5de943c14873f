#pragma once
// Ensembles of the benchmarks, for other commands.
#include <filesystem>
#include <mno/simulate/simulate.hpp>
#include <string>

#include "progress.hpp"

namespace program {

/// Draws ensembles of an equation with its standard constants into an .npz file. False if it was interrupted:
/// then nothing is written.
bool simulate_benchmark(const std::string& name, const mno::Sampling& sampling,
                        const std::filesystem::path& output, int threads, Progress& progress);

}  // namespace program
