#pragma once
// The gradient oracle: does a layer's vjp agree with its forward? One oracle for every leaf, node and model,
// and for layers of your own.
//
//   OracleReport report = check_gradients<MyLayer, 1>(Grid<1>{{9}});        // or <MyLayer, 1, Cuda>
//   report.largest()   // ≤ 1e-6 for a right adjoint
//
// A layer is tried as it will be used: in a plain pass of all samples, and as it is trained, in several
// blocks, lanes and rounds, with weights that were made ready and cotangents that are collected.
//
// For random parameters, inputs and cotangents ȳ, f(h) = ⟨ȳ, y(moved by h·d)⟩ is differentiated by a
// fourth-order central difference and compared with ⟨gradient, d⟩, for d ~ N(0,I) in one group of variables
// at a time: every named leaf, the input, u_0 and the times. Errors are relative to ‖gradient‖, the typical
// size of ⟨gradient, d⟩. The gradient by the training path is compared with that of the plain pass, number by
// number.
#include <cmath>
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

/// Everything that a layer is evaluated on, and its cotangents.
template <Layer L, int D, class T> struct ProbeData {
  ProbeData(Grid<D> grid, Index batch, Index initial_channels, std::uint64_t seed)
      : x(batch, grid, L::inputs),
        initial(batch, grid, initial_channels),
        ybar(batch, output_grid<L>(grid), L::outputs),
        xbar(batch, grid, L::inputs),
        initial_bar(batch, grid, initial_channels),
        w(L::parameters),
        wbar(L::parameters),
        times(std::size_t(batch)),
        times_bar(std::size_t(batch)) {
    initialise<L, T>(std::span<T>(w), seed);
    Stream random(seed, 1000);
    for (T& value : w) value += T(0.3 * random.normal());
    for (Field<T, D>* field : {&x, &initial, &ybar})
      for (T& value : field->span()) value = T(random.normal());
    for (T& t : times) t = T(0.2 + random.uniform());
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
  /// visit(name, variable, its cotangent) for every group of variables.
  template <class Visit> void for_each_variable(Visit&& visit) {
    for (const NamedLeaf& leaf : named_leaves<L>())
      visit(leaf.name, std::span<T>(w).subspan(leaf.offset, leaf.size()),
            std::span<T>(wbar).subspan(leaf.offset, leaf.size()));
    visit(std::string("x"), x.span(), xbar.span());
    visit(std::string("u_0"), initial.span(), initial_bar.span());
    visit(std::string("t"), std::span<T>(times), std::span<T>(times_bar));
  }

  Field<T, D> x, initial, ybar, xbar, initial_bar;
  std::vector<T> w, wbar, times, times_bar;
  std::uint64_t noise_seed = 0;
};

/// A layer on a device, for tests; each device has its own.
template <Layer L, int D, class T = double, class Device = Cpu> class Probe;

template <Layer L, int D, class T> class Probe<L, D, T, Cpu> : public ProbeData<L, D, T> {
 public:
  using PassType = Pass<T, D>;
  using Data = ProbeData<L, D, T>;
  using Data::Data;

  Field<T, D> forward() {
    Field<T, D> y(this->ybar.batch(), this->ybar.grid(), L::outputs);
    TraceOf<L, PassType> trace;
    PassType pass = begin();
    forward_of<L, PassType>(this->w, std::as_const(this->x).view(), y.view(), trace, pass, Write::set);
    return y;
  }

  /// Fills x̄, w̄, ū_0 and t̄ from ȳ, in one plain pass.
  void pull_back() {
    Field<T, D> y(this->ybar.batch(), this->ybar.grid(), L::outputs);
    TraceOf<L, PassType> trace;
    PassType pass = begin();
    forward_of<L, PassType>(this->w, std::as_const(this->x).view(), y.view(), trace, pass, Write::set);
    this->clear_bars();
    pass.initial_bar = this->initial_bar.view();
    pass.times_bar = this->times_bar;
    vjp_of<L, PassType>(this->w, std::as_const(this->ybar).view(), trace, this->wbar, this->xbar.view(), pass,
                        Write::set);
  }

  /// The same as a training step does it: in blocks of so many samples. Returns the loss, ⟨ȳ, y⟩.
  double pull_back_in_blocks(Index samples, Index last_part) {
    this->clear_bars();
    Work work{*this};
    Cpu device(2);
    // No byte for coefficients: a round has a block for every lane, no more.
    return detail::pull_back<L, T, D>(std::span<const T>(this->w), work, std::span<T>(this->wbar),
                                      detail::BlockSizes{samples, last_part, 0}, device);
  }

  double objective() {
    const Field<T, D> y = forward();
    return this->dot(std::span<const T>(this->ybar.span()), y.span());
  }

 private:
  PassType begin() {
    workspace_.trace.release();
    workspace_.scratch.release();
    PassType pass(workspace_);
    pass.initial = std::as_const(this->initial).view();
    pass.times = this->times;
    pass.noise_seed = this->noise_seed;
    return pass;
  }
  struct Work {
    Probe& probe;
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
      std::copy_n(&probe.ybar(first, 0, 0), y.rows() * L::outputs, ybar.data);
      return probe.dot({ybar.data, std::size_t(y.rows() * L::outputs)},
                       {y.data, std::size_t(y.rows() * L::outputs)});
    }
    bool wants_input_bar() const { return true; }
    void take_input_bar(PassType&, Index first, View<const T, D> xbar) {
      std::copy_n(xbar.data, xbar.rows() * L::inputs, &probe.xbar(first, 0, 0));
    }
  };
  Workspace workspace_;
};

