// mno predict: the law of the field at a time, from an initial field.
#include <algorithm>
#include <iostream>
#include <memory>
#include <mno/io/zip/npz.hpp>
#include <mno/law/empirical.hpp>
#include <mno/law/sample.hpp>
#include <nlohmann/json.hpp>

#include "command.hpp"
#include "import/arrays.hpp"
#include "operator.hpp"

namespace program {

namespace {

namespace io = mno::io;
using mno::Index;

struct PredictOptions {
  std::filesystem::path model{}, input{}, fields{}, output{};
  double time = 0;
  Index samples = 0;
  std::uint64_t seed = 0;
  int threads = 0;
  bool json = false;
};

bool has(const std::filesystem::path& path, const char* name) {
  const auto names = open_arrays(path)->names();
  return std::ranges::find(names, name) != names.end();
}
/// The array of this name, or the only one.
io::Array read(const std::filesystem::path& path, const char* name) {
  const auto file = open_arrays(path);
  const auto names = file->names();
  const bool there = std::ranges::find(names, name) != names.end();
  if (!there && names.size() != 1)
    io::refuse(io::file_name(path), "expected an array ", io::shown(name), " or one alone, found ",
               names.size());
  return file->open(there ? name : names[0])->read();
}

/// (sample, channel, x…), (channel, x…), or (x…) where there is one channel.
template <int D>
mno::Field<float, D> field(const char* name, const io::Array& array, Index channels,
                           const mno::Domain<D>& domain) {
  const io::Extents& shape = array.shape();
  const std::size_t axes = shape.size();
  const bool plain = axes == D && channels == 1, one = axes == D + 1, many = axes == D + 2;
  mno::require((plain || one || many) && (plain || shape[axes - D - 1] == channels) && array.size() > 0,
               "predict", name,
               mno::Text("(sample, channel, x…) with ", channels, " channel(s) in dimension ", D),
               mno::Text(array.layout().str()));
  mno::Grid<D> grid{{}, domain};
  std::copy(shape.end() - D, shape.end(), grid.points.begin());
  mno::Field<float, D> result(many ? shape[0] : 1, grid, channels);
  mno::require(array.type() == io::Type::f32 || array.type() == io::Type::f64, "predict", name,
               mno::Text("elements of type f32 or f64"), mno::Text(array.layout().str()));
  const io::Array values = array.as<float>();
  mno::from_channel_first<float, D>(values.values<float>(), result.view());
  return result;
}

/// An operator with noise inside gives draws; its moments are taken from as many as are asked for, or from
/// 64.
Index draws_for_moments(const PredictOptions& options) {
  mno::require(options.samples != 1, "predict", "--samples",
               mno::Text("at least two draws of an operator that gives nothing else, for a variance"),
               mno::Text(options.samples));
  return options.samples > 0 ? options.samples : 64;
}

/// The law for every initial field, written as it is.
template <int D> void predict_in(const OperatorIn<D>& one, const PredictOptions& options) {
  const auto loaded = one.load(options.model, threads(options.threads));
  const ShapeNumbers shape = one.shape();
  const mno::Field<float, D> initial =
      field<D>("input", read(options.input, "u0"), shape.channels, loaded->domain());
  const float time = float(options.time);
  mno::Condition<float, D> condition{initial.view(), {&time, 1}};
  mno::Field<float, D> known;
  const bool beside = shape.known > 0 && has(options.input, "fields");  // as data files have them
  if (!options.fields.empty() || beside) {
    known = field<D>("fields", read(options.fields.empty() ? options.input : options.fields, "fields"),
                     shape.known, loaded->domain());
    condition.known = std::as_const(known).view();
  }
  io::NpzWriter file(options.output);
  const auto write = [&](const char* name, const mno::Field<float, D>& what, io::Extents first) {
    const auto points = what.grid().points;
    first.insert(first.end(), points.begin(), points.end());
    const auto values = mno::to_channel_first<float, D>(what.view());
    file.begin(name, {io::Type::f32, std::move(first)});
    file.append(std::span<const float>(values));
    file.end();
  };
  if (loaded->gives_draws()) {
    condition.draws = draws_for_moments(options);
    condition.noise = options.seed;
    const mno::Field<float, D> draws = loaded->draws(condition);
    const auto law = mno::empirical_law(draws, condition.draws);
    write("mean", law.mean, {law.batch(), shape.channels});
    write("variance", mno::variance(law), {law.batch(), shape.channels});
    if (options.samples > 0) write("samples", draws, {law.batch(), options.samples, shape.channels});
  } else {
    const auto law = loaded->predict(condition);
    write("mean", mno::mean(law), {law.batch(), shape.channels});
    if (loaded->stochastic()) {
      write("variance", mno::variance(law), {law.batch(), shape.channels});
      write("factor", law.factor, {law.batch(), shape.rank, shape.channels});
      if (law.has_nugget()) write("nugget", law.nugget, {law.batch(), shape.channels});
      if (options.samples > 0)
        write("samples", mno::sample(law, options.samples, options.seed),
              {law.batch(), options.samples, shape.channels});
    }
  }
  file.write("t", io::Array::of({Index(1)}, std::vector<double>{options.time}));
  const auto& [length, bounded] = loaded->domain();
  file.write("length", io::Array::of({Index(D)}, std::vector<double>(length.begin(), length.end())));
  file.write("bounded", io::Array::of({Index(D)}, std::vector<std::int32_t>(bounded.begin(), bounded.end())));
  file.commit();
}

int predict(PredictOptions& options) {
  require_folder_of(options.output);
  const Operator& one = of_model(options.model);
  in_dimension(one, [&](const auto& known) { predict_in(known, options); });
  if (options.json)
    std::cout << nlohmann::ordered_json{{"command", "predict"},
                                        {"file", options.output.string()},
                                        {"time", options.time},
                                        {"samples", options.samples},
                                        {"seed", options.seed}}
                     .dump()
              << "\n";
  else
    std::cout << "Wrote " << options.output.string() << ": "
              << (one.gives_draws()  ? "mean and variance of draws"
                  : one.stochastic() ? "mean, variance and factor"
                                     : "mean")
              << (options.samples > 0 && (one.gives_draws() || one.stochastic()) ? ", and samples" : "")
              << " at t = " << options.time << ".\n";
  return succeeded;
}

}  // namespace

void add_predict(CLI::App& app, Run& run) {
  auto options = std::make_shared<PredictOptions>();
  CLI::App* command = app.add_subcommand("predict", "Ask a model for the law of the field at a time");
  command->footer(
      "Example:\n  mno predict --model model.safetensors --input u0.npy --time 0.5 --samples 100 -o law.npz\n"
      "The input is (sample, channel, x…), (channel, x…) or, for one channel, (x…), on any grid. The output "
      "has\n"
      "mean and variance (sample, channel, x…), factor (sample, rank, channel, x…), nugget (sample,\n"
      "channel, x…) if the law has one, its deviation, and samples\n"
      "(sample, draw, channel, x…). An operator that gives draws has mean and variance of these, of 64\n"
      "where none are asked for, and no factor.");
  command->add_option("--model", options->model, "The model file")->required();
  command->add_option("--input", options->input, "u_0: a file with an array u0, or with one array")
      ->required();
  command->add_option("--time", options->time, "t")->required()->check(CLI::NonNegativeNumber);
  command->add_option("--fields", options->fields,
                      "Known fields, if the model has them and neither it nor the input holds them");
  command->add_option("--samples", options->samples, "Draws from each law")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  command->add_option("--seed", options->seed, "Of the draws")->capture_default_str();
  command->add_option("-o,--output", options->output, "The .npz file to write")->required();
  command->add_option("--threads", options->threads, "Threads; 0: all")
      ->check(CLI::NonNegativeNumber)
      ->default_val(0);
  command->add_flag("--json", options->json, "Say what was done as JSON");
  command->callback([options, &run] { run = [options] { return predict(*options); }; });
}

}  // namespace program
