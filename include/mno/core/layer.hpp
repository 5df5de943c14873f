#pragma once
// What a layer is.
//
// A layer is a type without data: its architecture. It maps a field x with `inputs` channels to a field y
// with `outputs` channels. Its parameters are a slice w of one flat buffer, and forward leaves what the
// adjoint needs in the layer's own Trace:
//
//   template <int Channels> struct Scaling {                        // y_c = w_c x_c
//     static constexpr int inputs = Channels, outputs = Channels;
//     static constexpr const char* name = "scaling";                // in the names of parameters
//     static constexpr std::array leaves{parameter("weight", Channels)};
//     static constexpr std::size_t parameters = total(leaves);
//
//     template <class T> static void initialise(std::span<T> w, Stream& random);
//
//     template <class Pass> struct Trace { In<Pass> x; };
//
//     /// y += w x
//     template <class Pass>
//     static void forward(Weights<Pass> w, In<Pass> x, Out<Pass> y, Trace<Pass>& trace, Pass& pass);
//
//     /// x̄ += w ȳ,  w̄ += Σ x ȳ
//     template <class Pass>
//     static void vjp(Weights<Pass> w, In<Pass> ybar, const Trace<Pass>& trace, WeightsBar<Pass> wbar,
//                     Out<Pass> xbar, Pass& pass);
//   };
//
// Four rules make layers compose:
//   forward adds to y, and vjp adds to x̄ and w̄: whoever provides the memory zeroes it first.
//   x̄ may be empty (`if (xbar)`), where nobody needs it.
//   A trace may point to the input x, which stays in place until vjp has run.
//   Rows of a field lie `pitch` numbers apart, and `pitch` may exceed the number of channels.
//
// A layer that learns nothing derives from `WithoutParameters` and declares neither leaves nor initialise. A
// layer may also have:
//   A last argument `Write write` of forward and of vjp, if setting y or x̄ costs no more than adding to it.
//   `template <int D> static Grid<D> grid(const Grid<D>&)`, if y lives on another grid than x.
//   `draws_noise = true`, if it draws from pass.noise: an operator with such a layer gives draws.
//   `settings`, if a template argument changes what it computes but none of its parameters (setting.hpp).
//
// examples/04_own_layer.cpp has such a layer whole, with its test.
#include <algorithm>
#include <concepts>
#include <cstddef>
#include <span>

#include "mno/core/field.hpp"
#include "mno/core/parameter.hpp"
#include "mno/core/random.hpp"
#include "mno/core/setting.hpp"
#include "mno/core/write.hpp"

