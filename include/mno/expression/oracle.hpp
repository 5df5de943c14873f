#pragma once
// The gradient oracle: does a layer's vjp agree with its forward? One oracle for every leaf, node and model,
// and for layers of your own.
//
//   OracleReport report = check_gradients<MyLayer, 1>(Grid<1>{{9}});        // or <MyLayer, 1, Cuda>
//   report.largest()   // ≤ 1e-6 for a right adjoint
//
// A layer is tested as it will be used: in a plain pass of all samples, and as in training, in several
// blocks, shards and rounds, with prepared weights and collected cotangents.
//
// For random parameters, inputs and cotangents ȳ, f(h) = ⟨ȳ, y(moved by h·d)⟩ is differentiated by a
// fourth-order central difference and compared with ⟨gradient, d⟩, for d ~ N(0,I) in one group of variables
// at a time: every named leaf, the input, u_0 and the times. Errors are relative to ‖gradient‖, the typical
// size of ⟨gradient, d⟩. The gradient by the training path is compared with that of the plain pass, number by
// number.
#include <cmath>
#include <functional>
#include <sstream>
#include <string>
#include <vector>

#include "mno/expression/leaves.hpp"
#include "mno/expression/pull_back.hpp"
#include "mno/layer/pass.hpp"

namespace mno {

struct OracleReport {
  struct Entry {
    std::string variable;  // "weight", "x", "u_0", "t", …
    double error;
  };
  std::vector<Entry> entries;