namespace detail {
/// |f′ − ⟨gradient, d⟩| / ‖gradient‖ for random directions d in `variable`.
template <class P, class T>
double directional_error(P& probe, std::span<T> variable, std::span<const T> gradient, Stream& random) {
  double worst = 0;
  const double norm = std::sqrt(P::dot(gradient, gradient));
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
    const double error = std::abs(difference - P::dot(gradient, d)) / (norm > 0 ? norm : 1);
    worst = error > worst || std::isnan(error) ? error : worst;
  }
  return worst;
}
}  // namespace detail

namespace detail {
/// ‖gradient in blocks − gradient of a plain pass‖ / ‖the latter‖, group by group, over several rounds of
/// blocks.
template <Layer L, int D>
void compare_training(Grid<D> grid, Index initial_channels, std::uint64_t seed, OracleReport& report) {
  constexpr Index batch = 2 * Cpu::most_lanes + 3;
  Probe<L, D, double, Cpu> plain(grid, batch, initial_channels, seed),
      blocks(grid, batch, initial_channels, seed);
  plain.pull_back();
  for (const Index samples : {1, 2}) {
    blocks.pull_back_in_blocks(samples, 1);
    std::vector<std::vector<double>> expected;
    plain.for_each_variable([&](const std::string&, std::span<double>, std::span<double> bar) {
      expected.emplace_back(bar.begin(), bar.end());
    });
    auto group = expected.begin();
    blocks.for_each_variable([&](const std::string& name, std::span<double> variable, std::span<double> bar) {
      double error = 0, norm = 0;
      for (std::size_t i = 0; i < bar.size(); ++i) {
        error += (bar[i] - (*group)[i]) * (bar[i] - (*group)[i]);
        norm += (*group)[i] * (*group)[i];
      }
      if (!variable.empty())
        report.entries.push_back({name + ", trained in blocks of " + std::to_string(samples),
                                  std::sqrt(error / (norm > 0 ? norm : 1))});
      ++group;
    });
  }
}
}  // namespace detail

/// Directional finite differences in double, group by group, and the training path against the plain pass.
template <Layer L, int D, class Device = Cpu>
OracleReport check_gradients(Grid<D> grid, Index batch = 2, Index initial_channels = 1,
                             std::uint64_t seed = 1) {
  Probe<L, D, double, Device> probe(grid, batch, initial_channels, seed);
  probe.pull_back();
  Stream random(seed, 2000);
  OracleReport report;
  probe.for_each_variable([&](const std::string& name, std::span<double> variable, std::span<double> bar) {
    if (variable.empty()) return;
    const std::vector<double> gradient(bar.begin(), bar.end());
    report.entries.push_back(
        {name, detail::directional_error(probe, variable, std::span<const double>(gradient), random)});
  });
  if constexpr (std::is_same_v<Device, Cpu>)
    detail::compare_training<L, D>(grid, initial_channels, seed, report);
  return report;
}

/// For a layer that is affine in x, and linear in its parameters if it has any:
///   ⟨ȳ, y(x) − y(0)⟩ = ⟨x̄, x⟩   and   ⟨ȳ, y⟩ = ⟨w̄, w⟩,   to rounding.
template <Layer L, int D, class T = double, class Device = Cpu>
OracleReport check_adjoint_identity(Grid<D> grid, Index batch = 2, std::uint64_t seed = 1) {
  using P = Probe<L, D, T, Device>;
  P probe(grid, batch, 1, seed);
  probe.pull_back();
  const Field<T, D> y = probe.forward();
  const double by_input = P::dot(probe.xbar.span(), probe.x.span());
  const double by_parameters = P::dot(probe.wbar, probe.w);
  const double value = P::dot(probe.ybar.span(), y.span());
  std::fill(probe.x.span().begin(), probe.x.span().end(), T(0));
  const double offset = probe.objective();
  const double scale = std::sqrt(P::dot(probe.ybar.span(), probe.ybar.span()) * P::dot(y.span(), y.span()));
  OracleReport report;
  report.entries.push_back({"x", std::abs(value - offset - by_input) / scale});
  if (L::parameters > 0) report.entries.push_back({"parameters", std::abs(value - by_parameters) / scale});
  return report;
}

}  // namespace mno