namespace mno {

/// The types that forward and vjp see.
template <class Pass> using In = View<const typename Pass::Scalar, Pass::dimension>;
template <class Pass> using Out = View<typename Pass::Scalar, Pass::dimension>;
template <class Pass> using Weights = std::span<const typename Pass::Scalar>;
template <class Pass> using WeightsBar = std::span<typename Pass::Scalar>;

// What a type needs to be part of an expression. Runnable, below, checks what it needs to run.
template <class L>
concept HasChannels = requires {
  { L::inputs } -> std::convertible_to<int>;
  { L::outputs } -> std::convertible_to<int>;
};
template <class L>
concept HasName = requires {
  { L::name } -> std::convertible_to<const char*>;
};
template <class L>
concept HasParameters = requires {
  { L::parameters } -> std::convertible_to<std::size_t>;
};
template <class L>
concept Layer = HasChannels<L> && HasName<L> && HasParameters<L>;

/// A layer that learns nothing derives from this.
struct WithoutParameters {
  static constexpr std::array<Parameter, 0> leaves{};
  static constexpr std::size_t parameters = 0;
  template <class T> static void initialise(std::span<T>, Stream&) {}
};

/// A layer that is made of others lists them as `parts`; their parameters follow each other in that order.
template <class... Ls> struct Parts {};

/// How a layer runs in a pass: by itself, unless the device of the pass has a version of its own.
template <class L, class Pass> struct OnDevice { using type = L; };

namespace detail {

template <class L, class Pass>
concept HasTrace = requires {
  typename L::template Trace<Pass>;
};
template <class L, class Pass>
concept WritesForward = requires(Weights<Pass> w, In<Pass> x, Out<Pass> y,
                                 typename L::template Trace<Pass>& trace, Pass& pass) {
  L::template forward<Pass>(w, x, y, trace, pass, Write::set);
};
template <class L, class Pass>
concept AddsForward = requires(Weights<Pass> w, In<Pass> x, Out<Pass> y,
                               typename L::template Trace<Pass>& trace, Pass& pass) {
  L::template forward<Pass>(w, x, y, trace, pass);
};
template <class L, class Pass>
concept WritesVjp = requires(Weights<Pass> w, In<Pass> ybar, const typename L::template Trace<Pass>& trace,
                             WeightsBar<Pass> wbar, Out<Pass> xbar, Pass& pass) {
  L::template vjp<Pass>(w, ybar, trace, wbar, xbar, pass, Write::set);
};
template <class L, class Pass>
concept AddsVjp = requires(Weights<Pass> w, In<Pass> ybar, const typename L::template Trace<Pass>& trace,
                           WeightsBar<Pass> wbar, Out<Pass> xbar, Pass& pass) {
  L::template vjp<Pass>(w, ybar, trace, wbar, xbar, pass);
};

/// The layer as it runs in a pass, or the sentence that says what it lacks.
template <class L, class Pass> struct Runnable {
  using type = typename OnDevice<L, Pass>::type;
  static_assert(HasTrace<type, Pass>,
                "mno: a layer needs `template <class Pass> struct Trace`, what forward leaves for vjp (it "
                "may be empty)");
  static_assert(WritesForward<type, Pass> || AddsForward<type, Pass>,
                "mno: a layer needs `template <class Pass> static void forward(Weights<Pass> w, In<Pass> x, "
                "Out<Pass> y, "
                "Trace<Pass>& trace, Pass& pass)`; a last argument Write is optional");
  static_assert(
      WritesVjp<type, Pass> || AddsVjp<type, Pass>,
      "mno: a layer needs `template <class Pass> static void vjp(Weights<Pass> w, In<Pass> ybar, const "
      "Trace<Pass>& trace, WeightsBar<Pass> wbar, Out<Pass> xbar, Pass& pass)`; a last argument Write is "
      "optional");
};

}  // namespace detail

/// What a layer leaves in a pass for its adjoint.
template <class L, class Pass> using TraceOf = typename OnDevice<L, Pass>::type::template Trace<Pass>;

/// The grid of a layer's output.
template <class L, int D> Grid<D> output_grid(const Grid<D>& grid) {
  if constexpr (requires { L::grid(grid); })
    return L::grid(grid);
  else
    return grid;
}

// Layers that are made of others run them by these two functions.

/// y += L(x), or y = L(x) into memory that nobody has zeroed.
template <class L, class Pass>
void forward_of(Weights<Pass> w, In<Pass> x, Out<Pass> y, TraceOf<L, Pass>& trace, Pass& pass, Write write) {
  using Own = typename detail::Runnable<L, Pass>::type;
  if constexpr (detail::WritesForward<Own, Pass>) {
    Own::template forward<Pass>(w, x, y, trace, pass, write);
  } else {
    if (write == Write::set) pass.clear(y);
    Own::template forward<Pass>(w, x, y, trace, pass);
  }
}

/// x̄ += J_Lᵀ ȳ, or x̄ = J_Lᵀ ȳ, and w̄ += (∂L/∂w)ᵀ ȳ.
template <class L, class Pass>
void vjp_of(Weights<Pass> w, In<Pass> ybar, const TraceOf<L, Pass>& trace, WeightsBar<Pass> wbar,
            Out<Pass> xbar, Pass& pass, Write write) {
  using Own = typename detail::Runnable<L, Pass>::type;
  if constexpr (detail::WritesVjp<Own, Pass>) {
    Own::template vjp<Pass>(w, ybar, trace, wbar, xbar, pass, write);
  } else {
    if (write == Write::set && xbar) pass.clear(xbar);
    Own::template vjp<Pass>(w, ybar, trace, wbar, xbar, pass);
  }
}

}  // namespace mno
