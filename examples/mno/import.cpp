// mno import FILE…: data of other programs as a file that mno train reads.
#include <algorithm>
#include <cmath>
#include <iostream>
#include <mno/data/frame_pairs.hpp>
#include <mno/io/file.hpp>
#include <nlohmann/json.hpp>
#include <numeric>
#include <set>

#include "command.hpp"
#include "import/arrays.hpp"
#include "import/frames.hpp"
#include "import/geometry.hpp"
#include "import/output.hpp"
#include "progress.hpp"

namespace program {

namespace {

using mno::Index;
namespace io = mno::io;

struct ImportOptions {
  std::vector<std::filesystem::path> files{};
  std::filesystem::path output{};
  Wishes wishes{};
  GeometryWishes geometry{};
  mno::PairOptions pairs{};
  std::string time{}, missing = "refuse";
  Index first_sample = 0, samples = 0, pieces = 0;
  bool compress = false, json = false;
};

/// A row of the file to be written: a pair of frames of a sample.
struct Row {
  Index sample = 0;
  mno::FramePair pair{};
};

/// What goes into the file, and the words that say so.
struct Plan {
  std::vector<std::string> files{};
  std::string layout{};
  Frames state{}, input{}, known{};
  std::vector<AxisFacts> axes{};
  Times times{};
  std::vector<Row> rows{};
  std::vector<Index> groups{};  // (row), where there are trajectories
  std::vector<std::string> lines{};

