#pragma once
// The gradient oracle: does a layer's vjp agree with its forward? One oracle for every leaf, node and model,
// and for layers of your own.
//
//   OracleReport report = check_gradients<MyLayer, 1>(Grid<1>{{9}});        // or <MyLayer, 1, Cuda>
//   report.largest()   // ≤ 1e-6 for a right adjoint
//
// For random parameters, inputs and cotangents ȳ, f(h) = ⟨ȳ, y(moved by h·d)⟩ is differentiated by a
// fourth-order central difference and compared with ⟨gradient, d⟩, for d ~ N(0,I) in one group of variables
// at a time: every named leaf, the input, u_0 and the times. Errors are relative to ‖gradient‖, the typical
// size of ⟨gradient, d⟩.
#include <cmath>
#include <string>
#include <vector>

#include "mno/expression/leaves.hpp"
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
        ybar(batch, grid, L::outputs),
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

  Field<T, D> x, initial, ybar, xbar, initial_bar;
  std::vector<T> w, wbar, times, times_bar;
};

/// A layer on a device, for tests; each device has its own.
template <Layer L, int D, class T = double, class Device = Cpu> class Probe;

template <Layer L, int D, class T> class Probe<L, D, T, Cpu> : public ProbeData<L, D, T> {
 public:
  using PassType = Pass<T, D>;
  using Data = ProbeData<L, D, T>;
  using Data::Data;

  Field<T, D> forward() {
    Field<T, D> y(this->x.batch(), this->x.grid(), L::outputs);
    typename L::template Trace<PassType> trace;
    PassType pass = begin();
    L::template forward<PassType>(this->w, std::as_const(this->x).view(), y.view(), trace, pass);
    return y;
  }

  /// Fills x̄, w̄, ū_0 and t̄ from ȳ.
  void pull_back() {
    Field<T, D> y(this->x.batch(), this->x.grid(), L::outputs);
    typename L::template Trace<PassType> trace;
    PassType pass = begin();
    L::template forward<PassType>(this->w, std::as_const(this->x).view(), y.view(), trace, pass);
    for (auto bar : {this->xbar.span(), this->initial_bar.span(), std::span<T>(this->wbar),
                     std::span<T>(this->times_bar)})
      std::fill(bar.begin(), bar.end(), T(0));
    pass.initial_bar = this->initial_bar.view();
    pass.times_bar = this->times_bar;
    L::template vjp<PassType>(this->w, std::as_const(this->ybar).view(), trace, this->wbar, this->xbar.view(),
                              pass);
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
    return pass;
  }
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

/// Directional finite differences in double, group by group.
template <Layer L, int D, class Device = Cpu>
OracleReport check_gradients(Grid<D> grid, Index batch = 2, Index initial_channels = 1,
                             std::uint64_t seed = 1) {
  Probe<L, D, double, Device> probe(grid, batch, initial_channels, seed);
  probe.pull_back();
  Stream random(seed, 2000);
  OracleReport report;
  const auto compare = [&](const std::string& name, std::span<double> variable,
                           std::vector<double> gradient) {
    if (variable.empty()) return;
    report.entries.push_back(
        {name, detail::directional_error(probe, variable, std::span<const double>(gradient), random)});
  };
  const auto copy = [](auto span) { return std::vector<double>(span.begin(), span.end()); };
  for (const NamedLeaf& leaf : named_leaves<L>())
    compare(leaf.name, std::span<double>(probe.w).subspan(leaf.offset, leaf.size()),
            copy(std::span<double>(probe.wbar).subspan(leaf.offset, leaf.size())));
  compare("x", probe.x.span(), copy(probe.xbar.span()));
  compare("u_0", probe.initial.span(), copy(probe.initial_bar.span()));
  compare("t", probe.times, probe.times_bar);
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
