#pragma once
// The model, the batch and the optimiser of the comparison with PyTorch, made up or read from a file.
//
// A shape is a number of points per axis: 64, 256 or 64x64.
#include <numbers>
#include <sstream>
#include <string>

#include "mno/data/ensemble.hpp"
#include "mno/io/safetensors/model_file.hpp"
#include "mno/loss/recipe.hpp"
#include "mno/train/adamw.hpp"

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
    field.view().samples(b, 1).fill([&](const std::array<double, D>& x, Index) {
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

template <int D> struct Setting {
  using M = Mno<Goal<D>>;

  M model{/*seed=*/1};
  Ensemble<float, D> data;  // the batch; every entry stands for 192 members

  Setting(const std::string& shape, Index batch)
      : data(make_ensemble<float, D>(batch, grid_of<D>(shape), /*channels=*/1)) {
    std::fill(data.counts.begin(), data.counts.end(), Index(192));
  }

  static Setting made_up(const std::string& shape, Index batch) {
    Setting setting(shape, batch);
    setting.model.set_factor_scale(factor_scale);
    Stream random(2);
    for (const NamedLeaf& leaf : setting.model.leaves())  // larger than at first, of either sign: as trained
      if (leaf.name.ends_with("spectral.weight"))
        for (float& w : setting.model.leaf(leaf.name)) w = float((random.uniform() - 0.5) / Goal<D>::width);
    auto& data = setting.data;
    data.initial = waves<D>(random, batch, data.grid(), 1);
    data.mean = waves<D>(random, batch, data.grid(), 0.7);
    data.variance = waves<D>(random, batch, data.grid(), 1);
    for (float& v : data.variance.span()) v = 0.02f * (0.1f + v * v);
    for (float& t : data.times) t = float(0.1 + 0.4 * random.uniform());
    return setting;
  }

  void write(const std::string& file) const {
    std::vector<io::NamedArray> arrays;
    io::Metadata metadata;
    io::describe_model(model, Normaliser{{0.0}, {1.0}}, arrays, metadata);
    metadata["beside"] = "data.";
    io::Extents extents{data.size()};
    extents.insert(extents.end(), data.grid().points.begin(), data.grid().points.end());
    extents.push_back(1);
    arrays.emplace_back("data.initial", extents, data.initial.span());
    arrays.emplace_back("data.mean", extents, data.mean.span());
    arrays.emplace_back("data.variance", extents, data.variance.span());
    arrays.emplace_back("data.times", io::Extents{data.size()}, std::span<const float>(data.times));
    io::write_safetensors(file, arrays, metadata);
  }

  static Setting read(const std::string& shape, const std::string& file) {
    const io::SafetensorsReader reader{std::filesystem::path(file)};
    Setting setting(shape, reader.layout("data.times").shape[0]);
    setting.model = io::read_model<M>(reader).model;
    reader.read("data.initial", setting.data.initial.span());
    reader.read("data.mean", setting.data.mean.span());
    reader.read("data.variance", setting.data.variance.span());
    reader.read("data.times", std::span<float>(setting.data.times));
    return setting;
  }

  /// A law of so many samples, to be predicted into.
  Law<float, D> law(Index samples) const {
    return {Field<float, D>(samples, data.grid(), 1), Field<float, D>(samples, data.grid(), Goal<D>::rank)};
  }
};

/// What both sides compute of the batch, for the other side to look at.
template <int D>
void write_check(const std::string& file, double loss, const Mno<Goal<D>>& gradient,
                 const Field<float, D>& mean, const Field<float, D>& variance) {
  const float value = float(loss);
  std::vector<io::NamedArray> arrays;
  io::append_leaves<Mno<Goal<D>>>(arrays, "", gradient.values());
  arrays.emplace_back("loss", io::Extents{1}, std::span<const float>(&value, 1));
  const io::Extents flat{Index(mean.size())};
  arrays.emplace_back("mean", flat, mean.span());
  arrays.emplace_back("variance", flat, variance.span());
  io::write_safetensors(file, arrays);
}

}  // namespace comparison