  io::Extents points() const {
    io::Extents all;
    for (const AxisFacts& axis : axes) all.push_back(axis.points);
    return all;
  }
  io::Extents shape(std::initializer_list<Index> leading) const {
    io::Extents all(leading);
    for (const AxisFacts& axis : axes) all.push_back(axis.points);
    return all;
  }
  Index field_size(Index channels) const {
    Index product = channels;
    for (const AxisFacts& axis : axes) product *= axis.points;
    return product;
  }
};

std::string joined_names(const std::vector<std::string>& names) {
  std::string all;
  for (std::size_t i = 0; i < names.size() && i < 8; ++i) all += (i ? ", " : "") + io::plain(names[i], 60);
  return names.size() > 8 ? all + " and " + std::to_string(names.size() - 8) + " more" : all;
}

/// Opens the files and says what their arrays are. The geometry is the first file's.
void read_files(const ImportOptions& options, Plan& plan) {
  Wishes wishes = options.wishes;
  GeometryWishes geometry = options.geometry;
  if (!options.time.empty()) {
    char* end = nullptr;
    geometry.step = std::strtod(options.time.c_str(), &end);
    if (*end != '\0') geometry.step = 0, wishes.time = options.time;
    if (*end == '\0' && !(geometry.step > 0 && std::isfinite(geometry.step)))
      throw mno::Error("mno import: --time: expected a step above 0 or the name of an array, got '" +
                       options.time + "'.");
  }
  for (const auto& path : options.files) {
    const std::string name = io::file_name(path);
    const std::shared_ptr<const io::ArrayFile> file = open_arrays(path);
    const Arrays arrays(name, *file);
    const Reading reading = read_layout(arrays, wishes);
    const Index before = plan.state.samples();
    plan.state.add(name, file, reading.parts);
    if (plan.state.dimension() == 0)
      io::refuse(name, "expected an axis of space among the axes of ", reading.parts[0][0].name);
    const Index added = plan.state.samples() - before;
    for (auto [taken, frames] :
         {std::pair(&reading.input, &plan.input), std::pair(&reading.known, &plan.known)})
      if (!taken->empty()) frames->add(name, file, {*taken});
    if (plan.files.empty()) {
      plan.layout = reading.layout;
      for (const Taken& taken : reading.parts[0])
        plan.lines.push_back(text_of(taken, *arrays.shape(taken.name)));
      if (reading.parts.size() > 1)
        plan.lines.back() += ", and so on for " + std::to_string(reading.parts.size()) + " samples";
      for (const Taken& taken : reading.input)
        plan.lines.push_back(text_of(taken, *arrays.shape(taken.name)) + ": what is given, u0");
      for (const Taken& taken : reading.known)
        plan.lines.push_back(text_of(taken, *arrays.shape(taken.name)) + ": a known field");
      plan.axes = find_axes(plan.state, reading, arrays, geometry);
      for (const AxisFacts& axis : plan.axes) plan.lines.push_back(axis.line);
      for (const std::string& note : reading.notes) plan.lines.push_back(note);
      if (!reading.left_out.empty()) plan.lines.push_back("left out: " + joined_names(reading.left_out));
    }
    if (plan.state.has(Role::time) || plan.input.empty())
      add_times(plan.times, added, plan.state.frames(), reading, arrays, geometry.step);
    plan.files.push_back(name);
  }
  const auto same_points = [&](const Frames& frames, const char* what) {
    if (frames.empty()) return;
    for (std::size_t d = 0; d < 3; ++d)
      if (frames.points(d) != 1 && frames.points(d) != plan.state.points(d))
        io::refuse(plan.files[0], "expected ", what, " on the points of the field");
    if (frames.samples() != 1 && frames.samples() != plan.state.samples())
      io::refuse(plan.files[0], "expected ", what, " for each of ", plan.state.samples(), " samples, found ",
                 frames.samples());
  };
  same_points(plan.input, "what is given");
  same_points(plan.known, "known fields");
  if (!plan.input.empty() && plan.input.channels() != plan.state.channels())
    io::refuse(plan.files[0], "expected as many channels in what is given as in what is asked for, found ",
               plan.input.channels(), " and ", plan.state.channels(),
               "; what has others can be a known field: --fields NAME");
}

/// Pairs (u_s, u_{s+τ}) of every sample, or (given, asked for) where these are arrays of their own.
void choose_rows(const ImportOptions& options, Plan& plan) {
  Frames& state = plan.state;
  if (options.first_sample >= state.samples())
    throw mno::Error("mno import: --first-sample: expected a number below the " +
                     std::to_string(state.samples()) + " samples that there are.");
  const Index end = options.samples > 0 ? std::min(state.samples(), options.first_sample + options.samples)
                                        : state.samples();
  const Index taken = end - options.first_sample;
  mno::PairOptions pairs = options.pairs;
  if (!plan.input.empty()) {
    const double time = options.geometry.step > 0 ? options.geometry.step
                        : options.time.empty()    ? 1
                                                  : std::strtod(options.time.c_str(), nullptr);
    for (Index s = options.first_sample; s < end; ++s) {
      if (!state.has(Role::time)) {
        plan.rows.push_back({s, {0, 0, time > 0 ? time : 1, 0}});
        continue;
      }
      for (const auto& [row, number] : plan.times.rows)
        if (number == plan.times.of_sample[std::size_t(s)])
          for (Index f = 0; f < state.frames(); f += pairs.every)
            plan.rows.push_back({s, {0, f, row[std::size_t(f)], 0}}), plan.groups.push_back(s);
    }
    plan.lines.push_back(
        std::to_string(plan.rows.size()) + " pairs (given, asked for)" +
        (state.has(Role::time) ? ", with the frame's time" : ", at time " + short_number(time)));
    return;
  }
  if (!state.has(Role::time) || state.frames() < 2)
    io::refuse(plan.files[0],
               "expected an axis of time with at least two frames, or --input with what is given; found ",
               plan.lines.empty() ? "" : plan.lines[0]);
  plan.lines.push_back(plan.times.line);
  if (state.has(Role::member) && !pairs.first_only) {
    pairs.first_only = true;
    plan.lines.push_back("members have one field in common, the first: pairs start from it");
  }
  pairs.pieces = options.pieces;
  if (pairs.pieces == 0) {
    pairs.pieces = 1;
    const Index kept = state.frames() / pairs.every;
    if (taken == 1 && !pairs.first_only && kept >= 40) {
      pairs.pieces = 10;
      plan.lines.push_back("one trajectory: cut into 10 pieces of about " + std::to_string(kept / 10) +
                           " frames, so that some can be held back (--pieces says another number)");
    }
  }
  std::vector<std::vector<mno::FramePair>> of_row(plan.times.rows.size());
  for (const auto& [row, number] : plan.times.rows) {
    for (std::size_t f = 0; f < row.size(); ++f)
      if (!std::isfinite(row[f]) || (f > 0 && row[f] <= row[f - 1]))
        io::refuse(plan.files[0], "expected times that increase, found ", row[f], " at frame ", f,
                   "; --time STEP gives others");
    of_row[number] = mno::frame_pairs(row, pairs);
  }
  std::set<double> lags;
  for (Index s = options.first_sample; s < end; ++s)
    for (const mno::FramePair& pair : of_row[plan.times.of_sample[std::size_t(s)]]) {
      plan.rows.push_back({s, pair});
      plan.groups.push_back(s * pairs.pieces + pair.piece);
      if (lags.size() < 5) lags.insert(double(float(pair.time)));
    }
  if (plan.rows.empty())
    io::refuse(plan.files[0], "has no two frames at the lags that are asked for; it has ", state.frames(),
               " frames from ", plan.times.rows.begin()->first.front(), " to ",
               plan.times.rows.begin()->first.back(), " in time");
  std::string line = std::to_string(plan.rows.size()) + " pairs of frames out of " + std::to_string(taken) +
                     (taken == 1 ? " trajectory" : " trajectories") + ", at time lags ";
  for (const double lag : lags) line += (lag == *lags.begin() ? "" : ", ") + short_number(lag);
  plan.lines.push_back(line + (lags.size() == 5 ? ", …" : "") + "; a split never tears a trajectory apart");
}

/// The fields of the rows, with what to do about missing values.
class Reader {
 public:
  Reader(const ImportOptions& options, Plan& plan) : plan_(plan), points_(plan.points()) {
    if (options.missing != "refuse" && options.missing != "drop") {
      char* end = nullptr;
      fill_ = std::strtof(options.missing.c_str(), &end);
      filled_ = *end == '\0' && std::isfinite(fill_);
      if (!filled_)
        throw mno::Error("mno import: --missing: expected refuse, drop or a number to put there, got '" +
                         options.missing + "'.");
    }
  }

