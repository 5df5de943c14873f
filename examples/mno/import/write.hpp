#pragma once
// Writing what a plan has, row after row.
#include "plan.hpp"
#include "progress.hpp"

namespace program {

/// Leaves out rows of the plan in which a value is missing; how many.
mno::Index drop_missing(const ImportOptions& options, Plan& plan);

/// False if it was interrupted: then nothing is written.
bool write_data(const ImportOptions& options, Plan& plan, Progress& progress);

}  // namespace program
