// mno import FILE…: data of other programs as a file that mno train reads.
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "command.hpp"
#include "import/plan.hpp"
#include "import/write.hpp"
#include "progress.hpp"

namespace program {

namespace {

namespace io = mno::io;

int import_files(ImportOptions& options) {
  require_folder_of(options.output);
  Plan plan = make_plan(options);
  if (options.missing == "drop")
    plan.lines.push_back(std::to_string(drop_missing(options, plan)) +
                         " pairs have missing values and are left out");
  if (!options.json) {
    std::cout << "Took " << plan.files[0] << (plan.files.size() > 1 ? " and those after it" : "") << " for "
              << plan.layout << ":\n";
    for (const std::string& line : plan.lines) std::cout << "  " << line << "\n";
    std::cout << std::flush;
  }
  listen_for_interruption();
  Progress progress(options.json);
  const bool done = write_data(options, plan, progress);
  progress.close();
  if (!done) {
    std::cerr << "Interrupted; nothing was written.\n";
    return stopped;
  }
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
  command->add_option("-o,--output", o.output, "The file to write, .h5 or .npz")->required();
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