  void initial(const Row& row, Index member, std::span<float> out) {
    if (plan_.input.empty())
      field(plan_.state, row.sample, member, row.pair.from, out);
    else
      field(plan_.input, plan_.input.samples() == 1 ? 0 : row.sample, 0, 0, out);
  }
  void final(const Row& row, Index member, std::span<float> out) {
    field(plan_.state, row.sample, member, row.pair.to, out);
  }
  void known(const Row& row, std::span<float> out) {
    field(plan_.known, plan_.known.samples() == 1 ? 0 : row.sample, 0,
          plan_.known.has(Role::time) ? row.pair.from : 0, out);
  }

  /// Leaves out rows in which a value is missing; how many.
  Index drop() {
    std::vector<float> values(std::size_t(plan_.field_size(plan_.state.channels())));
    std::map<std::pair<Index, Index>, bool> whole;  // frames of the sample under way
    Index sample = -1;
    dropping_ = true;
    const auto is_whole = [&](const Row& row, bool last) {
      if (row.sample != std::exchange(sample, row.sample)) whole.clear();
      const auto [at, unknown] = whole.try_emplace({last ? row.pair.to : row.pair.from, last}, true);
      for (Index m = 0; unknown && at->second && m < plan_.state.members(); ++m) {
        last ? final(row, m, values) : initial(row, m, values);
        at->second = std::ranges::all_of(values, [](float u) { return std::isfinite(u); });
      }
      return at->second;
    };
    std::vector<Row> rows;
    std::vector<Index> groups;
    for (std::size_t i = 0; i < plan_.rows.size(); ++i)
      if (is_whole(plan_.rows[i], false) && is_whole(plan_.rows[i], true)) {
        rows.push_back(plan_.rows[i]);
        if (!plan_.groups.empty()) groups.push_back(plan_.groups[i]);
      }
    dropping_ = false;
    const auto left_out = Index(plan_.rows.size() - rows.size());
    if (rows.empty()) io::refuse(plan_.files[0], "has a missing value in every pair of frames");
    plan_.rows = std::move(rows);
    plan_.groups = std::move(groups);
    return left_out;
  }

 private:
  void field(Frames& from, Index sample, Index member, Index frame, std::span<float> out) {
    from.read(sample, member, frame, points_, out);
    if (dropping_) return;
    for (float& value : out) {
      if (std::isfinite(value)) continue;
      if (!filled_)
        io::refuse(
            plan_.files[0], "has missing values or infinities, the first in sample ", sample, ", frame ",
            frame,
            "; --missing drop leaves out the pairs that have some, --missing NUMBER puts a number there");
      value = fill_;
    }
  }

