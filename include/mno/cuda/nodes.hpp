#pragma once
// Sums, chains, concatenations and repetitions run on the GPU as they are: they only hand memory on. So do
// layers that use only a pass's own operations (identity, scale). A gate and the path from u_0 have kernels
// of their own.
#include "mno/cuda/elementwise.hpp"
#include "mno/expression/chain.hpp"
#include "mno/expression/concat.hpp"
#include "mno/expression/gated.hpp"
#include "mno/expression/product.hpp"
#include "mno/expression/recomputed.hpp"
#include "mno/expression/repeat.hpp"
#include "mno/expression/sum.hpp"
#include "mno/layer/constant.hpp"
#include "mno/layer/hermite.hpp"
#include "mno/layer/identity.hpp"
#include "mno/layer/initial.hpp"
#include "mno/layer/initial_path.hpp"
#include "mno/layer/scale.hpp"
#include "mno/layer/slice.hpp"
#include "mno/layer/superposition.hpp"

namespace mno {

namespace cuda {

namespace detail {
template <class G, class T> struct GateValues {
  const T *w, *times;
  T* to;
  MNO_HOST_DEVICE void operator()(Index b) const {
    to[b] = G::template value<T>(std::span<const T>(w, G::parameters), times[b]);
  }
};
/// y = g a or y += g a; where g = 0 the output is exactly zero, whatever a is, and nothing is added (−0
/// stays).
template <class T> struct ScaleSamples {
  Rows<const T> a;
  const T* gate;
  Rows<T> y;
  Index numbers_per_sample;
  bool add;
  MNO_HOST_DEVICE void operator()(Index i) const {
    const T g = gate[i / numbers_per_sample], value = g == T(0) ? T(0) : g * a(i);
    if (add && g == T(0)) return;
    y(i) = add ? y(i) + value : value;
  }
};
/// ⟨ȳ, a⟩ of a sample
template <class T> struct InnerProduct {
  Rows<const T> ybar, a;
  Index numbers_per_sample;
  MNO_HOST_DEVICE T operator()(Index b, Index i) const {
    const Index at = b * numbers_per_sample + i;
    return ybar(at) * a(at);
  }
};
/// Every sample's share of the parameters' cotangent, to be added up, and t̄.
template <class G, class T> struct GateAdjoint {
  const T *w, *times, *gate_bar;
  T *shares, *times_bar;  // shares: (sample, parameter)
  MNO_HOST_DEVICE void operator()(Index b) const {
    T* const share = shares + b * Index(G::parameters);
    for (std::size_t p = 0; p < G::parameters; ++p) share[p] = 0;
    const T tbar = G::template vjp<T>(std::span<const T>(w, G::parameters), times[b], gate_bar[b],
                                      std::span<T>(share, G::parameters));
    if (times_bar) times_bar[b] += tbar;
  }
};
/// y += κ_c u_0,c, or y = that
template <class T> struct AddPath {
  const T* scale;
  Rows<const T> initial;
  Rows<T> y;
  bool add;
  MNO_HOST_DEVICE void operator()(Index i) const {
    const T value = scale[i % y.channels] * initial(i);
    y(i) = add ? y(i) + value : value;
  }
};
template <class T> struct PathTerm {
  Rows<const T> ybar, initial;
  MNO_HOST_DEVICE T operator()(Index channel, Index row) const {
    return ybar.data[row * ybar.pitch + channel] * initial.data[row * initial.pitch + channel];
  }
};
}  // namespace detail

template <class L, class G> struct GatedOnCuda {
  template <class Pass> struct Trace {
    TraceOf<L, Pass> inner;
    In<Pass> a;                   // a(x), before the gate
    typename Pass::Scalar* gate;  // g(t): (sample)
  };

  template <class Pass>
  static void forward(Weights<Pass> w, In<Pass> x, Out<Pass> y, Trace<Pass>& trace, Pass& pass, Write write) {
    using T = typename Pass::Scalar;
    const Out<Pass> a = pass.keep_uninitialised(y, L::outputs);
    forward_of<L, Pass>(w.first(L::parameters), x, a, trace.inner, pass, Write::set);
    trace.a = a;
    trace.gate = pass.keep_values(x.batch);
    pass.device().for_each(x.batch,
                           detail::GateValues<G, T>{w.data() + L::parameters, pass.times.data(), trace.gate});
    pass.device().for_each(numbers(y), detail::ScaleSamples<T>{rows(trace.a), trace.gate, rows(y),
                                                               y.points() * y.channels, write == Write::add});
  }

  /// ā = g ȳ,  ḡ = ⟨ȳ, a⟩
  template <class Pass>
  static void vjp(Weights<Pass> w, In<Pass> ybar, const Trace<Pass>& trace, WeightsBar<Pass> wbar,
                  Out<Pass> xbar, Pass& pass, Write write) {
    using T = typename Pass::Scalar;
    Cuda& device = pass.device();
    const auto scope = pass.scope();
    const Index each = ybar.points() * ybar.channels;
    const Out<Pass> abar = pass.scratch_uninitialised(ybar, L::outputs);
    T* const gate_bar = pass.scratch_values(ybar.batch);
    device.for_each(numbers(ybar), detail::ScaleSamples<T>{rows(ybar), trace.gate, rows(abar), each, false});
    reduce<T>(device, ybar.batch, each, detail::InnerProduct<T>{rows(ybar), rows(trace.a), each}, gate_bar);
    T* const shares = pass.scratch_values(ybar.batch * Index(G::parameters));
    device.for_each(ybar.batch,
                    detail::GateAdjoint<G, T>{w.data() + L::parameters, pass.times.data(), gate_bar, shares,
                                              pass.times_bar.empty() ? nullptr : pass.times_bar.data()});
    if constexpr (G::parameters > 0)
      add_column_sums<T>(device, {shares, ybar.batch, Index(G::parameters), Index(G::parameters)},
                         wbar.data() + L::parameters);
    vjp_of<L, Pass>(w.first(L::parameters), abar, trace.inner, wbar.first(L::parameters), xbar, pass, write);
  }
};

struct InitialPathOnCuda {
  template <class Pass> struct Trace {};

