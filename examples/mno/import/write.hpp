#pragma once
// Writing what a plan has, row after row.
#include <mno/io/safe_file.hpp>

#include "plan.hpp"
#include "progress.hpp"
#include "shards.hpp"

namespace program {

/// Leaves out rows of the plan in which a value is missing; how many.
mno::Index drop_missing(const ImportOptions& options, Plan& plan);

/// Writes the rows of the plan into one file. `go_on` is asked steps_of(plan) times; false if it says no, and
/// then nothing is written.
bool write_data(const ImportOptions& options, Plan& plan, const std::filesystem::path& output,
                mno::io::Keep keep, Progress& progress, const GoOn& go_on);
mno::Index steps_of(const Plan& plan, mno::Index rows);

}  // namespace program
