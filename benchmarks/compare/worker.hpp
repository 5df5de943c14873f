#pragma once
// Our side of the comparison with PyTorch: a process that holds one model and one batch, and does what it is
// told on its standard input, so that the other side can run in between.
//
//   compare_worker make <shape> <batch> FILE      writes weights and data, for both sides to read
//   compare_worker work <shape> <threads> FILE    reads them, prints "ready", and answers commands:
//     check FILE             loss, gradient, mean and variance of the batch, written to FILE; PyTorch's side
//                            answers how far its own are from those
//     steps N                N training steps; answers with the loss before the first and after the last
//     train SECONDS CLOCK    training steps for that long; answers with the milliseconds of each, of which
//                            the clock is `wall`, or `cpu` for the processor time of all threads
//     forward SECONDS CLOCK  the same for mean and variance of the whole batch
//     latency SECONDS CLOCK  the same for one sample
//     memory                 answers with the peak and the present resident memory in KiB
//
// A shape is a number of points per axis: 64, 256 or 64x64.
#include <fstream>
#include <iostream>
#include <numbers>
#include <sstream>
#include <string>

#include "mno/io/model_file.hpp"
#include "mno/loss/recipe.hpp"
#include "mno/train/adamw.hpp"
#include "timing.hpp"

namespace comparison {

using namespace mno;

/// The shape of the goals: what PyTorch's model has in compare/model.py.
template <int D> struct Goal {
  static constexpr int dimension = D, channels = 1, rank = 16, width = 48, modes = 16, depth = 4;
};
inline constexpr AdamWOptions optimiser_options{.learning_rate = 1e-4, .weight_decay = 1e-2};
inline constexpr float factor_scale = 0.25f;

template <int D> Grid<D> grid_of(const std::string& name) {
  Grid<D> grid;
  std::istringstream text(name);
  for (Index& n : grid.points) {
    text >> n;
    text.ignore();
  }
  return grid;
}

/// A few random waves per sample, so that every kept mode of every sample is its own.
template <int D> Field<float, D> waves(Stream& random, Index batch, const Grid<D>& grid, double amplitude) {
  Field<float, D> field(batch, grid, 1);
  for (Index b = 0; b < batch; ++b) {
    double wave[6][D], phase[6], size[6];
    for (int i = 0; i < 6; ++i) {
      for (double& k : wave[i]) k = std::floor(8 * random.uniform());
      phase[i] = 2 * std::numbers::pi * random.uniform();
      size[i] = amplitude * random.normal() / 2;
    }
    fill(field.view().samples(b, 1), [&](const std::array<double, D>& x, Index) {
      double sum = 0;
      for (int i = 0; i < 6; ++i) {
        double angle = phase[i];
        for (std::size_t d = 0; d < std::size_t(D); ++d) angle += 2 * std::numbers::pi * wave[i][d] * x[d];
        sum += size[i] * std::cos(angle);
      }
      return sum;
    });
  }
  return field;
}

template <int D> void make(const std::string& shape, Index batch, const std::string& file) {
  Mno<Goal<D>> model(/*seed=*/1);
  model.set_factor_scale(factor_scale);
  Stream random(2);
  for (const NamedLeaf& leaf : model.leaves())  // larger than at first, and of either sign: as after training
    if (leaf.name.ends_with("spectral.weight"))
      for (float& w : model.leaf(leaf.name)) w = float((random.uniform() - 0.5) / Goal<D>::width);
  const Grid<D> grid = grid_of<D>(shape);
  const auto initial = waves<D>(random, batch, grid, 1);
  const auto mean = waves<D>(random, batch, grid, 0.7);
  auto variance = waves<D>(random, batch, grid, 1);
  for (float& v : variance.span()) v = 0.02f * (0.1f + v * v);
  std::vector<float> times;
  for (Index b = 0; b < batch; ++b) times.push_back(float(0.1 + 0.4 * random.uniform()));

  std::vector<io::NamedArray> arrays;
  io::Metadata metadata;
  io::describe_model(model, Normaliser{{0.0}, {1.0}}, arrays, metadata);
  io::Extents extents{batch};
  extents.insert(extents.end(), grid.points.begin(), grid.points.end());
  extents.push_back(1);
  arrays.emplace_back("data.initial", extents, initial.span());
  arrays.emplace_back("data.mean", extents, mean.span());
  arrays.emplace_back("data.variance", extents, std::as_const(variance).span());
  arrays.emplace_back("data.times", io::Extents{batch}, std::span<const float>(times));
  io::write_safetensors(file, arrays, metadata);
}

template <int D> class Worker {
 public:
  using M = Mno<Goal<D>>;

  Worker(const std::string& shape, int threads, const std::string& file)
      : device_(threads), optimiser_(M::parameters, optimiser_options) {
    const io::SafetensorsReader reader{std::filesystem::path(file)};
    model_ = io::read_model<M>(reader).model;
    gradient_ = model_.zeros();
    const Index batch = reader.layout("data.times").shape[0];
    const Grid<D> grid = grid_of<D>(shape);
    for (auto* field : {&initial_, &mean_, &variance_}) *field = Field<float, D>(batch, grid, 1);
    times_.resize(std::size_t(batch));
    reader.read("data.initial", initial_.span());
    reader.read("data.mean", mean_.span());
    reader.read("data.variance", variance_.span());
    reader.read("data.times", std::span<float>(times_));
    law_ = Law<float, D>(Field<float, D>(batch, grid, 1), Field<float, D>(batch, grid, Goal<D>::rank));
    one_ = Law<float, D>(Field<float, D>(1, grid, 1), Field<float, D>(1, grid, Goal<D>::rank));
  }

  void work() {
    std::cout << "ready" << std::endl;
    std::string line;
    while (std::getline(std::cin, line)) {
      std::istringstream text(line);
      std::string command;
      text >> command;
      if (command == "check") {
        std::string file;
        text >> file;
        check(file);
        std::cout << "ok" << std::endl;
      } else if (command == "steps") {
        int steps = 0;
        text >> steps;
        const double first = loss_and_gradient();
        for (int i = 0; i < steps; ++i) step();
        std::cout.precision(9);
        std::cout << first << ' ' << loss_and_gradient() << std::endl;
      } else if (command == "memory") {
        std::cout << status("VmHWM:") << ' ' << status("VmRSS:") << std::endl;
      } else {
        double seconds = 0;
        std::string clock;
        text >> seconds >> clock;
        const auto repeat = [&](auto&& call) { this->repeat(seconds, clock == "cpu", call); };
        if (command == "train")
          repeat([&] { step(); });
        else if (command == "forward")
          repeat([&] { forward(initial_.view(), times_, law_); });
        else if (command == "latency")
          repeat([&] { forward(initial_.view().samples(0, 1), {times_.data(), 1}, one_); });
        else
          std::cout << "unknown command " << command << std::endl;
      }
    }
  }

 private:
  static long status(const std::string& key) {
    std::ifstream file("/proc/self/status");
    std::string word;
    long value = -1;
    while (file >> word)
      if (word == key) file >> value;
    return value;
  }

  double loss_and_gradient() {
    const Target<float, D> target{mean_.view(), variance_.view(), {&members_, 1}};
    return value_and_gradient(model_, {initial_.view(), times_}, recipe_.on(target), gradient_, device_);
  }
  void step() {
    loss_and_gradient();
    optimiser_.step(model_.values(), std::as_const(gradient_).values(), device_);
  }
  /// Mean and variance, as a user asks for them.
  void forward(View<const float, D> initial, std::span<const float> times, Law<float, D>& law) {
    predict_into(model_, {initial, times}, law, device_);
    asked_ = variance(law);
  }

  void check(const std::string& file) {
    const float loss = float(loss_and_gradient());
    forward(initial_.view(), times_, law_);
    std::vector<io::NamedArray> arrays;
    io::append_leaves<M>(arrays, "", std::as_const(gradient_).values());
    arrays.emplace_back("loss", io::Extents{1}, std::span<const float>(&loss, 1));
    const io::Extents flat{Index(asked_.size())};
    arrays.emplace_back("mean", flat, std::as_const(law_.mean).span());
    arrays.emplace_back("variance", flat, std::as_const(asked_).span());
    io::write_safetensors(file, arrays);
  }

  template <class Call> static void repeat(double seconds, bool processor, Call&& call) {
    std::cout << times_of(seconds, processor, call) << std::endl;
  }

  Cpu device_;
  M model_, gradient_;
  AdamW<float> optimiser_;
  Recipe recipe_ = Recipe::decoupled();
  Index members_ = 192;
  Field<float, D> initial_, mean_, variance_, asked_;
  std::vector<float> times_;
  Law<float, D> law_, one_;
};

template <int D> void work(const std::string& shape, int threads, const std::string& file) {
  Worker<D>(shape, threads, file).work();
}

// Each dimension is compiled in a file of its own.
extern template void make<1>(const std::string&, Index, const std::string&);
extern template void make<2>(const std::string&, Index, const std::string&);
extern template void work<1>(const std::string&, int, const std::string&);
extern template void work<2>(const std::string&, int, const std::string&);

}  // namespace comparison