  template <class Pass>
  static void forward(Weights<Pass> w, In<Pass>, Out<Pass> y, Trace<Pass>&, Pass& pass, Write write) {
    pass.device().for_each(numbers(y), detail::AddPath<typename Pass::Scalar>{w.data(), rows(pass.initial),
                                                                              rows(y), write == Write::add});
  }

  /// κ̄_c = Σ ȳ_c u_0,c,  ū_0,c = κ_c ȳ_c;  nothing for x̄
  template <class Pass>
  static void vjp(Weights<Pass> w, In<Pass> ybar, const Trace<Pass>&, WeightsBar<Pass> wbar, Out<Pass> xbar,
                  Pass& pass, Write write) {
    using T = typename Pass::Scalar;
    Cuda& device = pass.device();
    const auto scope = pass.scope();
    T* const total = pass.scratch_values(ybar.channels);
    reduce<T>(device, ybar.channels, ybar.rows(), detail::PathTerm<T>{rows(ybar), rows(pass.initial)}, total,
              Neighbours::segments);
    device.for_each(ybar.channels, AddTo<T>{total, wbar.data()});
    if (pass.initial_bar)
      device.for_each(numbers(ybar), detail::AddPath<T>{w.data(), rows(ybar), rows(pass.initial_bar), true});
    if (xbar && write == Write::set) device.for_each(numbers(xbar), SetTo<T>{rows(xbar), T(0)});
  }
};

}  // namespace cuda

template <class... Ls> Chain<Ls...> on_cuda(const Chain<Ls...>*);
template <class... Ls> Sum<Ls...> on_cuda(const Sum<Ls...>*);
template <class... Ls> Concat<Ls...> on_cuda(const Concat<Ls...>*);
template <class A, class B> Product<A, B> on_cuda(const Product<A, B>*);
template <int Times, class L> Repeat<Times, L> on_cuda(const Repeat<Times, L>*);
template <int Times, class L> Tied<Times, L> on_cuda(const Tied<Times, L>*);
/// On a GPU recomputed(a) is a: what was computed is kept.
template <class L>
decltype(cuda::find_on_cuda(static_cast<const L*>(nullptr), 0)) on_cuda(const Recomputed<L>*);
template <class L, class G> cuda::GatedOnCuda<L, G> on_cuda(const Gated<L, G>*);
template <int Channels> Identity<Channels> on_cuda(const Identity<Channels>*);
template <int In_, int First, int Count> Slice<In_, First, Count> on_cuda(const Slice<In_, First, Count>*);
template <int Channels, int Order> Hermite<Channels, Order> on_cuda(const Hermite<Channels, Order>*);
template <int Terms, int Channels>
Superposition<Terms, Channels> on_cuda(const Superposition<Terms, Channels>*);
template <int In_, int Channels, class Value>
Constant<In_, Channels, Value> on_cuda(const Constant<In_, Channels, Value>*);
template <int In_, int Channels> Initial<In_, Channels> on_cuda(const Initial<In_, Channels>*);
template <int Channels, class Value> Scale<Channels, Value> on_cuda(const Scale<Channels, Value>*);
template <int In_, int Channels> cuda::InitialPathOnCuda on_cuda(const InitialPath<In_, Channels>*);

}  // namespace mno
