// Training step, prediction and sampling on a GPU, in float and with TF32, for the shapes of the comparison
// with PyTorch. Compiled by nvcc; without a GPU it says so and returns 77.
//
//   gpu_benchmark [--shapes 64,256,64x64] [--batch N] [--rounds N] [--seconds S]
//     prints a line of JSON for every shape, task and precision. The precisions take turns, one turn before
//     the first is not counted, and a turn repeats its task for at least that many seconds.
//   gpu_benchmark make SHAPE BATCH FILE          writes weights and data, for both sides to read
//   gpu_benchmark work SHAPE float|tf32 FILE     reads them and answers the commands of compare/protocol.hpp
//
// What the tasks are is said in compare/gpu_worker.hpp.
#include <algorithm>
#include <cstdio>
#include <iterator>
#include <stdexcept>
#include <vector>

#include "compare/gpu_worker.hpp"
#include "compare/protocol.hpp"

namespace {

using namespace comparison;

struct Options {
  std::vector<std::string> shapes{"64", "256", "64x64"};
  Index batch = 0;  // 0: as in the comparison
  int rounds = 15;
  double seconds = 0.3;
};

const char* const tasks[] = {"train", "forward", "predict", "latency", "sample"};

bool is_plane(const std::string& shape) { return shape.find('x') != std::string::npos; }

CudaOptions with_precision(const std::string& name) {
  if (name != "float" && name != "tf32")
    throw std::runtime_error("gpu_benchmark: a precision is float or tf32, not '" + name + "'.");
  return {.tf32 = name == "tf32"};
}

/// The value below which a share of them lies; between two of them on the line that joins them.
double quantile(std::vector<double> values, double share) {
  std::sort(values.begin(), values.end());
  const double at = share * double(values.size() - 1);
  const std::size_t below = std::size_t(at), above = std::min(below + 1, values.size() - 1);
  return values[below] + (at - double(below)) * (values[above] - values[below]);
}

std::vector<double> turn(const std::function<void()>& call, double seconds) {
  std::istringstream text(times_of(seconds, /*processor=*/false, call));
  return {std::istream_iterator<double>(text), {}};
}

template <int D> void measure(const std::string& shape, Index batch, const Options& options) {
  const char* const precisions[] = {"float", "tf32"};
  const auto setting = [&] { return Setting<D>::made_up(shape, batch); };
  GpuWorker<D> in_float(setting(), with_precision(precisions[0])),
      in_tf32(setting(), with_precision(precisions[1]));
  GpuWorker<D>* const workers[] = {&in_float, &in_tf32};
  for (const char* const task : tasks) {
    std::vector<double> times[2];
    for (int round = -1; round < options.rounds; ++round)
      for (int side = 0; side < 2; ++side) {
        const std::vector<double> some = turn(workers[side]->task(task), options.seconds);
        if (round >= 0) times[side].insert(times[side].end(), some.begin(), some.end());
      }
    for (int side = 0; side < 2; ++side) {
      std::printf(
          "{\"side\": \"mno\", \"device\": \"%s\", \"shape\": \"%s\", \"batch\": %ld, \"precision\": \"%s\", "
          "\"task\": \"%s\", \"median_ms\": %.6g, \"quartiles_ms\": [%.6g, %.6g], \"repetitions\": %zu, "
          "\"workspace_MiB\": %.4g}\n",
          workers[side]->device().properties().name, shape.c_str(), long(batch), precisions[side], task,
          quantile(times[side], 0.5), quantile(times[side], 0.25), quantile(times[side], 0.75),
          times[side].size(), double(workers[side]->device().memory()) / (1 << 20));
      std::fflush(stdout);
    }
  }
}

Options read(const std::vector<std::string>& arguments) {
  Options options;
  for (std::size_t i = 0; i < arguments.size(); i += 2) {
    const std::string& name = arguments[i];
    if (i + 1 == arguments.size()) throw std::runtime_error("gpu_benchmark: " + name + " needs a value.");
    const std::string& value = arguments[i + 1];
    if (name == "--shapes") {
      options.shapes.clear();
      std::istringstream text(value);
      for (std::string shape; std::getline(text, shape, ',');) options.shapes.push_back(shape);
    } else if (name == "--batch") {
      options.batch = std::stol(value);
    } else if (name == "--rounds") {
      options.rounds = std::max(1, std::stoi(value));
    } else if (name == "--seconds") {
      options.seconds = std::stod(value);
    } else {
      throw std::runtime_error("gpu_benchmark: there is no option " + name +
                               "; there are --shapes, --batch, --rounds and --seconds.");
    }
  }
  return options;
}

template <int D> void make_or_work(const std::vector<std::string>& arguments) {
  const std::string &shape = arguments[1], &file = arguments[3];
  if (arguments[0] == "make") {
    Setting<D>::made_up(shape, std::stol(arguments[2])).write(file);
  } else {
    GpuWorker<D> worker(Setting<D>::read(shape, file), with_precision(arguments[2]));
    answer_commands(worker);
  }
}

}  // namespace

int main(int argc, char** argv) try {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  if (!arguments.empty() && (arguments[0] == "make" || arguments[0] == "work")) {
    if (arguments.size() != 4)
      throw std::runtime_error("gpu_benchmark: usage is make SHAPE BATCH FILE or work SHAPE PRECISION FILE.");
    (is_plane(arguments[1]) ? make_or_work<2> : make_or_work<1>)(arguments);
    return 0;
  }
  const Options options = read(arguments);
  for (const std::string& shape : options.shapes) {
    const bool plane = is_plane(shape);
    (plane ? measure<2> : measure<1>)(shape, options.batch > 0 ? options.batch : plane ? 32 : 256, options);
  }
} catch (const mno::NoDevice& error) {
  std::cerr << error.what() << "\n";
  return 77;
} catch (const std::exception& error) {
  std::cerr << error.what() << "\n";
  return 1;
}