  Plan& plan_;
  io::Extents points_;
  float fill_ = 0;
  bool filled_ = false, dropping_ = false;
};

/// False if it was interrupted: then nothing is written.
bool write_plan(const ImportOptions& options, Plan& plan, Reader& reader, Progress& progress) {
  const auto rows = Index(plan.rows.size()), channels = plan.state.channels(), members = plan.state.members();
  const bool several = plan.state.has(Role::member);
  const bool known_varies = plan.known.samples() > 1 || plan.known.has(Role::time);
  const double fields = double(rows) * double(1 + members) * double(plan.field_size(channels)) +
                        (known_varies ? double(rows) * double(plan.field_size(plan.known.channels())) : 0);
  require_room(options.output, fields * sizeof(float));
  const auto file = create_data(options.output, options.compress);
  std::vector<float> values(std::size_t(plan.field_size(channels))), other(values.size());
  const Index passes = 2 + (known_varies ? 1 : 0);
  Index pass = 0;
  std::vector<std::string> stages{"u0", "uT", "fields"};
  const auto each_row = [&](auto&& body) {
    for (Index r = 0; r < rows; ++r) {
      if (interruption()) return false;
      body(plan.rows[std::size_t(r)]);
      const auto percent = [&](Index n) { return (100 * n) / (rows * passes); };
      const Index done = pass * rows + r + 1;
      if (progress.terminal() && percent(done) != percent(done - 1))
        progress.show(stages[std::size_t(pass)] + ": " + std::to_string(percent(done)) + " %");
    }
    ++pass;
    file->end();
    return true;
  };

  file->begin("u0", {io::Type::f32, plan.shape({rows, channels})});
  if (!each_row([&](const Row& row) {
        reader.initial(row, 0, values);
        for (Index m = 1; plan.input.empty() && m < members; ++m) {
          reader.initial(row, m, other);
          if (other != values)
            io::refuse(plan.files[0],
                       "expected members that start from the same field, found that members 0 and ", m,
                       " of sample ", row.sample,
                       " differ; if they are trajectories of their own, call that axis sample");
        }
        file->append(values);
      }))
    return false;
  file->begin(
      "uT", {io::Type::f32, several ? plan.shape({rows, members, channels}) : plan.shape({rows, channels})});
  if (!each_row([&](const Row& row) {
        for (Index m = 0; m < members; ++m) {
          reader.final(row, m, values);
          file->append(values);
        }
      }))
    return false;
  if (!plan.known.empty()) {
    const Index count = plan.known.channels();
    std::vector<float> field(std::size_t(plan.field_size(count)));
    if (known_varies) {
      file->begin("fields", {io::Type::f32, plan.shape({rows, count})});
      if (!each_row([&](const Row& row) {
            reader.known(row, field);
            file->append(field);
          }))
        return false;
    } else {
      reader.known(plan.rows[0], field);
      file->write("fields", io::Array::of(plan.shape({count}), field));
    }
  }
  std::vector<double> times, length;
  std::vector<std::int64_t> groups(plan.groups.begin(), plan.groups.end());
  std::vector<std::int32_t> bounded;
  for (const Row& row : plan.rows) times.push_back(row.pair.time);
  for (const AxisFacts& axis : plan.axes) length.push_back(axis.length), bounded.push_back(axis.bounded);
  file->write("t", io::Array::of({rows}, times));
  if (!groups.empty()) file->write("group", io::Array::of({rows}, groups));
  file->write("length", io::Array::of({Index(length.size())}, length));
  if (std::ranges::find(bounded, 1) != bounded.end())
    file->write("bounded", io::Array::of({Index(bounded.size())}, bounded));
  file->commit();
  return true;
}

int import_files(ImportOptions& options) {
  require_folder_of(options.output);
  Plan plan;
  read_files(options, plan);
  choose_rows(options, plan);
  Reader reader(options, plan);
  if (options.missing == "drop")
    plan.lines.push_back(std::to_string(reader.drop()) + " pairs have missing values and are left out");
  if (!options.json) {
    std::cout << "Took " << plan.files[0] << (plan.files.size() > 1 ? " and those after it" : "") << " for "
              << plan.layout << ":\n";
    for (const std::string& line : plan.lines) std::cout << "  " << line << "\n";
    std::cout << std::flush;
  }
  listen_for_interruption();
  Progress progress(options.json);
  const bool done = write_plan(options, plan, reader, progress);
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
                                {"known_fields", plan.known.channels()},
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
