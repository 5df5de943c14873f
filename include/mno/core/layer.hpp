#pragma once
// What a layer is.
//
// A layer is a stateless type: its architecture. Parameters are handed to it as a slice of a flat buffer, and
// what its adjoint needs is written into its own Trace. Two rules make layers compose:
//   forward adds to y, vjp adds to x̄ and w̄; whoever provides the memory zeroes it first.
//   What the trace points to (the input x among it) stays in place until vjp has run.
//
//   struct MyLayer {
//     static constexpr int inputs = …, outputs = …;
//     static constexpr const char* name = "my-layer";
//     static constexpr std::array leaves{parameter("weight", outputs, inputs)};
//     static constexpr std::size_t parameters = total(leaves);
//     template <class Pass> struct Trace { … };
//     template <class T> static void initialise(std::span<T> w, Stream& random);
//     template <class Pass> static void forward(Weights<Pass> w, In<Pass> x, Out<Pass> y, Trace<Pass>&,
//     Pass&); template <class Pass> static void vjp(Weights<Pass> w, In<Pass> ȳ, const Trace<Pass>&,
//     WeightsBar<Pass> w̄,
//                                           Out<Pass> x̄, Pass&);   // x̄ may be empty: nobody asks for it
//   };
#include <concepts>
#include <cstddef>
#include <span>

#include "mno/core/field.hpp"
#include "mno/core/parameter.hpp"

namespace mno {

/// A type with channel counts and a number of parameters, whose forward and vjp take a Pass.
template <class L>
concept Layer = requires {
  { L::inputs } -> std::convertible_to<int>;
  { L::outputs } -> std::convertible_to<int>;
  { L::parameters } -> std::convertible_to<std::size_t>;
  { L::name } -> std::convertible_to<const char*>;
};

/// A layer that is made of others lists them as `parts`; their parameters follow each other in that order.
template <Layer... Ls> struct Parts {};

/// How a layer runs in a pass: by itself, unless the device of the pass has a version of its own.
template <class L, class Pass> struct OnDevice { using type = L; };
/// What it leaves there for its adjoint.
template <class L, class Pass> using TraceOf = typename OnDevice<L, Pass>::type::template Trace<Pass>;

/// The types that forward and vjp see.
template <class Pass> using In = View<const typename Pass::Scalar, Pass::dimension>;
template <class Pass> using Out = View<typename Pass::Scalar, Pass::dimension>;
template <class Pass> using Weights = std::span<const typename Pass::Scalar>;
template <class Pass> using WeightsBar = std::span<typename Pass::Scalar>;

}  // namespace mno