  double largest() const {
    double worst = 0;
    for (const auto& entry : entries)
      worst = entry.error > worst || std::isnan(entry.error) ? entry.error : worst;
    return worst;
  }
  std::string str() const {
    std::ostringstream out;
    for (const auto& entry : entries) out << entry.variable << ": " << entry.error << "\n";
    return out.str();
  }
};

/// Everything that a layer is evaluated on, and its cotangents. Only two functions depend on the layer; the
/// rest is the same for all layers and compiled once.
template <int D, class T> class ProbeData {
 public:
  static constexpr int dimension = D;
  using Scalar = T;
  virtual ~ProbeData() = default;
  virtual Field<T, D> forward() = 0;
  /// Fills x̄, w̄, ū_0 and t̄ from ȳ.
  virtual void pull_back() = 0;

  double objective() {
    const Field<T, D> y = forward();
    return dot(ybar.span(), y.span());
  }
  static double dot(std::span<const T> a, std::span<const T> b) {
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += double(a[i]) * double(b[i]);
    return sum;
  }
  void clear_bars() {
    for (auto bar : {xbar.span(), initial_bar.span(), std::span<T>(wbar), std::span<T>(times_bar)})
      std::fill(bar.begin(), bar.end(), T(0));
  }

  struct Variable {
    std::string name;
    std::span<T> values, bar;
  };
  /// Every group of variables with its cotangent.
  std::vector<Variable> variables() {
    std::vector<Variable> all;
    for (const NamedLeaf& leaf : leaves_)
      all.push_back({leaf.name, std::span<T>(w).subspan(leaf.offset, leaf.size()),
                     std::span<T>(wbar).subspan(leaf.offset, leaf.size())});
    all.push_back({"x", x.span(), xbar.span()});
    all.push_back({"u_0", initial.span(), initial_bar.span()});
    all.push_back({"t", std::span<T>(times), std::span<T>(times_bar)});
    return all;
  }

  Field<T, D> x, initial, ybar, xbar, initial_bar;
  std::vector<T> w, wbar, times, times_bar;
  std::uint64_t noise_seed = 0;

 protected:
  ProbeData(Index batch, const Grid<D>& grid, Index inputs, const Grid<D>& output_grid, Index outputs,
            Index initial_channels, std::size_t parameters, std::vector<NamedLeaf> leaves)
      : x(batch, grid, inputs),
        initial(batch, grid, initial_channels),
        ybar(batch, output_grid, outputs),
        xbar(batch, grid, inputs),
        initial_bar(batch, grid, initial_channels),
        w(parameters),
        wbar(parameters),
        times(std::size_t(batch)),
        times_bar(std::size_t(batch)),
        leaves_(std::move(leaves)) {}
  /// Random numbers everywhere; parameters have their first values already.
  void randomise(std::uint64_t seed) {
    Stream random(seed, 1000);
    for (T& value : w) value += T(0.3 * random.normal());
    for (Field<T, D>* field : {&x, &initial, &ybar})
      for (T& value : field->span()) value = T(random.normal());
    for (T& t : times) t = T(0.2 + random.uniform());
  }

 private:
  std::vector<NamedLeaf> leaves_;
};

/// A probe of one layer, on the device of Base.
template <Layer L, class Base> class ProbeOf : public Base {
 public:
  using Base::dimension;
  using typename Base::Scalar;
  ProbeOf(Grid<dimension> grid, Index batch, Index initial_channels, std::uint64_t seed)
      : Base(batch, grid, L::inputs, output_grid<L>(grid), L::outputs, initial_channels, L::parameters,
             named_leaves<L>()) {
    initialise<L, Scalar>(std::span<Scalar>(this->w), seed);
    this->randomise(seed);
  }
};

/// A layer on a device, for tests; each device has its own.
template <Layer L, int D, class T = double, class Device = Cpu> class Probe;

template <int D, class T> class CpuProbe : public ProbeData<D, T> {
 public:
  using PassType = Pass<T, D>;

  Field<T, D> forward() override {
    Field<T, D> y(this->ybar.batch(), this->ybar.grid(), this->ybar.channels());
    PassType pass = begin();
    run(pass, y.view(), false);
    return y;
  }
  /// In one plain pass.
  void pull_back() override {
    Field<T, D> y(this->ybar.batch(), this->ybar.grid(), this->ybar.channels());
    this->clear_bars();
    PassType pass = begin();
    run(pass, y.view(), true);
  }

 protected:
  using ProbeData<D, T>::ProbeData;
  /// The layer's forward and, if asked for, its vjp.
  virtual void run(PassType& pass, View<T, D> y, bool back) = 0;

  /// What a training step asks for.
  struct Work {
    CpuProbe& probe;
    Index batch() const { return probe.x.batch(); }
    const Grid<D>& grid() const { return probe.x.grid(); }
    void condition(PassType& pass, Index first, Index count) {
      const auto from = std::size_t(first), n = std::size_t(count);
      pass.initial = std::as_const(probe.initial).view().samples(first, count);
      pass.times = std::span<const T>(probe.times).subspan(from, n);
      pass.initial_bar = probe.initial_bar.view().samples(first, count);
      pass.times_bar = std::span<T>(probe.times_bar).subspan(from, n);
      pass.noise_seed = probe.noise_seed;
    }
    View<const T, D> input(PassType&, Index first, Index count) {
      return std::as_const(probe.x).view().samples(first, count);
    }
    double loss(PassType&, Index first, View<const T, D> y, View<T, D> ybar) {
      std::copy_n(&probe.ybar(first, 0, 0), y.rows() * y.channels, ybar.data);
      return probe.dot({ybar.data, std::size_t(y.rows() * y.channels)},
                       {y.data, std::size_t(y.rows() * y.channels)});
    }
    bool wants_input_bar() const { return true; }
    void take_input_bar(PassType&, Index first, View<const T, D> xbar) {
      std::copy_n(xbar.data, xbar.rows() * xbar.channels, &probe.xbar(first, 0, 0));
    }
  };

 private:
  PassType begin() {
    workspace_.trace.release();
    workspace_.scratch.release();
    PassType pass(workspace_);
    pass.initial = std::as_const(this->initial).view();
    pass.times = this->times;
    pass.initial_bar = this->initial_bar.view();
    pass.times_bar = this->times_bar;
    pass.noise_seed = this->noise_seed;
    return pass;
  }
  Workspace workspace_;
};

template <Layer L, int D, class T> class Probe<L, D, T, Cpu> : public ProbeOf<L, CpuProbe<D, T>> {
 public:
  using PassType = Pass<T, D>;
  using ProbeOf<L, CpuProbe<D, T>>::ProbeOf;

  /// pull_back as a training step does it: in blocks of so many samples. Returns the loss, ⟨ȳ, y⟩.
  double pull_back_in_blocks(Index samples, Index last_part) {
    this->clear_bars();
    typename CpuProbe<D, T>::Work work{*this};
    Cpu device(2);
    // No byte for coefficients: a round has eight shards, no more.
    return detail::pull_back<L, T, D>(std::span<const T>(this->w), work, std::span<T>(this->wbar),
                                      detail::BlockSizes{samples, last_part, 0}, device);
  }

 private:
  void run(PassType& pass, View<T, D> y, bool back) override {
    TraceOf<L, PassType> trace;
    forward_of<L, PassType>(this->w, std::as_const(this->x).view(), y, trace, pass, Write::set);
    if (back)
      vjp_of<L, PassType>(this->w, std::as_const(this->ybar).view(), trace, this->wbar, this->xbar.view(),
                          pass, Write::set);
  }
};

namespace detail {
/// |f′ − ⟨gradient, d⟩| / ‖gradient‖ for random directions d in `variable`.
template <int D, class T>
double directional_error(ProbeData<D, T>& probe, std::span<T> variable, std::span<const T> gradient,
                         Stream& random) {
  double worst = 0;
  const double norm = std::sqrt(probe.dot(gradient, gradient));
  const std::vector<T> start(variable.begin(), variable.end());
  for (int direction = 0; direction < 2; ++direction) {
    std::vector<T> d(variable.size());
    for (T& value : d) value = T(random.normal());
    const auto f = [&](double h) {
      for (std::size_t i = 0; i < d.size(); ++i) variable[i] = start[i] + T(h) * d[i];
      return probe.objective();
    };
    const double h = 1e-3 / std::sqrt(std::max<double>(1, double(d.size()) / 16));
    const double difference = (8 * (f(h) - f(-h)) - (f(2 * h) - f(-2 * h))) / (12 * h);
    std::copy(start.begin(), start.end(), variable.begin());
    const double error = std::abs(difference - probe.dot(gradient, d)) / (norm > 0 ? norm : 1);
    worst = error > worst || std::isnan(error) ? error : worst;
  }
  return worst;
}

template <int D> OracleReport directional_errors(ProbeData<D, double>& probe, std::uint64_t seed) {
  probe.pull_back();
  Stream random(seed, 2000);
  OracleReport report;
  for (const auto& [name, values, bar] : probe.variables()) {
    if (values.empty()) continue;
    const std::vector<double> gradient(bar.begin(), bar.end());
    report.entries.push_back({name, directional_error<D, double>(probe, values, gradient, random)});
  }
  return report;
}

/// ‖gradient in blocks − gradient of a plain pass‖ / ‖the latter‖, group by group.
template <int D>
void compare_bars(ProbeData<D, double>& plain, ProbeData<D, double>& blocks, const std::string& how,
                  OracleReport& report) {
  const auto expected = plain.variables();
  auto group = expected.begin();
  for (const auto& [name, values, bar] : blocks.variables()) {
    double error = 0, norm = 0;
    for (std::size_t i = 0; i < bar.size(); ++i) {
      error += (bar[i] - group->bar[i]) * (bar[i] - group->bar[i]);
      norm += group->bar[i] * group->bar[i];
    }
    if (!values.empty()) report.entries.push_back({name + how, std::sqrt(error / (norm > 0 ? norm : 1))});
    ++group;
  }
}

/// Over several rounds of blocks; `in_blocks(samples)` pulls back in blocks.
template <int D>
void compare_training(ProbeData<D, double>& plain, ProbeData<D, double>& blocks,
                      const std::function<void(Index)>& in_blocks, OracleReport& report) {
  plain.pull_back();
  for (const Index samples : {1, 2}) {
    in_blocks(samples);
    compare_bars<D>(plain, blocks, ", trained in blocks of " + std::to_string(samples), report);
  }
}

template <int D, class T> OracleReport adjoint_identity_errors(ProbeData<D, T>& probe) {
  probe.pull_back();
  const Field<T, D> y = probe.forward();
  const double by_input = probe.dot(probe.xbar.span(), probe.x.span());
  const double by_parameters = probe.dot(probe.wbar, probe.w);
  const double value = probe.dot(probe.ybar.span(), y.span());
  std::fill(probe.x.span().begin(), probe.x.span().end(), T(0));
  const double offset = probe.objective();
  const double scale =
      std::sqrt(probe.dot(probe.ybar.span(), probe.ybar.span()) * probe.dot(y.span(), y.span()));
  OracleReport report;
  report.entries.push_back({"x", std::abs(value - offset - by_input) / scale});
  if (!probe.w.empty()) report.entries.push_back({"parameters", std::abs(value - by_parameters) / scale});
  return report;
}
}  // namespace detail

/// Directional finite differences in double, group by group, and the training path against the plain pass.
template <Layer L, int D, class Device = Cpu>
OracleReport check_gradients(Grid<D> grid, Index batch = 2, Index initial_channels = 1,
                             std::uint64_t seed = 1) {
  Probe<L, D, double, Device> probe(grid, batch, initial_channels, seed);
  OracleReport report = detail::directional_errors<D>(probe, seed);
  if constexpr (std::is_same_v<Device, Cpu>) {
    constexpr Index many = 19;  // several shards, rounds and nodes of the tree, the last of them not full
    Probe<L, D> plain(grid, many, initial_channels, seed), blocks(grid, many, initial_channels, seed);
    detail::compare_training<D>(
        plain, blocks, [&](Index samples) { blocks.pull_back_in_blocks(samples, 1); }, report);
  }
  return report;
}

/// For a layer that is affine in x, and linear in its parameters if it has any:
///   ⟨ȳ, y(x) − y(0)⟩ = ⟨x̄, x⟩   and   ⟨ȳ, y⟩ = ⟨w̄, w⟩,   to rounding.
template <Layer L, int D, class T = double, class Device = Cpu>
OracleReport check_adjoint_identity(Grid<D> grid, Index batch = 2, std::uint64_t seed = 1) {
  Probe<L, D, T, Device> probe(grid, batch, 1, seed);
  return detail::adjoint_identity_errors<D, T>(probe);
}

}  // namespace mno
