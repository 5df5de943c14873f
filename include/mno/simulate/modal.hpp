#pragma once
// Fields whose noise stays in the span of its basis functions and is Gaussian there:
//
//     u_t(x) = m_t(x) + Σ_i c_i(t) φ_i(x),    φ_i the noise's basis, c_i independent,
//
// where the basis may move: φ_i(x − shift(t)).
//
// No time stepping is needed: c_i goes from one query time to the next in one exact step,
//     c_i(t) = decay · c_i(s) + deviation · ξ,
// and the law of u_t is known: its mean m_t and its factor rows B_i(x) = (deviation of c_i(t)) φ_i(x), with
// Cov(u_t(x), u_t(y)) = Σ_i B_i(x) B_i(y). An equation may be normal only given random shocks, which it draws
// for every member. Then the deviation of a step depends on the shocks, while mean and B are still those of
// u_t. A function of several channels has its entries in the order of a field, point·channels + channel.
#include <algorithm>
#include <vector>

#include "mno/device/product.hpp"
#include "mno/simulate/initial.hpp"
#include "mno/simulate/noise.hpp"
#include "mno/simulate/normal.hpp"
#include "mno/simulate/simulate.hpp"

namespace mno {

struct Transition {
  double decay, deviation;
};

/// The law of u_t given u_0, exactly.
template <int D> struct ExactLawOn {
  Field<double, D> mean;      // (1, grid…, channel)
  Field<double, D> variance;  // (1, grid…, channel)
  ModalNoise::Rows factor;    // (rank, entry)
};
using ExactLaw = ExactLawOn<1>;

namespace detail {
/// The noise's basis at time t, moved where the equation says so.
template <class Equation> ModalNoise::Rows basis_at(const Equation& equation, double t) {
  if constexpr (requires { equation.shift(t); })
    return equation.noise.basis(equation.points, equation.shift(t));
  else
    return equation.noise.basis(equation.points);
}
}  // namespace detail

/// Equation has mean(u_0, t) as a series and deviation(k, t), the standard deviation of a coefficient of
/// wavenumber k; and shift(t) where its basis moves. A series is a FourierSeries or a type with the same
/// functions; a wavenumber has the noise's own type.
template <class Equation, class Series>
ExactLawOn<Equation::dimension> exact_law(const Equation& equation, const Series& initial, double t) {
  equation.check();
  equation.check_time(t);
  const Grid<Equation::dimension> grid = equation.grid();
  const Index channels = Equation::channels;
  ExactLawOn<Equation::dimension> law{
      {1, grid, channels}, {1, grid, channels}, detail::basis_at(equation, t)};
  equation.mean(initial, t).evaluate(law.mean.view());
  for (Index i = 0; i < law.factor.rows(); ++i)
    law.factor.row(i) *= equation.deviation(equation.noise.wavenumber(i), t);
  for (Index i = 0; i < law.factor.cols(); ++i) law.variance.data()[i] = law.factor.col(i).squaredNorm();
  return law;
}
/// … of a sample as simulate() draws it.
template <class Equation>
ExactLawOn<Equation::dimension> exact_law(const Equation& equation, std::uint64_t seed, Index sample,
                                          double t) {
  return exact_law(equation, equation.draw(seed, sample), t);
}

namespace detail {
/// members(m, x) = mean(x) + Σ_i coefficients(m, i) basis(i, x)
template <class T, int D, class Series>
void expand_members(const Series& mean, const T* coefficients, const T* basis, Index rank,
                    View<T, D> members) {
  const Index count = members.batch, size = members.points() * members.channels;
  mean.evaluate(members, 0);
  for (Index m = 1; m < count; ++m) std::copy_n(members.data, size, members.data + m * size);
  if (rank > 0)
    multiply_add<T>({members.data, count, size, size}, {coefficients, count, rank, rank},
                    {basis, rank, size, size});
}

template <class T> std::vector<T> flat(const ModalNoise::Rows& rows) {
  std::vector<T> values;
  for (Index i = 0; i < rows.size(); ++i) values.push_back(T(rows.data()[i]));
  return values;
}

inline void check_free_time(double t, const char* equation) {
  require(std::isfinite(t) && t >= 0, equation, "times", Text("numbers that are not negative"), Text(t));
}
}  // namespace detail

/// Equation has also draw(seed, sample), the series of u_0, and transition(k, s, t); one with shocks has a
/// type Shocks, shocks(stream, t), all of a member until t, and transition(k, s, t, shocks).
template <class T, class Equation> class ModalSolver {
 public:
  static constexpr int D = Equation::dimension;

  explicit ModalSolver(const Equation& equation) : equation_(equation) {}

  void run(const detail::Task<T, D>& task, Arena& scratch) const {
    const auto series = equation_.draw(task.seed, task.sample);
    series.evaluate(task.initial);
    const ArenaScope scope(scratch);
    const Index rank = equation_.noise.rank(), channels = Equation::channels;
    const Grid<D> grid = equation_.grid();
    double* const state = scratch.take<double>(std::size_t(task.count * rank));  // (member, basis function)
    T* const coefficients = scratch.take<T>(std::size_t(task.count * rank));
    std::fill_n(state, task.count * rank, 0.);
    double before = 0;
    for (Index query = 0; query < Index(task.times.size()); ++query) {
      const double now = task.times[std::size_t(query)];
      for (Index first = 0; first < task.count; first += block) {
        Normals<block> normals(task.seed, stream_of(Draw::noise, task.sample), first);
        const Index count = std::min(block, task.count - first);
        if constexpr (requires { typename Equation::Shocks; }) {
          std::vector<typename Equation::Shocks> shocks;  // (member)
          for (Index m = 0; m < count; ++m) {
            Stream stream(task.seed, stream_of(Draw::shocks, task.sample), std::uint32_t(first + m));
            shocks.push_back(equation_.shocks(stream, now));
          }
          move(normals, query, before, now, count, state + first * rank, shocks);
        } else {
          move(normals, query, before, now, count, state + first * rank, Index(0));
        }
      }
      for (Index i = 0; i < task.count * rank; ++i) coefficients[i] = T(state[i]);
      const std::vector<T> basis = detail::flat<T>(detail::basis_at(equation_, now));
      const View<T, D> members{task.members + query * task.count * grid.size() * channels, task.count, grid,
                               channels, channels};
      detail::expand_members<T, D>(equation_.mean(series, now), coefficients, basis.data(), rank, members);
      before = now;
    }
  }

 private:
  static constexpr Index block = 32;

  /// member ↦ what its coefficients of wavenumber k do between two times
  template <class Wave> auto transition_of(Wave k, double before, double now, Index) const {
    return [all = equation_.transition(k, before, now)](Index) { return all; };
  }
  template <class Wave, class Shock>
  auto transition_of(Wave k, double before, double now, const std::vector<Shock>& shocks) const {
    return [&equation = equation_, &shocks, k, before, now](Index m) {
      return equation.transition(k, before, now, shocks[std::size_t(m)]);
    };
  }

  template <class Shocks>
  void move(Normals<block>& normals, Index query, double before, double now, Index count, double* state,
            const Shocks& shocks) const {
    alignas(alignment) float drawn[4 * block];
    const Index rank = equation_.noise.rank(), draws = (rank + 3) / 4;
    for (Index i = 0; i < rank; ++i) {
      if (i % 4 == 0) normals.draw(std::uint32_t(query * draws + i / 4), drawn);
      const auto k = equation_.noise.wavenumber(i);
      const float* const z = drawn + i % 4 * block;
      const auto transition = transition_of(k, before, now, shocks);
      for (Index m = 0; m < count; ++m) {
        const auto [decay, deviation] = transition(m);
        state[m * rank + i] = decay * state[m * rank + i] + deviation * double(z[m]);
      }
    }
  }

  Equation equation_;
};

}  // namespace mno
