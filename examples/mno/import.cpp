// mno import FILE…: data of other programs as a file, or a folder of shards, that mno train reads.
#include <algorithm>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <utility>

#include "command.hpp"
#include "import/plan.hpp"
#include "import/write.hpp"
#include "progress.hpp"
#include "ranks.hpp"
#include "shards.hpp"

namespace program {

namespace {

namespace io = mno::io;

/// Every rank has the plan, and writes the rows of its own shards.
bool write_sharded(const ImportOptions& options, Plan& plan, const std::filesystem::path& folder,
                   Progress& progress) {
  const std::vector<Row> rows = std::exchange(plan.rows, {});
  const std::vector<mno::Index> groups = std::exchange(plan.groups, {});
  ShardJob job;
  job.folder = folder;
  job.shards = options.shards;
  job.units = mno::Index(rows.size());
  // A row may take microseconds: ranks agree once for many.
  const mno::Index values = (1 + plan.state.members()) * plan.field_size(plan.state.channels());
  const mno::Index rows_at_once = std::max<mno::Index>(1, (mno::Index(1) << 24) / values);
  job.steps = [&](mno::Index count) { return (steps_of(plan, count) + rows_at_once - 1) / rows_at_once; };
  job.write = [&](mno::Index, mno::Index first, mno::Index count, const std::filesystem::path& file,
                  const GoOn& go_on) {
    plan.rows.assign(rows.begin() + first, rows.begin() + first + count);
    if (!groups.empty()) plan.groups.assign(groups.begin() + first, groups.begin() + first + count);
    mno::Index asked = 0;
    return write_data(options, plan, file, io::Keep::nothing, progress,
                      [&] { return asked++ % rows_at_once != 0 || go_on(); });
  };
  const bool done = write_shards(job);
  plan.rows = rows;
  return done;
}

int import_files(ImportOptions& options) {
  require_shards_of_ranks("import", options.shards);
  const bool speaks = !silent_rank();
  require_folder_of(options.output.has_filename() ? options.output : options.output.parent_path());
  Plan plan = make_plan(options);
  if (options.missing == "drop")
    plan.lines.push_back(std::to_string(drop_missing(options, plan)) +
                         " pairs have missing values and are left out");
  if (options.shards > 0)
    options.output = shard_folder("import", options.output, options.shards, mno::Index(plan.rows.size()));
  if (!options.json && speaks) {
    std::cout << "Took " << plan.files[0] << (plan.files.size() > 1 ? " and those after it" : "") << " for "
              << plan.layout << ":\n";
    for (const std::string& line : plan.lines) std::cout << "  " << line << "\n";
    std::cout << std::flush;
  }
  listen_for_interruption();
  Progress progress(options.json || !speaks);
  const bool done = options.shards > 0 ? write_sharded(options, plan, options.output, progress)
                                       : write_data(options, plan, options.output, io::Keep::previous,
                                                    progress, [] { return !interruption(); });
  progress.close();
  if (!done && speaks)
    std::cerr << "Interrupted; " << (options.shards > 0 ? not_data(options.output) : "nothing was written.")
              << "\n";
  if (!done || !speaks) return done ? succeeded : stopped;
  if (options.json) {
    nlohmann::ordered_json json{{"command", "import"},
                                {"layout", plan.layout},
                                {"samples", plan.rows.size()},
                                {"members", plan.state.members()},
                                {"channels", plan.state.channels()},
                                {"points", plan.points()},
                                {"known_fields", plan.known_fields()},
                                {"lines", plan.lines},
                                {"file", options.output.string()}};
    if (options.shards > 0) json["shards"] = options.shards;
    for (const AxisFacts& axis : plan.axes) {
      json["length"].push_back(axis.length);
      json["bounded"].push_back(axis.bounded);
    }
    std::cout << json.dump() << "\n";
  } else {
    std::cout << "Wrote " << options.output.string() << ": " << plan.rows.size() << " samples of "
              << plan.state.channels() << " channel(s) on " << io::to_string(plan.points()) << " points.\n";
  }
  return succeeded;
}

}  // namespace

void add_import(CLI::App& app, Run& run) {
  auto options = std::make_shared<ImportOptions>();
  CLI::App* command = app.add_subcommand("import", "Turn files of other programs into data that train reads");
  command->footer(
      "Examples:\n"
      "  mno import 1D_Burgers_Sols_Nu0.01.hdf5 --every 10 -o data.h5\n"
      "  mno import run.npy --axes sample,time,x --time 0.01 --lags 1,2,5 -o data.h5\n"
      "Layouts that are recognised: PDEBench, The Well, SPDEBench and torchspde, NetCDF with named axes "
      "(pfno, CF),\n"
      "APEBench, and pairs of arrays (x, y). It says what it took for what; docs/files.md has the rules.");
  auto& o = *options;
  command
      ->add_option("files", o.files,
                   "Files of one kind: .npy, .npz, HDF5, NetCDF or MATLAB's; samples follow each other")
      ->required();
  command->add_option("-o,--output", o.output, "The file to write, .h5 or .npz; with --shards, the folder")
      ->required();
  command
      ->add_option("--shards", o.shards,
                   "Write so many files into a folder, shared among the processes of mpirun")
      ->check(CLI::PositiveNumber);
  command->add_option("--variables", o.wishes.variables, "Arrays that hold the field, each with its channels")
      ->delimiter(',');
  command
      ->add_option("--axes", o.wishes.axes, "What their axes are: sample, member, time, channel, x, y, z, -")
      ->delimiter(',');
  command
      ->add_option("--input", o.wishes.input,
                   "Arrays with what is given, where it is not a frame of the field")
      ->delimiter(',');
  command->add_option("--fields", o.wishes.known, "Arrays with known fields, such as a forcing")
      ->delimiter(',');
  command->add_option("--time", o.time, "The step between frames, or the array with their times");
  command->add_option("--lags", o.pairs.lags, "Frames between what is given and what is asked for [1]")
      ->delimiter(',')
      ->check(CLI::PositiveNumber);
  command->add_option("--lag-times", o.pairs.lag_times, "The same in units of time")
      ->delimiter(',')
      ->check(CLI::PositiveNumber)
      ->excludes("--lags");
  command->add_option("--tolerance", o.pairs.tolerance, "Of --lag-times, as a part of them")
      ->check(CLI::Range(0.0, 1.0))
      ->capture_default_str();
  command->add_option("--every", o.pairs.every, "Keep every so many-th frame")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  command->add_flag("--first-only", o.pairs.first_only, "Only pairs that start from the first frame");
  command
      ->add_option("--history", o.pairs.history,
                   "Frames that are given: the last is u0, those before it are known fields")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  command->add_option("--pieces", o.pieces, "Cut every trajectory into so many, which a split may part")
      ->check(CLI::PositiveNumber);
  command->add_option("--first-sample", o.first_sample, "Leave out so many samples")
      ->check(CLI::NonNegativeNumber);
  command->add_option("--samples", o.samples, "Take so many samples (default: all)")
      ->check(CLI::PositiveNumber);
  command->add_option("--length", o.geometry.length, "Of the domain: one number, or one for every axis")
      ->delimiter(',')
      ->check(CLI::PositiveNumber);
  command->add_option("--bounded", o.geometry.bounded, "Axes that end at walls")->delimiter(',');
  command->add_option("--periodic", o.geometry.periodic, "Axes whose ends meet")->delimiter(',');
  command
      ->add_option("--missing", o.missing, "Missing values: refuse, drop (pairs that have some), or a number")
      ->capture_default_str();
  command->add_flag("--compress", o.compress, "Deflate the arrays: smaller, and slower");
  command->add_flag("--json", o.json, "Say what was done as JSON");
  command->callback([options, &run] { run = [options] { return import_files(*options); }; });
}

}  // namespace program
